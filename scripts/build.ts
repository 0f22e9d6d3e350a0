import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, transform } from 'esbuild';
import { type Route, routes } from '../src/wire/routes.ts';
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
 * Leaves out the parts of undici that never run here, for the size of the backend module: HTTP/2, bodies of `fetch`, the second build
 * of its parser, and all but two of the parser's tables. It also corrects how undici reads a 100.
 */
const undiciParts: Plugin = {
  name: 'undici-parts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/](dispatcher[\\/]client-h2|web[\\/]fetch[\\/]body)\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('This part of undici is left out.'); };`,
    }));
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/ }, ({ path }) => ({
      contents: `module.exports = require('./llhttp-wasm.js');`,
      resolveDir: dirname(path),
    }));
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]constants\.js$/ }, ({ path }) => {
      const { ERROR, TYPE } = createRequire(path)(path);
      return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })};` };
    });
    // A 100 that nobody asked for is another interim response (RFC 9110, section 15.2), and no reason to close the connection.
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client-h1\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(/^ {4}if \(statusCode === 100\) \{[\s\S]*?^ {4}\}$/m, '');
      if (contents === source) throw new Error(`The branch for status 100 is not where it was: ${path}`);
      return { contents };
    });
  },
};

/**
 * Leaves out the parts of prom-client that never run here: summaries, the push gateway, clusters, and OpenTelemetry, which it uses for
 * exemplars that its text format does not show.
 */
const promClientParts: Plugin = {
  name: 'prom-client-parts',
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /[\\/]prom-client[\\/]lib[\\/](summary|pushgateway|cluster)\.js$/ }, () => ({
      contents: `module.exports = class { constructor() { throw new Error('This part of prom-client is left out.'); } };`,
    }));
    onResolve({ filter: /^@opentelemetry\/api$/ }, ({ path, importer }) =>
      /[\\/]prom-client[\\/]/.test(importer) ? { path, namespace: 'prom-client-left-out' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'prom-client-left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * Bundles the client of ws without its server and without the optional native packages, and without what never runs here: compression,
 * which is off, redirects, and the interface of browsers.
 */
const wsClient: Plugin = {
  name: 'ws-client',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ws$/ }, ({ path }) => ({ path, namespace: 'ws-client' }));
    onLoad({ filter: /.*/, namespace: 'ws-client' }, () => ({
      contents: `export { default as WebSocket } from './lib/websocket.js';`,
      resolveDir: resolve('node_modules/ws'),
    }));
    const leftOut: Readonly<Record<string, string>> = {
      'permessage-deflate': `module.exports = class { static extensionName = 'permessage-deflate'; };`,
      extension: `exports.parse = exports.format = () => { throw new Error('Extensions of WebSockets are left out.'); };`,
      'event-target': `const none = () => { throw new Error('This interface of ws is left out.'); };
        exports.EventTarget = { addEventListener: none, removeEventListener: none };`,
    };
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/](permessage-deflate|extension|event-target)\.js$/ }, ({ path }) => ({
      contents: leftOut[basename(path, '.js')] ?? '',
    }));
    // Node.js checks UTF-8 itself. Characters of tokens are in extensions and in a server's subprotocols only.
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/]validation\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(/^const tokenChars = \[[^\]]*\];$/m, 'const tokenChars = [];')
        .replace(/^function _isValidUTF8\(buf\) \{[\s\S]*?^\}$/m, 'const _isValidUTF8 = isUtf8;'),
    }));
    // The browser's interface (constants and handlers as properties of each socket), and redirects, which are not followed.
    onLoad({ filter: /[\\/]ws[\\/]lib[\\/]websocket\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replaceAll(/^Object\.defineProperty\(WebSocket\.prototype, '[A-Z]+', \{[\s\S]*?^\}\);$/gm, '')
        .replace(/^\[\n {2}'binaryType',[\s\S]*?(?=^module\.exports)/m, '')
        .replace(/^ {2}if \(opts\.followRedirects\) \{[\s\S]*?^ {2}\} else (?=\{)/m, ''),
    }));
    onResolve({ filter: /^(bufferutil|utf-8-validate)$/ }, ({ path }) => ({ path, namespace: 'ws-native' }));
    onLoad({ filter: /.*/, namespace: 'ws-native' }, () => ({
      contents: `throw new Error('Optional native packages are not used.');`,
    }));
  },
};

/**
 * Writes the table of routes as one text, with what clients read of it: the routes that the client or the backend module names, without
 * the credentials of players, and without what the table is put together from.
 */
const routesOfClients: Plugin = {
  name: 'routes-of-clients',
  setup({ onLoad }) {
    const table = resolve('src/wire/routes.ts');
    const files = ['sdk', 'backend', 'wire'].flatMap(layer => globSync(`src/${layer}/**/*.ts`));
    const calling = files.filter(file => resolve(file) !== table).map(file => readFileSync(file, 'utf8'));
    const called = Object.entries<Route>(routes).filter(([name]) => calling.some(text => text.includes(`'${name}'`)));
    const rows = called.map(([name, { method, path, credentials, body, exempt }]) => {
      const isPlayers = credentials.every(one => one.startsWith('user:') || one === 'session');
      return [name, method, path, isPlayers ? '' : credentials.join(), body === 'form' ? body : '', exempt ? 1 : ''];
    });
    const text = rows.map(row => row.join(' ').trimEnd()).join('\n');
    const written = `export const routes = Object.fromEntries(${JSON.stringify(text)}.split('\\n').map(row => {
      const [name, method, path, credentials, body, exempt] = row.split(' ');
      return [name, { method, path, credentials: credentials?.split(','), body, exempt: exempt === '1' }];
    }));`;
    onLoad({ filter: /[\\/]wire[\\/]routes\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replace(/^const [\s\S]*?^\} as const.*;$/m, () => written),
    }));
  },
};

/**
 * Turns `require` of Node's own modules, in bundled CommonJS, into imports: an ES module has no `require`, and neither has the bundle
 * that a game makes of it.
 */
const builtinsImported: Plugin = {
  name: 'builtins-imported',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'required' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `import builtin from ${JSON.stringify(`node:${path.replace('node:', '')}`)};\nmodule.exports = builtin;`,
    }));
  },
};

const sdk = await build({
  ...common,
  entryPoints: { ...sdkEntries, ...shared },
  outdir: 'dist/esm',
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: 'linked',
  plugins: [undiciParts, wsClient, routesOfClients, builtinsImported],
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

/**
 * Reads only those exports of Node's own modules that are used. An `import` reads all of them, and reading some loads whole parts of
 * Node: measured, the cold start then takes 2.2 times as long as an empty HTTP server instead of 1.8 (goal: 2).
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
 * Makes every part of the service that is loaded lazily import all of the service, which is loaded by then, and every part of the
 * command all of the command. Otherwise esbuild makes a chunk for each set of files that lazy parts share, and every start looks up 29
 * more files. Measured, in times of an empty HTTP server (goal: 2): for the 23 of the service a start takes 2.1 instead of 1.8, for
 * the 6 of the command it uses 2.2 times the CPU instead of 2.0.
 */
const lazyPartsImportWhole: Plugin = {
  name: 'lazy-parts-import-whole',
  setup({ onResolve, onLoad }) {
    const lazy = new Set<string>();
    const wholes = new Map([
      [resolve('src/service') + sep, resolve('src/service/service.ts')],
      [resolve('src/cli') + sep, resolve('src/cli/rallypoint.ts')],
    ]);
    const isWhole = (file: string) => [...wholes.values()].includes(file);
    onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      if (kind === 'dynamic-import') lazy.add(file);
      // Without this esbuild drops an import of which nothing is used, because package.json declares no side effects.
      return isWhole(file) ? { path: file, sideEffects: true } : undefined;
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const whole = [...wholes].find(([folder]) => path.startsWith(folder))?.[1];
      if (whole === undefined || isWhole(path) || !lazy.has(path)) return undefined;
      return { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(whole)};\n`, loader: 'ts' };
    });
  },
};

const service = await build({
  ...common,
  entryPoints: { service: 'src/service/index.ts', cli: 'src/cli/main.ts' },
  outdir: 'dist/service',
  chunkNames: '[name]-[hash]',
  minifyWhitespace: true,
  // Node.js quotes the line of an error that nobody catches.
  lineLimit: 200,
  plugins: [undiciParts, promClientParts, sdkAsBuilt, builtinsUnread, lazyPartsImportWhole],
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
