import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../support/runs/parts.ts';

const repository = resolve(import.meta.dirname, '../..');
const [posix, root] = [await needs('posix'), await needs('root')];
const runtime = {
  ...(await import(pathToFileURL(join(repository, 'bin', 'runtime.js')).href)),
  ...(await import(pathToFileURL(join(repository, 'bin', 'oldest-node.js')).href)),
};

/** Makes the Node that runs the launcher believe to be an old one. */
const old = ['--import', 'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.20.2"})'];

/** A package with the launcher and, in place of the command, `program`. */
function makePackage(program?: string): string {
  const place = mkdtempSync(join(tmpdir(), 'rallypoint-launcher-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  cpSync(join(repository, 'bin'), join(place, 'bin'), { recursive: true });
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
  if (program !== undefined) {
    mkdirSync(join(place, 'dist', 'service'), { recursive: true });
    writeFileSync(join(place, 'dist', 'service', 'cli.js'), program);
  }
  return place;
}

/** Puts this Node where `npm install` puts the one of `name`. */
function installRuntime(place: string, name: string): void {
  const folder = join(place, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  symlinkSync(process.execPath, join(folder, 'node'));
}

function launch(place: string, nodeOptions: readonly string[], ...args: readonly string[]) {
  return new Promise<{ code: number | string | null; stdout: string; stderr: string }>(resolve => {
    const command = [...nodeOptions, join(place, 'bin', 'rallypoint.js'), ...args];
    execFile(process.execPath, command, { cwd: place }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? null) : 0, stdout, stderr }),
    );
  });
}

const report = 'console.log(process.version, ...process.argv.slice(2)); process.exitCode = 7;';

describe('the launcher', () => {
  it('hands over under a Node that is new enough', async () => {
    const place = makePackage(report);
    expect(await launch(place, [], 'serve', '--port', '0')).toMatchObject({
      code: 7,
      stdout: `${process.version} serve --port 0\n`,
    });
  });

  it.each(['.bin', `${runtime.runtimePackages[`${process.platform} ${process.arch}`]}/bin`])(
    'goes on, from an old Node, under the one in node_modules/%s, with its arguments and exit code',
    async name => {
      const place = makePackage(report);
      installRuntime(place, name);
      expect(await launch(place, old, 'a b', '')).toEqual({ code: 7, stdout: `${process.version} a b \n`, stderr: '' });
    },
  );

  it('finds a runtime that is installed beside the package, above it', async () => {
    const project = makePackage();
    const place = join(project, 'node_modules', '@rallypoint', 'sdk');
    cpSync(makePackage(report), place, { recursive: true });
    installRuntime(project, '.bin');
    expect(await launch(place, old)).toMatchObject({ code: 7 });
  });

  it('says in one line that it needs a newer Node when there is none', async () => {
    const { code, stdout, stderr } = await launch(makePackage(report), old);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^rallypoint: it needs Node\.js 22\.13\.0 or newer, and this is v20\.20\.2[^\n]*\n$/);
  });

  it('says in one line that it is not built', async () => {
    const { code, stderr } = await launch(makePackage(), []);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'rallypoint: it is not built yet; run "npm run build" first.\n',
    });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('passes %s on and ends with the exit code of the command', async signal => {
    const place = makePackage(
      `process.on('${signal}', () => process.exit(5)); setInterval(() => {}, 1000); console.log('up');`,
    );
    installRuntime(place, '.bin');
    const child = spawn(process.execPath, [...old, join(place, 'bin', 'rallypoint.js')]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([5, null]);
  });

  it('ends by the signal that ended the command', async () => {
    const place = makePackage("process.kill(process.pid, 'SIGKILL')");
    installRuntime(place, '.bin');
    const child = spawn(process.execPath, [...old, join(place, 'bin', 'rallypoint.js')]);
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  });
});

describe('the launcher', () => {
  const read = (...path: string[]) => JSON.parse(readFileSync(join(repository, ...path), 'utf8'));

  it('is the oldest Node of package.json', () => {
    expect(`>=${runtime.oldestNode}`).toBe(`${read('package.json').engines.node}.0`);
  });

  it('are the packages that tools/runtime brings', () => {
    const brought = Object.keys(read('tools', 'runtime', 'package.json').optionalDependencies);
    expect(Object.values(runtime.runtimePackages).sort()).toEqual(brought.sort());
  });

  it.each([
    ['v22.13.0', true],
    ['v22.12.9', false],
    ['v23.0.0', true],
    ['v20.20.2', false],
    ['v100.1.0', true],
  ])('is whether %s is new enough: %s', (version, enough) => {
    expect(runtime.isNewEnough(version)).toBe(enough);
  });
});

describe('what the launcher compiled', () => {
  /** Runs the launcher as somebody whose home and folder for temporary files are these. */
  async function launchAt(home: string, temporary: string): Promise<void> {
    const { NODE_COMPILE_CACHE: _, XDG_CACHE_HOME: __, ...others } = process.env;
    const env = { ...others, HOME: home, TMPDIR: temporary };
    const launcher = join(makePackage(`${report} export const text = ${JSON.stringify('x'.repeat(1000))};`), 'bin');
    const child = spawn(process.execPath, [join(launcher, 'rallypoint.js')], { env });
    expect(await once(child, 'close')).toEqual([7, null]);
  }

  function place(): string {
    const path = mkdtempSync(join(tmpdir(), 'rallypoint-launcher-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  it.skipIf(posix.missing)(
    `is kept in the user’s own folder, and never in the one that all users share${posix.note}`,
    async () => {
      const [home, temporary] = [place(), place()];
      await launchAt(home, temporary);
      expect(existsSync(join(home, '.cache', 'rallypoint', 'compiled'))).toBe(true);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it.skipIf(root.missing)(`is not looked for in a home that belongs to another user${root.note}`, async () => {
    const [home, temporary] = [place(), place()];
    chownSync(home, 65_534, 65_534);
    await launchAt(home, temporary);
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
