import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/runs/parts.ts';
import { type Ended, installOffline, neededPackages, openProject, pack, root, run } from './project.ts';
import { openWorld, toldByGame, toldByModel, withoutExperiments } from './story.ts';

/** What the repository has to bundle with; `npm run test:package` adds webpack, Electron's packagers and more. */
const esbuild = join(root, 'node_modules', '.bin', 'esbuild');
const vite = join(root, 'node_modules', '.bin', 'vite');

const native = await needs('addon', 'forwarder');
const project = openProject({ type: 'module' });
let world: Awaited<ReturnType<typeof openWorld>>;

beforeAll(async () => {
  await installOffline(project, await pack(project.path), neededPackages);
  project.write('node_modules/electron/package.json', '{ "name": "electron", "main": "index.js" }');
  project.write('node_modules/electron/index.js', 'exports.app = { whenReady: async () => {} };');
  world = await openWorld();
}, 120_000);
afterAll(async () => {
  await world.close();
  project.remove();
});

const bundles: Readonly<Record<string, (program: string, folder: string) => Promise<Ended>>> = {
  'esbuild, to an ES module': (program, folder) => byEsbuild(program, join(folder, 'main.mjs'), 'esm'),
  'esbuild, to CommonJS': (program, folder) => byEsbuild(program, join(folder, 'main.cjs'), 'cjs'),
  'vite, to an ES module': (program, folder) => byVite(program, folder, 'es'),
  'vite, to CommonJS': (program, folder) => byVite(program, folder, 'cjs'),
};

describe.each(Object.entries(bundles))('a game bundled by %s', (title, bundle) => {
  const folder = join('dist', title.replace(/\W+/g, '-'));

  it('is built without a warning, signs in, and looks for the native files where the package is installed', async () => {
    expectQuiet(await bundle('game.js', folder));
    const { forwarder, keychain } = toldByGame(await play(main(folder)));
    expect(forwarder).toContain(join('node_modules', '@rallypoint', 'sdk', 'dist', 'native'));
    expect(keychain).toMatch(/^keychain_missing: keytar cannot be loaded: it is not installed for/);
  });

  it.skipIf(native.missing)(`finds addon and forwarder there${native.note}`, async () => {
    expectQuiet(await bundle('game.js', folder));
    const { addon, forwarder } = toldByGame(await play(main(folder)));
    expect(addon).toBe('The native addon is loaded.');
    expect(forwarder).toMatch(/^The forwarder is /);
  });

  it('says where it looked when the native files did not come along', async () => {
    expectQuiet(await bundle('game.js', folder));
    const alone = openProject({ type: 'module' });
    mkdirSync(join(alone.path, 'dist'));
    renameSync(join(project.path, folder), join(alone.path, 'dist', 'game'));
    const ended = await play(main(join(alone.path, 'dist', 'game')));
    alone.remove();
    const { forwarder } = toldByGame(ended);
    expect(forwarder).toContain(join(alone.path, 'dist', 'game'));
    expect(forwarder).toContain('docs/packaging.md');
  });

  it('runs in Electron’s main process too, with Electron alone left out', async () => {
    expectQuiet(await bundle('electron-main.js', folder));
    toldByGame(await play(main(folder)));
  });

  it('has a server that is bundled the same way', async () => {
    expectQuiet(await bundle('server.js', folder));
    const { stdout, stderr } = await play(main(folder));
    expect({ stdout, stderr: withoutExperiments(stderr) }).toEqual({ stdout: '{"members":1}\n', stderr: '' });
  });
});

describe('the model in a browser', () => {
  it.each(['esbuild', 'vite'])('is bundled by %s without any module of Node, and runs', async bundler => {
    const outfile = join(project.path, 'page', 'main.js');
    const ended =
      bundler === 'esbuild'
        ? await run(esbuild, ['model.js', '--bundle', '--platform=browser', `--outfile=${outfile}`], {
            cwd: project.path,
          })
        : await byViteForBrowsers(outfile);
    expectQuiet(ended);
    const text = readFileSync(outfile, 'utf8');
    expect(text).not.toMatch(/node:|createRequire|\brequire\(|process\./);
    const page: { told?: string } = {};
    runInNewContext(text, page);
    expect(JSON.parse(page.told ?? '')).toEqual(toldByModel);
  });
});

function expectQuiet({ code, stdout, stderr }: Ended): void {
  expect({ code, warnings: `${stdout}\n${stderr}`.match(/^.*(warn|error).*$/gim) }).toEqual({
    code: 0,
    warnings: null,
  });
}

function play(program: string): Promise<Ended> {
  return run(process.execPath, [program], { cwd: '/', env: world.env });
}

function main(folder: string): string {
  const inProject = resolve(project.path, folder);
  return join(inProject, existsSync(join(inProject, 'main.mjs')) ? 'main.mjs' : 'main.cjs');
}

// As its documentation says for Node; Electron is the one module that only Electron can resolve.
function byEsbuild(program: string, outfile: string, format: 'esm' | 'cjs'): Promise<Ended> {
  const args = [program, '--bundle', '--platform=node', `--format=${format}`, '--external:electron'];
  return run(esbuild, [...args, `--outfile=${outfile}`], { cwd: project.path });
}

// Without noExternal, vite leaves packages where they are and there is nothing to try.
function byVite(program: string, outDir: string, format: 'es' | 'cjs'): Promise<Ended> {
  const entryFileNames = format === 'es' ? 'main.mjs' : 'main.cjs';
  const output = { format, entryFileNames };
  const config = {
    ssr: { noExternal: true, external: ['electron'] },
    build: { ssr: program, outDir, rollupOptions: { output } },
  };
  project.write('vite.config.js', `export default ${JSON.stringify(config)};`);
  return run(vite, ['build'], { cwd: project.path });
}

function byViteForBrowsers(outfile: string): Promise<Ended> {
  const lib = { entry: 'model.js', formats: ['iife'], name: 'page', fileName: 'main' };
  const config = {
    build: { lib, outDir: join(outfile, '..'), rollupOptions: { output: { entryFileNames: 'main.js' } } },
  };
  project.write('vite.config.js', `export default ${JSON.stringify(config)};`);
  return run(vite, ['build'], { cwd: project.path });
}
