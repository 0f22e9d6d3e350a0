import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runtimes } from '../../../scripts/install-runtimes.ts';
import { isInstalled, root } from '../built.ts';

/** The Node for arm64. */
export const { executable } = runtimes['linux-arm64'];
/** What runs its programs here. */
export const emulator = 'qemu-aarch64-static';
/** Where Debian's packages for other processors put their C library. */
export const libraries = '/usr/aarch64-linux-gnu';
/** Where the files for it are built. */
export const built: string = join(root, 'dist', 'native', 'linux-arm64');

/** Why nothing can be tried on Linux arm64 here; undefined when it can. */
export const arm64Obstacle: string | undefined = findObstacle();

function findObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'arm64 is tried by qemu, on Linux';
  if (!isInstalled(emulator)) return `${emulator} is not installed (Debian: qemu-user-static)`;
  if (!existsSync(join(libraries, 'lib', 'libc.so.6'))) return 'its C library is missing (Debian: libc6-arm64-cross)';
  if (!existsSync(join(built, 'rallypoint.node'))) return 'nothing is built for it: npm run build:native -- --all';
  return existsSync(executable) ? undefined : 'its Node is not here: npm run runtimes';
}
