import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';

/**
 * Folder of the file that this code runs from: one of the package's own, or the one that a game's bundler made. Undefined
 * where the bundler replaced it by something that is no folder.
 */
export function codeFolder(): string | undefined {
  // Bundles of CommonJS have `__dirname`, and no import.meta that is worth anything; ES modules have it the other way.
  const here: unknown = typeof __dirname === 'string' ? __dirname : import.meta.dirname;
  return typeof here === 'string' && isAbsolute(here) && dirname(here) !== here ? here : undefined;
}

/** The package's folder where this code runs from there; undefined in a game's bundle. */
export function packageFolder(): string | undefined {
  // The first manifest with a name decides, as it does for Node.
  for (let folder = codeFolder(); folder !== undefined; folder = parentOf(folder)) {
    const manifest = join(folder, 'package.json');
    const name = nameIn(manifest);
    if (name !== undefined) return name === packageName && isPrivate(manifest) ? folder : undefined;
  }
  return undefined;
}

/** The package as it is installed where a game's bundle finds packages; undefined where it is not. */
export function installedPackage(): string | undefined {
  const folder = codeFolder();
  if (folder === undefined) return undefined;
  try {
    return dirname(resolveFrom(folder, `${packageName}/package.json`));
  } catch {
    return undefined;
  }
}

/** Path of a package, or of a file in it, as `require` in that folder finds it. @throws Error when it does not */
export function resolveFrom(folder: string, name: string): string {
  return requireOf(join(folder, 'resolve.js')).resolve(name);
}

/** What a CommonJS file exports. @param path as {@link resolveFrom} gives it */
export function requireFile(path: string): unknown {
  return requireOf(path)(path);
}

/**
 * Makes sure that nobody can have put a file there who could not have replaced the program itself: what is searched for in
 * one folder after the other may be found in one that others can write to, such as `/tmp/node_modules`.
 *
 * @param path absolute; must exist
 * @throws Error that says which folder, or that nothing is there
 */
export function checkPrivate(path: string): void {
  const shared = process.platform === 'win32' ? whyOpenDrive(path) : whySharedFolder(path);
  if (shared !== undefined) throw new Error(`not used, because ${shared}`);
}

const packageName = '@rallypoint/sdk';

// Not by an import: webpack follows every call of an imported `createRequire`, and warns of those that it cannot follow.
function requireOf(file: string): NodeJS.Require {
  return process.getBuiltinModule('node:module').createRequire(file);
}

function isPrivate(path: string): boolean {
  try {
    checkPrivate(path);
    return true;
  } catch {
    return false;
  }
}

function parentOf(folder: string): string | undefined {
  return dirname(folder) === folder ? undefined : dirname(folder);
}

function nameIn(manifest: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

function whySharedFolder(path: string): string | undefined {
  const here = codeFolder();
  // Where everybody can replace the program, nothing is won by checking what it loads.
  if (here !== undefined && whyShared(here) !== undefined) return undefined;
  return whyShared(path) ?? whyShared(realpathSync(path));
}

function whyShared(path: string): string | undefined {
  const owners = trustedOwners();
  for (let at: string | undefined = path; at !== undefined; at = parentOf(at)) {
    const stat = lstatSync(at);
    if (!owners.has(stat.uid)) return `${at} belongs to another user`;
    // In a sticky folder, as /tmp is one, nobody can replace what is another's.
    const isWritten = (stat.mode & everybodyWrites) !== 0 && (stat.mode & sticky) === 0;
    if (isWritten && !stat.isSymbolicLink()) return `everybody can write to ${at}`;
  }
  return undefined;
}

const everybodyWrites = 0o002;
const sticky = 0o1000;

/** Root, who we are, who installed the program. In a sandbox root has another number: that of the owner of `/`. */
function trustedOwners(): ReadonlySet<number | undefined> {
  const installed = ['/', process.execPath, codeFolder()].filter(path => path !== undefined);
  return new Set([0, process.getuid?.(), ...installed.map(path => lstatSync(path).uid)]);
}

// Windows lets every user create folders in the root of a drive.
function whyOpenDrive(path: string): string | undefined {
  const [drive, first = ''] = path.split(sep);
  return ['node_modules', 'native'].includes(first) ? `everybody can create folders in ${drive}${sep}` : undefined;
}
