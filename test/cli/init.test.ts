import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { version } from '../../src/model/version.ts';
import { installOffline, neededPackages, openProject, pack, quietEnv, root, run } from '../package/project.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rallypoint-init-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function init(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(['init', ...args], {
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    environment: {},
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  });
  return { code, stdout, stderr };
}

describe('rallypoint init', () => {
  it('names the project after its folder, within the length that npm allows', async () => {
    const path = join(folder(), `${'a'.repeat(213)}-${'b'.repeat(30)}`);
    expect((await init(path)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).name).toBe('a'.repeat(213));
    expect((await init(join(folder(), 'x'), '--name', 'a'.repeat(214))).code).toBe(0);
    expect((await init(join(folder(), 'x'), '--name', 'a'.repeat(215))).code).toBe(2);
  });

  it('says that its working folder was deleted', async () => {
    vi.spyOn(process, 'cwd').mockImplementation(() => {
      throw new Error('ENOENT: process.cwd failed');
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await init('x')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'rallypoint: The current folder cannot be used: ENOENT: process.cwd failed\n',
    });
  });

  it('says what it made and the next two commands', async () => {
    const path = join(folder(), 'My Game');
    const { code, stdout, stderr } = await init(path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const file of [
      'README.md',
      '.gitignore',
      'fixtures.json',
      'game/main.js',
      'server/main.js',
      'test/rally.test.js',
    ]) {
      expect(stdout).toContain(`  ${file}\n`);
      expect(existsSync(join(path, file))).toBe(true);
    }
    expect(stdout).toContain(`Next:\n  cd '${path}' && npm install\n  npm test\n`);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'my-game', dependencies: { '@rallypoint/sdk': `^${version}` } });
  });

  it.skipIf(process.platform === 'win32')('prints a command that a shell reads as it is meant', async () => {
    const parent = folder();
    for (const name of ['a$HOME', "it's `one`", 'back\\slash "two"', '*;&|!']) {
      const path = join(parent, name);
      const { stdout } = await init(path);
      const enter = /^ {2}(cd .*) && npm install$/m.exec(stdout)?.[1];
      expect(execFileSync('sh', ['-c', `${enter} && pwd`], { encoding: 'utf8' })).toBe(`${realpathSync(path)}\n`);
    }
  });

  it('prints the same as one JSON document', async () => {
    const path = folder();
    const { stdout } = await init(path, '--json', '--name', 'starfall');
    const { files, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({ folder: path, name: 'starfall' });
    expect(readdirSync(path, { recursive: true })).toEqual(expect.arrayContaining(files));
  });

  it('names a tarball of the package by its path from the project', async () => {
    const path = folder();
    writeFileSync(join(path, 'sdk.tgz'), '');
    await init(join(path, 'games/one'), '--sdk', join(path, 'sdk.tgz'));
    const manifest = JSON.parse(readFileSync(join(path, 'games/one/package.json'), 'utf8'));
    expect(manifest.dependencies['@rallypoint/sdk']).toBe('file:../../sdk.tgz');
  });

  it('writes nothing when one of the files exists', async () => {
    const path = folder();
    writeFileSync(join(path, 'README.md'), 'mine');
    const { code, stdout, stderr } = await init(path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${path} already has README.md. Nothing was written`);
    expect(readdirSync(path)).toEqual(['README.md']);
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('mine');
  });

  it('does not write through a link that leads nowhere', async () => {
    const path = folder();
    symlinkSync(join(path, 'elsewhere'), join(path, 'README.md'));
    expect(await init(path)).toMatchObject({ code: 1, stderr: expect.stringContaining('already has README.md') });
    expect(readdirSync(path)).toEqual(['README.md']);
  });

  it('fails with 1 where it cannot write or finds no tarball, and with 2 on wrong usage', async () => {
    const path = folder();
    writeFileSync(join(path, 'file'), '');
    const nowhere = process.platform === 'linux' ? '/proc/no-game' : join(path, 'file/game');
    const failures = [
      [[nowhere], 1, 'The project cannot be written to'],
      [[join(path, 'file')], 1, 'The project cannot be written to'],
      [[join(path, 'new'), '--sdk', './no.tgz'], 1, '--sdk: there is no file'],
      [[join(path, 'new'), 'other'], 2, 'takes one DIR'],
      [[join(path, 'new'), '--name', 'My Game'], 2, '--name must be a name for package.json'],
      [[join(path, 'new'), '--nam'], 2, 'Did you mean "--name"?'],
    ] as const;
    for (const [args, code, told] of failures) {
      expect(await init(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(told) });
    }
    expect(readdirSync(path)).toEqual(['file']);
  });

  it('shows its help', async () => {
    const { code, stdout } = await init('--help');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Usage: rallypoint init [DIR]') });
  });
});

// npm, the compiler and the programs of the project are processes of their own.
describe('a project made by the packed package', { timeout: 90_000 }, () => {
  const outside = openProject();
  const game = join(outside.path, 'my-game');

  beforeAll(async () => {
    const installed = await installOffline(outside, await pack(outside.path), neededPackages);
    const made = await run(process.execPath, [join(installed, 'bin/rallypoint.js'), 'init', 'my-game'], {
      cwd: outside.path,
    });
    expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('cd my-game && npm install') });
    // In place of "npm install": the packages that package.json names, in the folder above. Electron comes without its program.
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(game, 'package.json'), 'utf8'));
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const path = join(outside.path, 'node_modules', name);
      if (existsSync(path) || name === 'electron') continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), path, 'junction');
    }
    outside.write(
      'node_modules/electron/package.json',
      '{ "name": "electron", "type": "module", "main": "index.js", "types": "electron.d.ts" }',
    );
    outside.write(
      'node_modules/electron/index.js',
      'export const { app, BrowserWindow, ipcMain, shell } = globalThis.electron;',
    );
    outside.write(
      'node_modules/electron/electron.d.ts',
      readFileSync(join(root, 'node_modules/electron/electron.d.ts'), 'utf8'),
    );
    mkdirSync(join(game, 'node_modules/.bin'), { recursive: true });
    symlinkSync(join(installed, 'bin/rallypoint.js'), join(game, 'node_modules/.bin/rallypoint'));
    for (const name of ['tsc', 'esbuild'])
      symlinkSync(join(root, 'node_modules/.bin', name), join(game, 'node_modules/.bin', name));
  }, 180_000);
  afterAll(() => outside.remove());

  const script = (...args: readonly string[]) => run('npm', ['run', '--silent', ...args], { cwd: game });

  it('is type-checked, and its test passes', async () => {
    const [checked, tested] = await Promise.all([script('check'), script('test')]);
    expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 1\n.*fail 0\n/) });
  });

  it('says how to get Electron where its program is missing', async () => {
    const { code, stderr } = await script('game');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Run "npx install-electron"') });
  });

  it('runs: the page of the signed-in player shows the lobby of the server', async () => {
    expect(await script('build')).toMatchObject({ code: 0 });
    expect(await start(['service', '--', '--port', '0'], {})).toContain('serves fixtures.json at http://127.0.0.1:');
    const ready = readFileSync(join(game, '.rallypoint/ready.json'), 'utf8');
    const { web_base } = JSON.parse(ready);
    const env = { RALLYPOINT_BASE_URL: web_base };
    expect(await start(['server'], env)).toMatch(/^Lobby \d+ is open, and \/rally joins it\./);

    const player = join(import.meta.dirname, 'play-project.ts');
    const played = await run(process.execPath, [player, game, ready], { cwd: root, env, timeoutMs: 60_000 });
    expect(played).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^(?=.*lighthouse: Ada).*harbour: Ada/),
      stderr: '',
    });
  });

  /** Starts one of the scripts, and answers with its first line. */
  function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
    // In a group of its own, because npm starts a shell that starts the program.
    const child: ChildProcess = spawn('npm', ['run', '--silent', ...args], {
      cwd: game,
      env: { ...quietEnv, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
    return new Promise((resolve, reject) => {
      if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', code => reject(new Error(`npm run ${args.join(' ')} ended with ${code}.`)));
    });
  }
});
