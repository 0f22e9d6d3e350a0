import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { openProject, type Project, run } from '../project.ts';
import { toldByGame } from '../story.ts';
import { type Bench, expectGood, openInstalled, play, type Row } from './matrix.ts';

const electronVersion = '45.4.1';
const system = `${process.platform}-${process.arch}`;
const guide = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'packaging.md'), 'utf8');
const about = { name: 'starfall', description: 'A game', author: 'Nobody' };

/**
 * The recipes of docs/packaging.md, each followed to the packed application. Electron's own program is a stand-in here: what
 * was packed is run by Node, with the archive unpacked into the folder that Electron shows it as.
 */
export const packagerRows: readonly Row[] = [
  {
    group: 'package',
    name: 'electron-builder, packages left out of the bundle: native files are unpacked by themselves',
    async run(bench) {
      const fields = { ...about, main: 'electron-main.js', build: recipe('electron-builder, with packages') };
      const project = await openGame(bench, { ...fields, dependencies: { '@rallypoint/sdk': '*', rxjs: '7.8.2' } });
      const resources = await buildByElectronBuilder(bench, project);
      const unpacked = join('app.asar.unpacked', 'node_modules', '@rallypoint', 'sdk', 'dist', 'native', system);
      await expectPacked(bench, resources, 'electron-main.js', unpacked, /^keychain_no_bus: /);
      project.remove();
      return undefined;
    },
  },
  {
    group: 'package',
    name: 'electron-builder, everything bundled by esbuild: native files lie in the resources',
    async run(bench) {
      const fields = { ...about, main: 'dist/main.js', build: recipe('electron-builder, bundled') };
      const project = await openGame(bench, { ...fields, devDependencies: { '@rallypoint/sdk': '*', rxjs: '7.8.2' } });
      const args = ['electron-main.js', '--bundle', '--platform=node', '--format=esm', '--external:electron'];
      const esbuild = bench.tools.file('.bin/esbuild');
      expectGood(await run(esbuild, [...args, '--outfile=dist/main.js'], { cwd: project.path }));
      const resources = await buildByElectronBuilder(bench, project);
      // No package is packed: the keychain libraries are not, and the game is told so.
      await expectPacked(
        bench,
        resources,
        'dist/main.js',
        join('native', system),
        /^keychain_missing: .*not installed/,
      );
      project.remove();
      return undefined;
    },
  },
  {
    group: 'package',
    name: 'electron-vite and electron-builder: packages are left out of the bundle',
    async run(bench) {
      const fields = { ...about, main: 'out/main/electron-main.js', build: recipe('electron-builder, with packages') };
      const project = await openGame(bench, {
        ...fields,
        dependencies: { '@rallypoint/sdk': '*', rxjs: '7.8.2' },
        devDependencies: { electron: electronVersion },
      });
      project.write('electron.vite.config.mjs', code('electron-vite'));
      expectGood(await bench.tools.run('electron-vite/bin/electron-vite.js', ['build'], { cwd: project.path }));
      const resources = await buildByElectronBuilder(bench, project);
      const unpacked = join('app.asar.unpacked', 'node_modules', '@rallypoint', 'sdk', 'dist', 'native', system);
      await expectPacked(bench, resources, 'out/main/electron-main.js', unpacked, /^keychain_no_bus: /);
      project.remove();
      return undefined;
    },
  },
  {
    group: 'package',
    name: 'Electron Forge with its Vite plugin: everything bundled, native files lie in the resources',
    async run(bench) {
      const project = await openGame(bench, {
        ...about,
        main: '.vite/build/electron-main.cjs',
        dependencies: { '@rallypoint/sdk': '*', rxjs: '7.8.2' },
        devDependencies: {
          ...{ '@electron-forge/cli': '8.0.1', '@electron-forge/plugin-vite': '8.0.1' },
          ...{ electron: electronVersion, vite: '8.3.8' },
        },
      });
      project.write('vite.main.config.js', 'export default {};');
      // Where the packager finds Electron is the one thing that a user has not to say.
      const zips = await zipStandIn(project);
      project.write('recipe.config.js', code('Electron Forge'));
      project.write(
        'forge.config.js',
        `import recipe from './recipe.config.js';
         export default { ...recipe, packagerConfig: { ...recipe.packagerConfig, electronZipDir: ${JSON.stringify(zips)} } };`,
      );
      const forge = join('node_modules', '@electron-forge', 'cli', 'dist', 'electron-forge.js');
      expectGood(await run(process.execPath, [forge, 'package'], { cwd: project.path }));
      const resources = join(project.path, 'out', `starfall-${system}`, 'resources');
      const main = '.vite/build/electron-main.cjs';
      await expectPacked(bench, resources, main, join('native', system), /^keychain_missing: .*not installed/);
      project.remove();
      return undefined;
    },
  },
];

/** A block of code in the guide, by the heading that it stands under. */
function code(heading: string): string {
  const [, text] = new RegExp(`^##+ ${heading}$[^]*?^\`\`\`\\w+\\n([^]*?)^\`\`\``, 'm').exec(guide) ?? [];
  if (text === undefined) throw new Error(`docs/packaging.md has no code under "${heading}".`);
  return text;
}

function recipe(heading: string): unknown {
  return (JSON.parse(code(heading)) as { build: unknown }).build;
}

function openGame(bench: Bench, fields: Readonly<Record<string, unknown>>): Promise<Project> {
  return openInstalled(bench, fields);
}

/** A folder like that of Electron's program, with Node as the program. */
function standIn(project: Project): string {
  const folder = join(project.path, 'stand-in');
  mkdirSync(join(folder, 'resources'), { recursive: true });
  copyFileSync(process.execPath, join(folder, 'electron'));
  project.write(join('stand-in', 'version'), electronVersion);
  return folder;
}

async function buildByElectronBuilder({ tools }: Bench, project: Project): Promise<string> {
  const given = [`-c.electronDist=${standIn(project)}`, `-c.electronVersion=${electronVersion}`];
  expectGood(await tools.run('electron-builder/cli.js', ['--dir', '--linux', ...given], { cwd: project.path }));
  return join(project.path, 'release', 'linux-unpacked', 'resources');
}

async function zipStandIn(project: Project): Promise<string> {
  project.write(join('zip', 'electron'), '#!/bin/sh\n');
  chmodSync(join(project.path, 'zip', 'electron'), 0o755);
  project.write(join('zip', 'version'), electronVersion);
  mkdirSync(join(project.path, 'zip', 'resources'));
  const folder = join(project.path, 'zips');
  mkdirSync(folder);
  const name = join(folder, `electron-v${electronVersion}-${system}.zip`);
  const program = `import sys, shutil; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])`;
  expectGood(await run('python3', ['-c', program, name.replace(/\.zip$/, ''), 'zip'], { cwd: project.path }));
  return folder;
}

/** Runs what was packed, and looks where it found its native files and how it fared with the keychain libraries. */
async function expectPacked(bench: Bench, resources: string, main: string, native: string, keychain: RegExp) {
  const forwarder = join(resources, native, 'rallypoint-forwarder');
  assert.ok(existsSync(forwarder), `${forwarder} is missing`);
  assert.ok((statSync(forwarder).mode & 0o111) !== 0, `${forwarder} cannot be executed`);
  const shown = openProject();
  const as = join(shown.path, 'resources');
  for (const part of ['app.asar.unpacked', 'native']) {
    if (existsSync(join(resources, part))) cpSync(join(resources, part), join(as, part), { recursive: true });
  }
  const asar = bench.tools.file('@electron/asar/bin/asar.mjs');
  expectGood(
    await run(process.execPath, [asar, 'extract', join(resources, 'app.asar'), join(as, 'app.asar')], { cwd: '/' }),
  );
  shown.write('electron.cjs', 'exports.app = { whenReady: async () => {} };');
  const stub = shown.write(
    'stand-in.mjs',
    `import { registerHooks } from 'node:module';
     process.resourcesPath = ${JSON.stringify(as)};
     const url = new URL('electron.cjs', import.meta.url).href;
     registerHooks({ resolve: (name, context, next) => name === 'electron' ? { url, shortCircuit: true } : next(name, context) });`,
  );
  const program = join(as, 'app.asar', ...main.split('/'));
  const told = toldByGame(await play(bench, program, process.execPath, ['--import', stub]));
  assert.equal(told.addon, 'The native addon is loaded.');
  assert.equal(told.forwarder, `The forwarder is ${join(as, native)}${sep}rallypoint-forwarder.`);
  assert.match(told.keychain, keychain);
  shown.remove();
}
