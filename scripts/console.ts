import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

/** Where the built console is; the service serves what is in it at `/console`. */
export const consoleFolder = 'dist/service/console';

const browsers = ['chrome123', 'firefox120', 'safari17.5'];
const common = {
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  logLevel: 'warning',
  legalComments: 'none',
  target: browsers,
  outdir: consoleFolder,
} as const satisfies BuildOptions;

/**
 * Builds the console: a page, one style sheet, the program, and a chunk for each view. The names contain a hash of the content, so that
 * browsers may keep all but the page.
 *
 * @returns what was bundled
 */
export async function buildConsole(): Promise<Metafile['inputs']> {
  const program = await build({
    ...common,
    entryPoints: { console: 'src/console/main.tsx' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    format: 'esm',
    splitting: true,
    platform: 'browser',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  // A style sheet of a chunk would not be loaded with it, and all of them together are small.
  const sheets = globSync('src/console/**/*.css').sort((a, b) => order(a) - order(b) || a.localeCompare(b));
  const styles = await build({
    ...common,
    stdin: {
      contents: ['uplot/dist/uPlot.min.css', ...sheets.map(file => `./${relative('.', file).replaceAll('\\', '/')}`)]
        .map(file => `@import ${JSON.stringify(file)};`)
        .join('\n'),
      loader: 'css',
      resolveDir: resolve('.'),
    },
  });
  rmSync(consoleFolder, { recursive: true, force: true });
  mkdirSync(consoleFolder, { recursive: true });
  for (const { path, contents } of program.outputFiles) writeFileSync(path, contents);
  const style = styles.outputFiles[0]?.contents ?? new Uint8Array();
  const hash = createHash('sha256').update(style).digest('hex').slice(0, 8).toUpperCase();
  const styleName = `console-${hash}.css`;
  writeFileSync(join(consoleFolder, styleName), style);
  const programName = Object.entries(program.metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint === 'src/console/main.tsx',
  )?.[0];
  const page = readFileSync('src/console/index.html', 'utf8')
    .replace('{{styles}}', styleName)
    .replace('{{program}}', basename(programName ?? ''));
  writeFileSync(join(consoleFolder, 'index.html'), page);
  return { ...program.metafile.inputs, ...styles.metafile.inputs };
}

/** The general before the special. */
function order(file: string): number {
  return basename(dirname(file)) === 'styles' ? ['base.css', 'kit.css', 'shell.css'].indexOf(basename(file)) : 3;
}

// By itself: only the console, while one works on it.
if (process.argv[1] === import.meta.filename) await buildConsole();
