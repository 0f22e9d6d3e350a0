import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/**
 * Builds the package into dist/:
 *
 * - esm/    one bundle a door, with what they share in chunks of its own
 * - cli/    the command
 * - cjs/    the same as CommonJS, file by file: bundles cannot share there, and two doors must not each carry a copy
 *           of the error classes
 * - types/  declarations for ESM; types-cjs/ the same for CommonJS
 *
 * What is in native/ is built by scripts/build-native.ts, into dist/native/.
 */
const root = dirname(import.meta.dirname);
process.chdir(root);
for (const entry of existsSync('dist') ? readdirSync('dist') : []) {
  // What scripts/build-native.ts made, maybe on other machines, stays.
  if (entry !== 'native') rmSync(join('dist', entry), { recursive: true, force: true });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;

// What the package depends on stays outside; all else that is imported belongs to the service and goes in.
const external = ['dependencies', 'optionalDependencies', 'peerDependencies']
  .flatMap(kind => Object.keys(manifest[kind] ?? {}))
  .concat('electron');

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node22.13',
  external,
  metafile: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  legalComments: 'none',
};

const doors = {
  index: 'src/sdk/index.ts',
  electron: 'src/sdk/electron/index.ts',
  backend: 'src/backend/index.ts',
  service: 'src/service/index.ts',
  model: 'src/model/index.ts',
};

/**
 * Takes of Node's own modules what is imported and nothing else. A real `import` of one reads every export it has, and so
 * does a copy of it made for CommonJS; but many load whole parts of Node only because they were read.
 */
const builtinsUnread: Plugin = {
  name: 'builtins-unread',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin', sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter(name => name !== 'default');
      const exports = names.map(name => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`);
      const builtin = `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`;
      return { contents: [builtin, 'export default builtin;', ...exports].join('\n') };
    });
  },
};

/**
 * Lets every part of a room that is loaded late import the room as a whole, by the entry that is given for its folder. The
 * room is there by then, so it costs nothing; but without it esbuild gives every choice that late parts make among the
 * room's files a chunk of its own, and each chunk is a file to look up at every start.
 */
function roomsWhole(entries: Readonly<Record<string, string>>): Plugin {
  const late = new Set<string>();
  const rooms = new Map(Object.entries(entries).map(([folder, entry]) => [resolve(folder) + sep, resolve(entry)]));
  const entryFiles = new Set(rooms.values());
  return {
    name: 'rooms-whole',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        if (kind === 'dynamic-import') late.add(file);
        // Otherwise package.json's word counts, that nothing need be imported for what it does.
        return entryFiles.has(file) ? { path: file, sideEffects: true } : undefined;
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const entry = [...rooms].find(([folder]) => path.startsWith(folder))?.[1];
        if (entry === undefined || entry === path || !late.has(path)) return undefined;
        return { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(entry)};\n`, loader: 'ts' };
      });
    },
  };
}

// Bundled CommonJS packages call `require` for Node's own modules.
const requireBanner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

const esm = await build({
  ...common,
  entryPoints: doors,
  outdir: 'dist/esm',
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  plugins: [builtinsUnread, roomsWhole({ 'src/sdk': doors.index, 'src/service': doors.service })],
  banner: requireBanner,
});

/**
 * Parts of the command that share much with its service are built by themselves: each file that the service is spread
 * over is looked up at every start, and what they share would make it twice as many.
 */
const apart: Readonly<Record<string, string>> = {
  doctor: 'src/sdk/redirect/doctor.ts',
  'run-commands': 'src/cli/commands/run.ts',
};
const builtApart: Plugin = {
  name: 'built-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      const file = join(resolveDir, path);
      const part = Object.keys(apart).find(name => file === resolve(apart[name] ?? ''));
      return part !== undefined && kind === 'dynamic-import' ? { path: `./${part}.js`, external: true } : undefined;
    });
  },
};

for (const [name, entry] of Object.entries({ cli: 'src/cli/main.ts', ...apart })) {
  await build({
    ...common,
    entryPoints: { [name]: entry },
    outdir: 'dist/cli',
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: false,
    plugins: [builtinsUnread, builtApart, roomsWhole({ 'src/service': 'src/service/service.ts' })],
    banner: requireBanner,
  });
}

const fileByFile: Plugin = {
  name: 'file-by-file',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || importer.includes('node_modules')) return undefined;
      return { path: path.replace(/\.ts$/, '.js'), external: true };
    });
  },
};

await build({
  ...common,
  entryPoints: globSync('src/**/*.ts').filter(file => !file.startsWith(join('src', 'cli'))),
  outdir: 'dist/cjs',
  outbase: 'src',
  format: 'cjs',
  // CommonJS says by another name where a file is.
  define: { 'import.meta.dirname': '__dirname' },
  plugins: [fileByFile],
});
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');

// Its own messages are what a reader of a failed build needs, and nothing else.
const compiler = spawnSync(
  process.execPath,
  [
    'node_modules/typescript/bin/tsc',
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    '--project',
    'tsconfig.build.json',
  ],
  { stdio: 'inherit' },
);
if (compiler.status !== 0) process.exit(1);
const declarations = globSync('dist/types/**/*.d.ts');
for (const file of declarations) {
  const text = readFileSync(file, 'utf8').replace(/((?:from|import\()\s*['"]\.\.?\/[^'"]*)\.ts(['"])/g, '$1.js$2');
  writeFileSync(file, text);
  const twin = file.replace(join('dist', 'types'), join('dist', 'types-cjs'));
  mkdirSync(dirname(twin), { recursive: true });
  writeFileSync(twin, text);
}
writeFileSync('dist/types-cjs/package.json', '{ "type": "commonjs" }\n');

writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences(esm.metafile?.inputs ?? {}));
writeFileSync('dist/stamp', '');

/** The licence texts of every package that was bundled. */
function licences(inputs: Metafile['inputs']): string {
  const packages = new Set<string>();
  for (const input of Object.keys(inputs)) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (found) packages.add(found);
  }
  return [...packages].sort().map(licence).join('\n\n');
}

function licence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8') : `(${relative(root, folder)} carries no licence text)`;
  return `${name} ${version} (${license})\n${'-'.repeat(72)}\n${text.trim()}`;
}
