import { type ExecFileException, execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packTarball } from '../../scripts/pack.ts';

export const root = resolve(import.meta.dirname, '../..');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The package's entry points as an importer writes them, without that of its manifest. */
export const entryPoints = Object.keys(manifest.exports)
  .filter(entry => entry !== './package.json')
  .map(entry => `@rallypoint/sdk${entry.slice(1)}`);

/** What a program said and how it ended; a failure is no exception here. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, env = {}, timeoutMs = 300_000 } = options;
  const given = { cwd, env: { ...quietEnv, ...env }, maxBuffer: 64 << 20, timeout: timeoutMs };
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, given)) };
  } catch (error) {
    const { code, stdout = '', stderr = '', message } = error as ExecFileException;
    const said = String(stderr);
    return { code: typeof code === 'number' ? code : 1, stdout: String(stdout), stderr: said === '' ? message : said };
  }
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

const ofTestsAround =
  /^(VITEST|NODE_ENV|RALLYPOINT_|npm_(?!config_(registry|cafile|cache|proxy|https_proxy|noproxy)$))/;

/** Nobody's own keychain, no colours, and nothing that the tests around set for themselves. */
export const quietEnv: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTestsAround.test(name))),
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  NO_COLOR: '1',
};

/** Makes the tarball that would be published. Answers with its path. */
export async function pack(folder: string): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'rallypoint-pack-'));
  try {
    return packTarball(root, folder, scratch).path;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A project of a user in a folder of its own, which is removed at the end. */
export interface Project {
  readonly path: string;
  write(file: string, text: string): string;
  remove(): void;
}

export function openProject(fields: Readonly<Record<string, unknown>> = {}): Project {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'rallypoint-package-')));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
    return join(path, file);
  };
  write('package.json', JSON.stringify({ name: 'game', version: '1.0.0', private: true, ...fields }));
  cpSync(join(import.meta.dirname, 'programs'), path, { recursive: true });
  const remove = () => rmSync(path, { recursive: true, force: true });
  // Also when a test or a row failed half-way.
  process.once('exit', remove);
  return {
    path,
    write,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

/**
 * Puts the tarball's content and copies of this checkout's packages into a project, so that nothing is asked of a
 * registry. Installing by package managers is `npm run test:package`.
 */
export async function installOffline(project: Project, tarball: string, packages: readonly string[]): Promise<string> {
  const installed = join(project.path, 'node_modules', '@rallypoint', 'sdk');
  mkdirSync(installed, { recursive: true });
  const unpacked = await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], { cwd: root });
  if (unpacked.code !== 0) throw new Error(unpacked.stderr);
  for (const name of packages) copyPackage(project, name);
  return installed;
}

/** Puts one of this checkout's packages into a project. */
export function copyPackage(project: Project, name: string): void {
  cpSync(join(root, 'node_modules', name), join(project.path, 'node_modules', name), { recursive: true });
}

/** Installs what a project's package.json names, as its user does. */
export function installByNpm(project: Project, args: readonly string[] = []): Promise<Ended> {
  return run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...args], { cwd: project.path });
}

/** What the package needs to run, by name: its dependencies and theirs. */
export const neededPackages = withDependencies([...Object.keys(manifest.dependencies), 'rxjs', 'react']);

function withDependencies(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const name of all) {
    const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
    for (const needed of Object.keys((JSON.parse(text) as { dependencies?: object }).dependencies ?? {}))
      all.add(needed);
  }
  return [...all];
}
