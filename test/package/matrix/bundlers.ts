import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { type Ended, openProject, type Project, run } from '../project.ts';
import { toldByGame, toldByModel } from '../story.ts';
import { type Bench, expectQuiet, openInstalled, play, type Row } from './matrix.ts';

type Bundle = (bench: Bench, project: Project, program: string, folder: string) => Promise<Ended>;

/** As a user calls them. Each writes `main.mjs` or `main.cjs` into the folder. */
const bundlers: Readonly<Record<string, Bundle>> = {
  'esbuild, ES module': byEsbuild('main.mjs', '--format=esm'),
  'esbuild, CommonJS, minified': byEsbuild('main.cjs', '--format=cjs', '--minify'),
  'vite, ES module': byVite('main.mjs', 'es'),
  'vite, CommonJS': byVite('main.cjs', 'cjs'),
  'webpack, node, production': byWebpack('production', 'node'),
  'webpack, electron-main, development': byWebpack('development', 'electron-main'),
};

export const bundlerRows: readonly Row[] = [
  ...Object.entries(bundlers).map(([name, bundle]) => ({
    group: 'bundle',
    name: `${name}: game, Electron’s main process and server are built quietly, run, and find what they need`,
    run: (bench: Bench) => bundleAndRun(bench, name, bundle),
  })),
  {
    group: 'bundle',
    name: 'webpack, web: the model runs without anything of Node',
    async run(bench) {
      const folder = join(bench.installed.path, 'page');
      const args = ['--mode', 'production', '--target', 'web', '--entry', './model.js', '--output-path', folder];
      expectQuiet(await bench.tools.run('webpack-cli/bin/cli.js', args, { cwd: bench.installed.path }));
      const page: { told?: string } = {};
      runInNewContext(readFileSync(join(folder, 'main.js'), 'utf8'), page);
      assert.deepEqual(JSON.parse(page.told ?? ''), toldByModel);
      return undefined;
    },
  },
];

async function bundleAndRun(bench: Bench, name: string, bundle: Bundle): Promise<undefined> {
  const project = await openInstalled(bench, { dependencies: { '@rallypoint/sdk': '*', rxjs: '7.8.2' } });
  project.write('node_modules/electron/package.json', '{ "name": "electron", "main": "index.js" }');
  project.write('node_modules/electron/index.js', 'exports.app = { whenReady: async () => {} };');
  const main = (folder: string) => join(folder, /ES module/.test(name) ? 'main.mjs' : 'main.cjs');
  for (const program of ['game.js', 'electron-main.js']) {
    expectQuiet(await bundle(bench, project, program, 'dist'));
    const { addon, forwarder, keychain } = toldByGame(await play(bench, main(join(project.path, 'dist'))));
    assert.equal(addon, 'The native addon is loaded.');
    assert.match(forwarder, /^The forwarder is .*node_modules/);
    assert.match(keychain, /^keychain_no_bus: /);
  }
  expectQuiet(await bundle(bench, project, 'server.js', 'served'));
  const served = await play(bench, main(join(project.path, 'served')));
  assert.deepEqual(served, { code: 0, stdout: '{"members":1}\n', stderr: '' });

  // Shipped without its packages, it says what is missing.
  expectQuiet(await bundle(bench, project, 'game.js', 'alone'));
  const alone = openProject({ type: 'module' });
  mkdirSync(join(alone.path, 'game'));
  renameSync(join(project.path, 'alone'), join(alone.path, 'game', 'dist'));
  const told = toldByGame(await play(bench, main(join(alone.path, 'game', 'dist'))));
  assert.match(told.forwarder, /is missing.*docs\/packaging\.md/);
  assert.ok(told.forwarder.includes(join(alone.path, 'game')), told.forwarder);
  assert.match(told.keychain, /^keychain_missing: .*is not installed/);

  // With a copy of the native files beside it, as docs/packaging.md says, it has them again.
  const native = join('node_modules', '@rallypoint', 'sdk', 'dist', 'native');
  cpSync(join(project.path, native), join(alone.path, 'game', 'dist', 'native'), { recursive: true });
  const helped = toldByGame(await play(bench, main(join(alone.path, 'game', 'dist'))));
  assert.equal(helped.addon, 'The native addon is loaded.');
  assert.ok(
    helped.forwarder.startsWith(`The forwarder is ${join(alone.path, 'game', 'dist', 'native')}`),
    helped.forwarder,
  );
  for (const { remove } of [alone, project]) remove();
  return undefined;
}

function byEsbuild(file: string, ...options: readonly string[]): Bundle {
  return ({ tools }, project, program, folder) =>
    run(
      tools.file('.bin/esbuild'),
      [program, '--bundle', '--platform=node', '--external:electron', ...options, `--outfile=${join(folder, file)}`],
      { cwd: project.path },
    );
}

function byVite(entryFileNames: string, format: string): Bundle {
  return ({ tools }, project, program, outDir) => {
    // Without noExternal packages stay where they are, and there is nothing to try.
    const config = {
      ssr: { noExternal: true, external: ['electron'] },
      build: { ssr: program, outDir, rollupOptions: { output: { format, entryFileNames } } },
    };
    project.write('vite.config.js', `export default ${JSON.stringify(config)};`);
    return tools.run('vite/bin/vite.js', ['build'], { cwd: project.path });
  };
}

function byWebpack(mode: string, target: string): Bundle {
  return ({ tools }, project, program, folder) => {
    const externals = target === 'node' ? { electron: 'commonjs electron' } : {};
    const output = { path: join(project.path, folder), filename: 'main.cjs', chunkFilename: '[id].cjs' };
    // Names of modules may have "Error" in them.
    const stats = 'errors-warnings';
    const config = { mode, target, entry: `./${program}`, externals, output, stats };
    project.write('webpack.config.cjs', `module.exports = ${JSON.stringify(config)};`);
    return tools.run('webpack-cli/bin/cli.js', ['--config', 'webpack.config.cjs'], { cwd: project.path });
  };
}
