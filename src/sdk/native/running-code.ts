import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, win32 } from 'node:path';

/**
 * The folder of the file that this code runs from: a file of the package, or a game's bundle. Undefined where the bundler
 * replaced it by something that is not a folder.
 */
export function codeFolder(): string | undefined {
  // CommonJS bundles have `__dirname` and no usable import.meta; ES modules have it the other way round.
  const here: unknown = typeof __dirname === 'string' ? __dirname : import.meta.dirname;
  return typeof here === 'string' && isAbsolute(here) && dirname(here) !== here ? here : undefined;
}

/** The package's folder when this code runs from there; undefined in a game's bundle. */
export function packageFolder(): string | undefined {
  // The nearest manifest with a name decides, as in Node.
  for (let folder = codeFolder(); folder !== undefined; folder = parentOf(folder)) {
    const manifest = join(folder, 'package.json');
    const name = nameIn(manifest);
    if (name !== undefined) return name === packageName && isPrivate(manifest) ? folder : undefined;
  }
  return undefined;
}

/** The folder of the package that is installed for a game's bundle; undefined when there is none. */
export function installedPackage(): string | undefined {
  const folder = codeFolder();
  if (folder === undefined) return undefined;
  try {
    return dirname(resolveFrom(folder, `${packageName}/package.json`));
  } catch {
    return undefined;
  }
}

/** The path of a package, or of a file in it, as `require` in that folder resolves it. @throws Error when it is not found */
export function resolveFrom(folder: string, name: string): string {
  return requireOf(join(folder, 'resolve.js')).resolve(name);
}

/** The exports of a CommonJS file. @param path as {@link resolveFrom} returns it */
export function requireFile(path: string): unknown {
  return requireOf(path)(path);
}

/**
 * Makes sure that only users who could replace the program itself can have created a file. A search through parent folders
 * may otherwise find one in a folder that others can write to, such as `/tmp/node_modules`.
 *
 * @param path absolute; must exist
 * @throws Error that names the folder, or when the file does not exist
 */
export function checkPrivate(path: string): void {
  const shared = process.platform === 'win32' ? whyOpenDrive(path) : whySharedFolder(path);
  if (shared !== undefined) throw new Error(`is not used, because ${shared}`);
}

const packageName = '@rallypoint/sdk';

// Not imported: webpack follows calls of an imported `createRequire`, and warns where it cannot.
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
  // Where any user can replace the program, checking what it loads adds nothing.
  if (here !== undefined && whyShared(here) !== undefined) return undefined;
  return whyShared(path) ?? whyShared(realpathSync(path));
}

function whyShared(path: string): string | undefined {
  const owners = trustedOwners();
  for (let at: string | undefined = path; at !== undefined; at = parentOf(at)) {
    const stat = lstatSync(at);
    if (!owners.has(stat.uid)) return `${at} belongs to another user`;
    // In a sticky folder such as /tmp, users cannot replace each other's files.
    const isWritable = (stat.mode & worldWritable) !== 0 && (stat.mode & sticky) === 0;
    if (isWritable && !stat.isSymbolicLink()) return `every user can write to ${at}`;
  }
  return undefined;
}

const worldWritable = 0o002;
const sticky = 0o1000;

/** Root, this user, and the user who installed the program. In a sandbox root has another id: the owner of `/`. */
function trustedOwners(): ReadonlySet<number | undefined> {
  const installed = ['/', process.execPath, codeFolder()].filter(path => path !== undefined);
  return new Set([0, process.getuid?.(), ...installed.map(path => lstatSync(path).uid)]);
}

/** On Windows every user can create folders in the root of a drive. */
export function whyOpenDrive(path: string): string | undefined {
  const [drive, first = ''] = path.split(win32.sep);
  const isFound = ['node_modules', 'native'].includes(first.toLowerCase());
  return isFound ? `every user can create folders in ${drive}${win32.sep}` : undefined;
}
