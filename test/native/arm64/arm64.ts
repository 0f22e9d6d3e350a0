import { join } from 'node:path';
import { runtimes } from '../../../scripts/install-runtimes.ts';
import { type Needs, needs } from '../../support/runs/parts.ts';
import { root } from '../built.ts';

/** The Node for arm64. */
export const { executable } = runtimes['linux-arm64'];
/** What runs its programs here. */
export const emulator = 'qemu-aarch64-static';
/** Where Debian's packages for other processors put their C library. */
export const libraries = '/usr/aarch64-linux-gnu';
/** Where the files for it are built. */
export const built: string = join(root, 'dist', 'native', 'linux-arm64');

/** arm64 is tried by qemu, on Linux. */
export const arm64Needs: Needs = await needs('linux', 'qemu', 'all-native-files', 'arm64-node');
