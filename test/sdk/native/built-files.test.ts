import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whereToPut } from '../../../src/sdk/native/built-files.ts';
import { whyOpenDrive } from '../../../src/sdk/native/running-code.ts';
import { builtForwarder, root } from '../../native/built.ts';
import { needs } from '../../support/runs/parts.ts';

const run = promisify(execFile);
const system = `${process.platform}-${process.arch}`;
const otherUser = 12_345;
const [native, asRoot] = [await needs('addon', 'forwarder'), await needs('root')];

/** A game in a folder of its own, bundled as games are: no file of the package is where it was. */
let game: string;

beforeEach(() => {
  game = realpathSync(mkdtempSync(join(tmpdir(), 'rallypoint-game-')));
});
afterEach(() => rmSync(game, { recursive: true, force: true }));

interface Answer {
  readonly native: { readonly addon?: unknown; readonly missing?: readonly string[] };
  readonly forwarder: { readonly path?: string; readonly missing?: readonly string[] };
  readonly keytar: unknown;
}

describe.each(['cjs', 'esm'] as const)('a game bundled as %s, without built files', format => {
  it('lists each place that was searched, and what to do', async () => {
    const program = await bundle('dist', format);
    const { native, forwarder } = await ask(program);
    expect(forwarder.missing).toEqual([
      expect.stringContaining(`${join(game, 'dist', 'native', system, 'rallypoint-forwarder')}: ENOENT`),
      expect.stringContaining(`${join(game, 'native', system, 'rallypoint-forwarder')}: ENOENT`),
      `@rallypoint/sdk is not installed for ${join(game, 'dist')}.`,
      whereToPut,
    ]);
    expect(native.missing).toHaveLength(4);
  });

  it('says that a named folder must be absolute, because the current one may be anybody’s', async () => {
    const program = await bundle('dist', format);
    const { native } = await ask(program, { env: { RALLYPOINT_NATIVE: 'here' } });
    expect(native.missing?.[0]).toContain('RALLYPOINT_NATIVE must be an absolute path (got "here")');
  });

  it('names the places in Electron’s resources too', async () => {
    const program = await bundle('dist', format);
    const { native } = await ask(program, { resources: '/opt/game/resources' });
    const places = native.missing?.map(line => line.split(': ')[0]);
    expect(places?.slice(0, 2)).toEqual([
      `/opt/game/resources/native/${system}/rallypoint.node`,
      `/opt/game/resources/app.asar.unpacked/node_modules/@rallypoint/sdk/dist/native/${system}/rallypoint.node`,
    ]);
  });

  it('says that keytar is not installed, and where it was searched for', async () => {
    const program = await bundle('dist', format);
    const { keytar } = await ask(program);
    expect(keytar).toBe(`it is not installed for ${join(game, 'dist')}`);
  });
});

describe.skipIf(native.missing).each(['cjs', 'esm'] as const)(`a game bundled as %s${native.note}`, format => {
  it('finds the built files beside itself', async () => {
    const program = await bundle('dist', format);
    await place(join('dist', 'native', system));
    await expectFound(await ask(program), join('dist', 'native', system));
  });

  it('finds them beside the folder of its parts', async () => {
    const program = await bundle(join('dist', 'assets'), format);
    await place(join('dist', 'native', system));
    await expectFound(await ask(program), join('dist', 'native', system));
  });

  it('finds them in the package that is installed where it runs', async () => {
    const program = await bundle('dist', format);
    const inPackage = await install();
    await expectFound(await ask(program), inPackage);
  });

  it('finds them in Electron’s resources, as a packager puts them there', async () => {
    const program = await bundle(join('resources', 'app'), format);
    const folder = join('resources', 'native', system);
    await place(folder);
    await expectFound(await ask(program, { resources: join(game, 'resources') }), folder);
  });

  it('finds them unpacked from the archive that Electron shows as a folder', async () => {
    // The archive is a folder here: what Node cannot read of it is not asked for.
    const program = await bundle(join('resources', 'app.asar', 'dist'), format);
    await install(join('resources', 'app.asar'));
    const unpacked = join(
      'resources',
      'app.asar.unpacked',
      'node_modules',
      '@rallypoint',
      'sdk',
      'dist',
      'native',
      system,
    );
    await place(unpacked);
    await expectFound(await ask(program, { resources: join(game, 'resources') }), unpacked);
    await expectFound(await ask(program), unpacked);
  });

  it('never loads a file from the current folder', async () => {
    const program = await bundle('dist', format);
    await place(join('elsewhere', 'native', system));
    await install('elsewhere');
    const { native, forwarder } = await ask(program, { cwd: join(game, 'elsewhere') });
    expect([native, forwarder]).toEqual([{ missing: expect.anything() }, { missing: expect.anything() }]);
  });

  it('loads nothing from a folder that every user can write to', async () => {
    const program = await bundle('dist', format);
    await place(join('dist', 'native', system));
    chmodSync(join(game, 'dist', 'native'), 0o777);
    const { native, forwarder } = await ask(program);
    expect(forwarder.missing?.[0]).toContain(`every user can write to ${join(game, 'dist', 'native')}`);
    expect(native).not.toHaveProperty('addon');
  });

  it('loads files beside it in a folder like /tmp, where users cannot replace each other’s files', async () => {
    const program = await bundle('shared', format);
    await place(join('shared', 'native', system));
    chmodSync(join(game, 'shared'), 0o1777);
    await expectFound(await ask(program), join('shared', 'native', system));
  });

  it.skipIf(asRoot.missing)(`loads nothing of another user there${asRoot.note}`, async () => {
    const program = await bundle('shared', format);
    await place(join('shared', 'native', system));
    chmodSync(join(game, 'shared'), 0o1777);
    await run('chown', ['-R', `${otherUser}`, join(game, 'shared', 'native')]);
    const { native, forwarder } = await ask(program);
    expect(native.missing?.[0]).toContain('belongs to another user');
    expect(forwarder.missing?.[0]).toContain('belongs to another user');
  });

  it('does not accept a folder as the package because of a manifest that every user can write', async () => {
    const program = await bundle(join('shared', 'game'), format);
    const manifest = join(game, 'shared', 'package.json');
    writeFileSync(manifest, '{ "name": "@rallypoint/sdk" }');
    await place(join('shared', 'dist', 'native', system));
    expect((await ask(program)).native).toHaveProperty('addon');
    chmodSync(manifest, 0o666);
    const { native } = await ask(program);
    expect(native.missing?.join()).not.toContain(join('shared', 'dist'));
  });
});

describe('on Windows', () => {
  it('nothing is loaded from folders in the root of a drive, where every user can create one', () => {
    for (const path of ['C:\\node_modules\\keytar\\lib\\keytar.js', 'd:\\Native\\win32-x64\\rallypoint.node']) {
      expect(whyOpenDrive(path), path).toContain('every user can create folders in');
    }
    for (const path of ['C:\\Games\\Starfall\\node_modules\\keytar', 'C:\\Program Files\\Starfall\\native\\a.node']) {
      expect(whyOpenDrive(path), path).toBeUndefined();
    }
  });
});

/** Bundles what finds native files and libraries, without a word about any of them. */
async function bundle(folder: string, format: 'cjs' | 'esm'): Promise<string> {
  const outfile = join(game, folder, `main.${format === 'esm' ? 'mjs' : 'cjs'}`);
  const source = `
    import { loadNative } from './src/sdk/native/addon.ts';
    import { findForwarder } from './src/sdk/native/find-forwarder.ts';
    import { systemLibraries } from './src/sdk/keychain/system-libraries.ts';
    const keytar = () => systemLibraries.keytar().then(() => 'loaded', error => error.message);
    Promise.all([loadNative(), findForwarder(), keytar()]).then(([native, forwarder, keytar]) =>
      console.log(JSON.stringify({ native, forwarder, keytar })));`;
  const stdin = { contents: source, resolveDir: root, loader: 'ts' } as const;
  // What esbuild says of an empty import.meta, it says of no file in node_modules, where the package lies for games.
  const logOverride = { 'empty-import-meta': 'silent' } as const;
  await build({ stdin, outfile, bundle: true, platform: 'node', format, logOverride, logLevel: 'warning' });
  return outfile;
}

async function place(folder: string): Promise<void> {
  const built = dirname(await builtForwarder());
  mkdirSync(join(game, folder), { recursive: true });
  for (const file of ['rallypoint.node', 'rallypoint-forwarder'])
    copyFileSync(join(built, file), join(game, folder, file));
}

/** The package, as far as its native files go. Answers with the folder that they are in. */
async function install(under = ''): Promise<string> {
  const installed = join(under, 'node_modules', '@rallypoint', 'sdk');
  mkdirSync(join(game, installed), { recursive: true });
  cpSync(join(root, 'package.json'), join(game, installed, 'package.json'));
  const folder = join(installed, 'dist', 'native', system);
  await place(folder);
  return folder;
}

async function ask(program: string, options: { env?: NodeJS.ProcessEnv; resources?: string; cwd?: string } = {}) {
  const { env = {}, resources, cwd = '/' } = options;
  const stub = `data:text/javascript,process.resourcesPath=${JSON.stringify(resources)}`;
  const args = [...(resources ? ['--import', stub] : []), program];
  const { stdout } = await run(process.execPath, args, { cwd, env: { ...process.env, RALLYPOINT_NATIVE: '', ...env } });
  return JSON.parse(stdout) as Answer;
}

async function expectFound({ native, forwarder }: Answer, folder: string): Promise<void> {
  expect(native).toEqual({ addon: {} });
  expect(forwarder).toEqual({ path: join(game, folder, 'rallypoint-forwarder') });
}
