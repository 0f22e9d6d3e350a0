import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/** What {@link buildSample} makes. */
export interface BuiltFiles {
  /** Electron's entry. */
  readonly main: string;
  readonly preload: string;
  /** A folder. */
  readonly pages: string;
  /** The page side of the stand-in. */
  readonly hostPage: string;
}

export function builtFilesIn(folder: string): BuiltFiles {
  return {
    main: join(folder, 'main.js'),
    preload: join(folder, 'preload.cjs'),
    pages: join(folder, 'pages'),
    hostPage: join(folder, 'host-page.js'),
  };
}

/** Where the sample is built to unless somebody says otherwise. */
export const builtFolder: string = join(import.meta.dirname, 'dist');

/**
 * Bundles what runs in Electron: the main process (ESM; packages stay outside), the preload script (CommonJS, which is
 * all that a sandboxed one can be) and the pages; beside them the page side of the stand-in.
 */
export async function buildSample(folder: string = builtFolder): Promise<BuiltFiles> {
  const files = builtFilesIn(folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(files.pages, { recursive: true });
  const bundle = (entry: string, outfile: string, options: BuildOptions = {}) =>
    build({
      absWorkingDir: import.meta.dirname,
      entryPoints: [entry],
      outfile,
      bundle: true,
      logLevel: 'warning',
      ...options,
    });
  await Promise.all([
    bundle('main/electron.ts', files.main, { platform: 'node', format: 'esm', packages: 'external' }),
    bundle('preload.ts', files.preload, { platform: 'node', format: 'cjs', external: ['electron'] }),
    bundle('renderer/main.ts', join(files.pages, 'main.js'), { format: 'esm' }),
    bundle('renderer/style.css', join(files.pages, 'style.css')),
    bundle('host/page.ts', files.hostPage, { format: 'iife' }),
  ]);
  for (const name of ['index.html', 'icon.svg']) {
    copyFileSync(join(import.meta.dirname, 'renderer', name), join(files.pages, name));
  }
  return files;
}

if (import.meta.main) await buildSample();
