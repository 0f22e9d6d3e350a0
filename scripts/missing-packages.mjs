// Which packages of the lockfile this machine lacks. Plain JavaScript for any Node from 20 on, because it runs before
// anything is installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Packages that `package-lock.json` lists for this machine and that are not in `node_modules`, by their paths below `root`.
 *
 * npm calls an installation complete although packages are absent: after `npm ci --omit=optional` or `--omit=dev`, and
 * under NODE_ENV=production. The programs that build and run this repository are in optional packages, one for each
 * platform, so those count as missing too, if a package that requires them is there. An optional package for every
 * platform does not count: npm leaves it out where it cannot be compiled or needs a newer Node.js, together with what
 * only it requires, and nothing here depends on it.
 *
 * @param {string} root the folder of package-lock.json
 * @param {{ os: string, cpu: string, libc: string | undefined }} machine
 * @returns {string[]}
 */
export function missingPackages(root, machine = thisMachine()) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const isThere = path => existsSync(join(root, path));
  const present = Object.entries(packages).filter(([path]) => isThere(path));
  const requiredByPresent = new Set(
    present.flatMap(([, entry]) => Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })),
  );
  const isNeeded = (path, { optional = false, os, cpu, libc }) => {
    if (!fits(os, machine.os) || !fits(cpu, machine.cpu) || !fits(libc, machine.libc)) return false;
    return !optional || (os !== undefined && requiredByPresent.has(nameAt(path)));
  };
  return Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !isThere(path) && isNeeded(path, entry))
    .map(([path]) => path);
}

/** The name of the package at a path of the lockfile. */
export function nameAt(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** By npm's rules: a list of names, where `!name` excludes one; no list is for all. */
function fits(given, value) {
  if (given === undefined) return true;
  const names = [given].flat();
  if (names.includes(`!${value}`)) return false;
  return names.includes(value) || names.every(name => name.startsWith('!'));
}

function thisMachine() {
  const isGlibc = process.report?.getReport?.().header?.glibcVersionRuntime !== undefined;
  const libc = process.platform === 'linux' ? (isGlibc ? 'glibc' : 'musl') : undefined;
  return { os: process.platform, cpu: process.arch, libc };
}
