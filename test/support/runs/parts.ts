import { constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findChromium, findElectron } from '../../../samples/electron-lobby/host/find-program.ts';
import { runtimes } from '../../../scripts/install-runtimes.ts';
import { loadNative } from '../../../src/sdk/native/addon.ts';
import { findForwarder } from '../../../src/sdk/native/find-forwarder.ts';
import { findPostgres } from '../engines/postgres.ts';
import { doesRun, isAccessible, isOnPath } from './on-path.ts';

/** Where Debian's Chromium looks for the rules of the machine's administrator. */
export const browserPolicyFolder = '/etc/chromium/policies/managed';

const nativeFiles = resolve(import.meta.dirname, '../../../dist/native');
/** The systems that files are built for on Linux. */
export const nativeSystems = ['linux-arm64', 'linux-x64', 'win32-x64'] as const;

type Check = () => string | undefined | Promise<string | undefined>;

/**
 * The parts of a machine that some tests need and others can do without: what is missing, and how to get it; undefined
 * when it is there.
 */
const checks = {
  linux: () => (process.platform === 'linux' ? undefined : `it is for Linux, and this is ${process.platform}`),
  posix: () => (process.getuid ? undefined : 'this system has no users and file modes as POSIX knows them'),
  root: () => (process.geteuid?.() === 0 ? undefined : 'only root can act as another user'),
  browser: () =>
    findChromium() ? undefined : 'Chromium is not installed, or does not run (Debian: apt-get install chromium)',
  'browser-policy': () =>
    mayWrite(browserPolicyFolder)
      ? undefined
      : `${browserPolicyFolder} cannot be written: without a rule there Chromium asks whether the game may be opened`,
  electron: () => (findElectron() ? undefined : "Electron's package has no program here; it downloads it at first use"),
  screen: () => programs('xvfb', ['Xvfb', '-help']),
  'desktop-tools': () => programs('xdg-utils libglib2.0-bin', 'xdg-open', 'xdg-mime', ['gio', 'version']),
  'desktop-file-validate': () => programs('desktop-file-utils', ['desktop-file-validate', '--help']),
  'keychain-daemon': () =>
    programs('dbus gnome-keyring', ['dbus-run-session', '--', 'dbus-send', ...listNames], 'gnome-keyring-daemon'),
  keytar: () => loads('keytar'),
  keyring: () => loads('@napi-rs/keyring'),
  compiler: () => programs('g++', 'c++'),
  addon: async () => ('addon' in (await loadNative()) ? undefined : 'the addon is not built, see native/README.md'),
  forwarder: async () =>
    'path' in (await findForwarder()) ? undefined : 'the forwarder is not built, see native/README.md',
  terminal: () => programs('bsdutils', 'script'),
  python: () => programs('python3', 'python3'),
  curl: () => programs('curl', 'curl'),
  'all-native-files': () =>
    nativeSystems.every(system => existsSync(join(nativeFiles, system)))
      ? undefined
      : `${nativeSystems.join(', ')} are not all built: npm run build:native -- --all`,
  wine: () => programs('wine wine64', 'wine'),
  'windows-node': () => hasRuntime('win32-x64'),
  qemu: () =>
    programs('qemu-user-static', 'qemu-aarch64-static') ??
    (existsSync('/usr/aarch64-linux-gnu/lib/libc.so.6')
      ? undefined
      : 'the C library for arm64 is not installed (Debian: apt-get install libc6-arm64-cross)'),
  'arm64-node': () => hasRuntime('linux-arm64'),
  postgres: () => {
    const folder = findPostgres();
    if (folder === undefined) return 'PostgreSQL is not installed (Debian: apt-get install postgresql)';
    return doesRun(join(folder, 'postgres'), ['--version']) ? undefined : `${join(folder, 'postgres')} --version fails`;
  },
  redis: () => programs('redis-server', 'redis-server'),
  nginx: () => programs('nginx-light', ['nginx', '-v']),
  systemd: () => programs('systemd', 'systemd-analyze'),
  musl: () =>
    existsSync('/lib/ld-musl-x86_64.so.1') ? undefined : 'musl is not installed (Debian: apt-get install musl)',
} satisfies Record<string, Check>;

export type Part = keyof typeof checks;

/** What a test says of the parts that it needs. */
export interface Needs {
  /** Why the test is skipped; undefined where it runs. */
  readonly missing: string | undefined;
  /** For the title of what is skipped: the reason in brackets, or nothing. */
  readonly note: string;
}

/**
 * Parts that must be present, named with commas between them in the environment. `.ci/run` sets it after it has installed
 * them, so that a test that would be skipped for want of one fails instead.
 */
const required = (process.env.RALLYPOINT_REQUIRED_PARTS ?? '').split(',').filter(name => name !== '');

/**
 * Whether this machine has all these parts.
 *
 * @example
 * const browser = await needs('browser');
 * describe.skipIf(browser.missing)(`the pages in Chromium${browser.note}`, () => { … });
 *
 * @throws Error when one of them is missing that {@link required} names
 */
export async function needs(...parts: readonly Part[]): Promise<Needs> {
  for (const part of parts) {
    const missing = await checks[part]();
    if (missing === undefined) continue;
    if (required.includes(part)) throw new Error(`RALLYPOINT_REQUIRED_PARTS names ${part}, but ${missing}`);
    return { missing, note: ` (skipped: ${missing})` };
  }
  return { missing: undefined, note: '' };
}

/** Every required part that is missing, and every required name that is no part. */
export async function missingRequiredParts(): Promise<string[]> {
  const faults = await Promise.all(
    required.map(async name => {
      if (!Object.hasOwn(checks, name)) return `${name} is no part that test/support/runs/parts.ts knows`;
      const missing = await checks[name as Part]();
      return missing === undefined ? [] : `${name}: ${missing}`;
    }),
  );
  return faults.flat();
}

/** A program that prints its version, or the program with arguments that have no other effect. */
type Trial = string | readonly [program: string, ...args: string[]];

/** The bus's answer to a question that every bus answers. */
const listNames = ['--print-reply', '--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.ListNames'];

/** Each must run: a file of the name may be a stub of the distribution, or lack a library. */
function programs(debianPackages: string, ...trials: readonly Trial[]): string | undefined {
  for (const trial of trials) {
    const [name, ...args] = typeof trial === 'string' ? [trial, '--version'] : trial;
    const advice = `(Debian: apt-get install ${debianPackages})`;
    if (!isOnPath(name)) return `${name} is not installed ${advice}`;
    if (!doesRun(name, args)) return `${[name, ...args].join(' ')} fails ${advice}`;
  }
  return undefined;
}

function hasRuntime(system: keyof typeof runtimes): string | undefined {
  return existsSync(runtimes[system].executable)
    ? undefined
    : `the Node.js for ${system} is not installed: npm run runtimes`;
}

async function loads(packageName: string): Promise<string | undefined> {
  return import(packageName).then(
    () => undefined,
    () => `${packageName} is not installed or not built for this machine`,
  );
}

function mayWrite(folder: string): boolean {
  if (existsSync(folder)) return isAccessible(folder, constants.W_OK);
  return folder !== dirname(folder) && mayWrite(dirname(folder));
}
