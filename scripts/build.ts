import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, transform } from 'esbuild';
import { buildConsole } from './console.ts';
import { shownDeclarations } from './declarations.ts';

/**
 * Builds the package into dist/:
 *
 * - esm/      the client, the backend module and the model: one file for each entry point, and chunks for what they share
 * - cjs/      the same files as CommonJS, and files that require the service and the world for tests
 * - service/  the service and the command; they take from esm/ what they share with it. In its console/: what browsers load
 * - testing/  the world for tests, on top of esm/ and service/
 * - types/    declarations of what the entry points show
 *
 * What is in native/ is built by scripts/build-native.ts, into dist/native/.
 */
const root = dirname(import.meta.dirname);
process.chdir(root);

// esbuild has already printed its messages; a stack trace after them would hide them.
process.on('uncaughtException', error => {
  if (!('errors' in error && 'warnings' in error)) console.error(error);
  process.exit(1);
});
for (const entry of existsSync('dist') ? readdirSync('dist') : []) {
  // dist/native/ stays: scripts/build-native.ts made it, some of it perhaps on other machines.
  if (entry !== 'native') rmSync(join('dist', entry), { recursive: true, force: true });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;

// Dependencies of the package are not bundled; everything else is.
const external = ['dependencies', 'optionalDependencies', 'peerDependencies']
  .flatMap(kind => Object.keys(manifest[kind] ?? {}))
  .concat('electron');

const common = {
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node22.13',
  format: 'esm',
  external,
  metafile: true,
  write: false,
  logLevel: 'warning',
  legalComments: 'none',
  minifySyntax: true,
  // Optional native packages of ws, which a game need not have.
  define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
} as const satisfies BuildOptions;

/** Entry points: name of the file in dist/ → source. */
const sdkEntries = {
  index: 'src/sdk/index.ts',
  electron: 'src/sdk/electron/index.ts',
  'electron-renderer': 'src/sdk/bridge/renderer.ts',
  backend: 'src/backend/index.ts',
  fleet: 'src/backend/fleet/index.ts',
  react: 'src/react/index.ts',
  model: 'src/model/index.ts',
};

const preloadEntry = { 'electron-preload': 'src/sdk/bridge/preload.ts' };

/** Not an entry point, but a file of its own, so that there is one copy of the error classes wherever they are thrown. */
const shared = { errors: 'src/model/errors/errors.ts' };

/**
 * Has `require` of Node's own modules, in bundled CommonJS, ask the process for them: an ES module has no `require`, and neither has the
 * bundle that a game makes of it.
 */
const builtinsOfProcess: Plugin = {
  name: 'builtins-of-process',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

const sdk = await build({
  ...common,
  entryPoints: { ...sdkEntries, ...shared },
  outdir: 'dist/esm',
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: 'linked',
  plugins: [builtinsOfProcess],
});
const checkNode = await build({ ...common, entryPoints: ['bin/check-node.js'], outdir: 'dist/esm' });
// One file by itself: a preload script in a sandbox can require no other.
const preload = await build({ ...common, entryPoints: preloadEntry, splitting: false, outdir: 'dist/esm' });
for (const file of [...checkNode.outputFiles, ...preload.outputFiles, ...sdk.outputFiles].filter(({ path }) =>
  path.endsWith('.js'),
)) {
  const { text, map } = published(file, sdk.outputFiles);
  write(file.path, text);
  if (map !== undefined) write(`${file.path}.map`, map);
  write(file.path.replace(`${sep}esm${sep}`, `${sep}cjs${sep}`), await asCommonJs(text));
}
write('dist/cjs/package.json', '{ "type": "commonjs" }\n');

/** Files that the service and the command do not bundle → the built file that they import instead. */
const asBuilt: Readonly<Record<string, string>> = {
  [resolve(shared.errors)]: '../esm/errors.js',
  [resolve(sdkEntries.backend)]: '../esm/backend.js',
  [resolve('src/sdk/redirect/doctor/doctor.ts')]: '../esm/index.js',
};
const sdkAsBuilt = takenAsBuilt(asBuilt);

function takenAsBuilt(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'taken-as-built',
    setup({ onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
        const built = files[resolve(resolveDir, path)];
        return built === undefined ? undefined : { path: built, external: true };
      });
    },
  };
}

const service = await build({
  ...common,
  entryPoints: { service: 'src/service/index.ts', cli: 'src/cli/main.ts' },
  outdir: 'dist/service',
  // prom-client requires @opentelemetry/api, whether it is used or not. Tracing loads that of the host by name.
  external: external.filter(name => name !== '@opentelemetry/api'),
  chunkNames: '[name]-[hash]',
  minifyWhitespace: true,
  // Node.js quotes the line of an error that nobody catches.
  lineLimit: 200,
  plugins: [sdkAsBuilt],
  banner: {
    // The CommonJS packages in it call `require` for Node's own modules.
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
for (const file of service.outputFiles) {
  write(file.path, file.path.endsWith(`${sep}service.js`) ? `import '../esm/check-node.js';\n${file.text}` : file.text);
}
// Every supported Node can require an ES module, and a second copy of the service would be as large as everything else.
write('dist/cjs/service.js', `require('./check-node.js');\nmodule.exports = require('../service/service.js');\n`);

const consoleInputs = await buildConsole();

const testing = await build({
  ...common,
  entryPoints: { testing: 'src/testing/index.ts' },
  outdir: 'dist/testing',
  splitting: false,
  plugins: [
    takenAsBuilt({
      [resolve(shared.errors)]: '../esm/errors.js',
      [resolve(sdkEntries.index)]: '../esm/index.js',
      [resolve(sdkEntries.backend)]: '../esm/backend.js',
      [resolve('src/service/index.ts')]: '../service/service.js',
    }),
  ],
});
for (const { path, text } of testing.outputFiles) write(path, `import '../esm/check-node.js';\n${text}`);
write('dist/cjs/testing.js', `require('./check-node.js');\nmodule.exports = require('../testing/testing.js');\n`);

declare();
write(
  'dist/THIRD-PARTY-LICENSES.txt',
  licences({ ...sdk.metafile.inputs, ...service.metafile.inputs, ...consoleInputs, ...testing.metafile.inputs }),
);
write('dist/stamp', '');

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * The file as it is published. An entry point checks the version of Node in its first line, because imports run before everything
 * else. Source maps contain their sources; files with code of other packages have no map.
 */
function published(file: OutputFile, files: readonly OutputFile[]): { readonly text: string; readonly map?: string } {
  const isEntry = Object.hasOwn(sdkEntries, relative('dist/esm', file.path).replace(/\.js$/, ''));
  // esbuild keeps the order in which chunks are loaded by imports without names; loading a chunk has no effect.
  const code = file.text
    .replaceAll(/^import "\.[^"]*";$/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*\n/m, '')
    // The names of CommonJS files are whole paths, which no bundler of a game shortens.
    .replaceAll(/(__commonJS\(\{\n *)"[^"]*?(\w+)(?:\.js)?"\(/g, '$1$2(');
  const text = isEntry ? `import "./check-node.js";\n${code}` : code;
  const map = JSON.parse(files.find(({ path }) => path === `${file.path}.map`)?.text ?? '{"sources":[]}') as SourceMap;
  if (map.sources.length === 0 || map.sources.some(source => source.includes('node_modules'))) return { text };
  const shown = {
    ...map,
    mappings: isEntry ? `;${map.mappings}` : map.mappings,
  };
  return { text: `${text}//# sourceMappingURL=${basename(file.path)}.map\n`, map: JSON.stringify(shown) };
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** The same file as CommonJS. Chunks stay chunks, so that entry points still share code. */
async function asCommonJs(text: string): Promise<string> {
  const { code } = await transform(
    // An optional package is imported by a variable, which a bundler could not follow in a `require`.
    text.replace(/^\/\/# sourceMappingURL=.*$/m, '').replaceAll(/\bimport\((?!")/g, 'importByName('),
    {
      format: 'cjs',
      platform: 'node',
      target: 'node22.13',
      define: { 'import.meta.dirname': '__dirname' },
      supported: { 'dynamic-import': false },
    },
  );
  return code.replaceAll('importByName(', 'import(');
}

/** Writes the declarations of the entry points: once, as CommonJS, with an ES module for each entry point. */
function declare(): void {
  const compiled = 'dist/all-types';
  const compiler = spawnSync(
    process.execPath,
    [
      'node_modules/typescript/bin/tsc',
      ...['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', compiled],
      ...['--project', 'tsconfig.build.json'],
    ],
    // If the compiler fails, its own messages are all that a reader needs.
    { stdio: 'inherit' },
  );
  if (compiler.status !== 0) process.exit(1);
  const entries = [
    ...Object.values({ ...sdkEntries, ...preloadEntry }),
    'src/service/index.ts',
    'src/testing/index.ts',
  ].map(declarationOf);
  for (const [file, text] of shownDeclarations(compiled, entries)) {
    // These globals exist in browsers and in Node, and are declared so that a project needs neither set of declarations.
    const globals = relative(dirname(file), 'globals.d.ts').replaceAll(sep, '/');
    write(join('dist/types', file), entries.includes(file) ? `/// <reference path="${globals}" />\n${text}` : text);
  }
  write(
    'dist/types/globals.d.ts',
    [
      ...['AbortSignal', 'MessagePort', 'Request', 'Response', 'URL'].map(name => `interface ${name} {}\n`),
      // In TypeScript's library esnext.disposable, which a project need not have.
      'interface SymbolConstructor {\n  readonly asyncDispose: unique symbol;\n}\n',
    ].join(''),
  );
  for (const entry of entries)
    write(
      join('dist/types', entry.replace(/\.d\.ts$/, '.d.mts')),
      `export * from './${basename(entry, '.d.ts')}.js';\n`,
    );
  write('dist/types/package.json', '{ "type": "commonjs" }\n');
  rmSync(compiled, { recursive: true });
}

function declarationOf(source: string): string {
  return relative('src', source).replace(/\.ts$/, '.d.ts');
}

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
