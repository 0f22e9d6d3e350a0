import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, transform } from 'esbuild';
import { shownDeclarations } from './declarations.ts';

/**
 * Builds the package into dist/:
 *
 * - esm/      the client, the backend module and the model: one file for each entry point, and chunks for what they share
 * - cjs/      the same files as CommonJS, and a file that requires the service
 * - service/  the service and the command; they take from esm/ what they share with it
 * - types/    declarations of what the entry points show
 *
 * What is in native/ is built by scripts/build-native.ts, into dist/native/.
 */
const root = dirname(import.meta.dirname);
process.chdir(root);

// esbuild has printed its own messages by then; a stack behind them would hide what they say.
process.on('uncaughtException', error => {
  if (!('errors' in error && 'warnings' in error)) console.error(error);
  process.exit(1);
});
for (const entry of existsSync('dist') ? readdirSync('dist') : []) {
  // What scripts/build-native.ts made, maybe on other machines, stays.
  if (entry !== 'native') rmSync(join('dist', entry), { recursive: true, force: true });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;

// What the package depends on stays outside; all else that is imported goes in.
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

/** Entry points by the name of their file in dist/: what they are made of. */
const sdkEntries = {
  index: 'src/sdk/index.ts',
  electron: 'src/sdk/electron/index.ts',
  backend: 'src/backend/index.ts',
  model: 'src/model/index.ts',
};

/** No entry point: of the classes of errors there is one copy, wherever they are thrown. */
const shared = { errors: 'src/model/errors/errors.ts' };

/**
 * Leaves out of undici what never runs here: HTTP/2, bodies of `fetch`, its parser a second time, and the tables of that
 * parser but two.
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
  },
};

/**
 * Leaves out of prom-client what never runs here: summaries with what they need, the gateway for pushing, clusters, and
 * OpenTelemetry, which it would ask for examples that its text format does not show.
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

/** Takes of ws the side that connects, without its server and without the native packages that it would look for. */
const wsClient: Plugin = {
  name: 'ws-client',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ws$/ }, ({ path }) => ({ path, namespace: 'ws-client' }));
    onLoad({ filter: /.*/, namespace: 'ws-client' }, () => ({
      contents: `export { default as WebSocket } from './lib/websocket.js';`,
      resolveDir: resolve('node_modules/ws'),
    }));
    onResolve({ filter: /^(bufferutil|utf-8-validate)$/ }, ({ path }) => ({ path, namespace: 'ws-native' }));
    onLoad({ filter: /.*/, namespace: 'ws-native' }, () => ({ contents: `throw new Error('It is not looked for.');` }));
  },
};

/**
 * Makes imports of the calls by which bundled CommonJS takes Node's own modules: an ES module has no `require`, nor has what
 * a game's bundler makes of it.
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

/**
 * Lets every part of a module that is loaded late import the module as a whole. That is there by then, so it costs nothing;
 * but without it esbuild gives every choice that late parts make among the module's files a chunk of its own, and each
 * chunk is a file to look up at every start.
 */
function lateImportsWhole(folder: string, entry: string): Plugin {
  const late = new Set<string>();
  const inside = resolve(folder) + sep;
  const whole = resolve(entry);
  return {
    name: 'late-imports-whole',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        if (kind === 'dynamic-import') late.add(file);
        // Otherwise package.json's word counts, that nothing need be imported for what it does.
        return file === whole ? { path: file, sideEffects: true } : undefined;
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!path.startsWith(inside) || path === whole || !late.has(path)) return undefined;
        return { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(whole)};\n`, loader: 'ts' };
      });
    },
  };
}

const sdk = await build({
  ...common,
  entryPoints: { ...sdkEntries, ...shared },
  outdir: 'dist/esm',
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: 'linked',
  plugins: [undiciParts, wsClient, builtinsImported],
});
const checkNode = await build({ ...common, entryPoints: ['bin/check-node.js'], outdir: 'dist/esm' });
for (const file of [...checkNode.outputFiles, ...sdk.outputFiles].filter(({ path }) => path.endsWith('.js'))) {
  const { text, map } = published(file, sdk.outputFiles);
  write(file.path, text);
  if (map !== undefined) write(`${file.path}.map`, map);
  write(file.path.replace(`${sep}esm${sep}`, `${sep}cjs${sep}`), await asCommonJs(text));
}
write('dist/cjs/package.json', '{ "type": "commonjs" }\n');

/** What the service and the command do not bundle, and where it is for them. */
const asBuilt: Readonly<Record<string, string>> = {
  [resolve(shared.errors)]: '../esm/errors.js',
  [resolve(sdkEntries.backend)]: '../esm/backend.js',
  [resolve('src/sdk/redirect/doctor/doctor.ts')]: '../esm/index.js',
};
const sdkAsBuilt: Plugin = {
  name: 'sdk-as-built',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
      const built = asBuilt[resolve(resolveDir, path)];
      return built === undefined ? undefined : { path: built, external: true };
    });
  },
};

/**
 * Takes of Node's own modules what is imported and nothing else. A real `import` of one reads every export it has, and
 * many load whole parts of Node only because they were read.
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

const service = await build({
  ...common,
  entryPoints: { service: 'src/service/index.ts', cli: 'src/cli/main.ts' },
  outdir: 'dist/service',
  chunkNames: '[name]-[hash]',
  minifyWhitespace: true,
  plugins: [
    undiciParts,
    promClientParts,
    sdkAsBuilt,
    builtinsUnread,
    lateImportsWhole('src/service', 'src/service/service.ts'),
  ],
  banner: {
    // The CommonJS packages in it call `require` for Node's own modules.
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
for (const file of service.outputFiles) {
  write(file.path, file.path.endsWith(`${sep}service.js`) ? `import '../esm/check-node.js';\n${file.text}` : file.text);
}
// A service runs where Node can require an ES module; a second copy of it would be as large as all the rest.
write('dist/cjs/service.js', `require('./check-node.js');\nmodule.exports = require('../service/service.js');\n`);

declare();
write('dist/THIRD-PARTY-LICENSES.txt', licences({ ...sdk.metafile.inputs, ...service.metafile.inputs }));
write('dist/stamp', '');

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * The file as it is published. An entry point asks first which Node runs it: a later line would come after all that it
 * imports. Maps bring their sources along; there is none where other packages' code is in the file.
 */
function published(file: OutputFile, files: readonly OutputFile[]): { readonly text: string; readonly map?: string } {
  const isEntry = Object.hasOwn(sdkEntries, relative('dist/esm', file.path).replace(/\.js$/, ''));
  // Loading a chunk has no effect of its own, so an import of nothing is removed.
  const code = file.text.replaceAll(/^import "\.[^"]*";$/gm, '').replace(/^\/\/# sourceMappingURL=.*\n/m, '');
  const text = isEntry ? `import "./check-node.js";\n${code}` : code;
  const map = JSON.parse(files.find(({ path }) => path === `${file.path}.map`)?.text ?? '{"sources":[]}') as SourceMap;
  if (map.sources.length === 0 || map.sources.some(source => source.includes('node_modules'))) return { text };
  const shown = { ...map, mappings: isEntry ? `;${map.mappings}` : map.mappings };
  return { text: `${text}//# sourceMappingURL=${basename(file.path)}.map\n`, map: JSON.stringify(shown) };
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** The same file as CommonJS. Chunks stay chunks, so that two entry points still share what they have in common. */
async function asCommonJs(text: string): Promise<string> {
  const { code } = await transform(
    // An optional package is imported by a variable, which a bundler could not follow in a `require`.
    text.replace(/^\/\/# sourceMappingURL=.*$/m, '').replaceAll(/\bimport\((?!")/g, 'importByName('),
    {
      format: 'cjs',
      platform: 'node',
      target: 'node22.13',
      // CommonJS says by another name where a file is.
      define: { 'import.meta.dirname': '__dirname' },
      supported: { 'dynamic-import': false },
    },
  );
  return code.replaceAll('importByName(', 'import(');
}

/** Writes the declarations of what the entry points show: once, as CommonJS, with an ES module for each entry point. */
function declare(): void {
  const compiled = 'dist/all-types';
  const compiler = spawnSync(
    process.execPath,
    [
      'node_modules/typescript/bin/tsc',
      ...['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', compiled],
      ...['--project', 'tsconfig.build.json'],
    ],
    // Its own messages are what a reader of a failed build needs, and nothing else.
    { stdio: 'inherit' },
  );
  if (compiler.status !== 0) process.exit(1);
  const entries = [...Object.values(sdkEntries), 'src/service/index.ts'].map(declarationOf);
  for (const [file, text] of shownDeclarations(compiled, entries)) {
    // What both browsers and Node have must not depend on whose declarations a project takes.
    const globals = relative(dirname(file), 'globals.d.ts').replaceAll(sep, '/');
    write(join('dist/types', file), entries.includes(file) ? `/// <reference path="${globals}" />\n${text}` : text);
  }
  write(
    'dist/types/globals.d.ts',
    [
      ...['AbortSignal', 'Request', 'Response', 'URL'].map(name => `interface ${name} {}\n`),
      // In TypeScript's library esnext.disposable, which a project need not have.
      'interface SymbolConstructor {\n  readonly asyncDispose: unique symbol;\n}\n',
    ].join(''),
  );
  for (const entry of entries)
    write(join('dist/types', entry.replace(/\.d\.ts$/, '.d.mts')), `export * from './index.js';\n`);
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
