import { dirname, isAbsolute, join } from 'node:path';
import { checkPrivate, codeFolder, installedPackage, packageFolder } from './running-code.ts';

/** Names a folder to look into first: for a game whose installer put the built files elsewhere. */
export const folderVariable = 'RALLYPOINT_NATIVE';

/** Added to what is missing, so that a reader knows what to do. */
export const whereToPut =
  `Put the built files into one of these folders, or name their folder by ${folderVariable}: docs/packaging.md. ` +
  'native/README.md says how to build them.';

/** The folders that may hold the built files, in the order they are tried. The current folder is never one. */
export function nativePlaces(): readonly string[] {
  return places().map(({ folder }) => folder);
}

/**
 * Opens a built file in the first place where that succeeds.
 *
 * @returns what `open` made of it, or where it was looked for and why each place failed, one line a place. Never rejects
 */
export async function openFirst<Opened>(
  file: string,
  open: (path: string) => Promise<Opened>,
): Promise<Opened | { readonly missing: readonly string[] }> {
  const missing: string[] = [];
  const tried = places();
  for (const { folder, check } of tried) {
    const path = join(folder, file);
    try {
      check(path);
      return await open(path);
    } catch (error) {
      missing.push(reasonAt(path, error));
    }
  }
  if (packageFolder() === undefined) missing.push(...whatWasNotSearched());
  return { missing: [...missing, whereToPut] };
}

interface Place {
  readonly folder: string;
  /** Throws when what is found there must not be used. */
  readonly check: (path: string) => void;
}

function places(): readonly Place[] {
  const named = process.env[folderVariable];
  const own = packageFolder();
  const searched = own === undefined ? besideBundle() : [];
  const places: Place[] = [
    ...(named ? [{ folder: named, check: () => checkNamed(named) }] : []),
    ...[...(own === undefined ? [] : inPackage(own)), ...inResources()].map(folder => ({ folder, check: () => {} })),
    ...searched.map(folder => ({ folder, check: checkPrivate })),
  ].map(({ folder, check }) => ({ folder: unpacked(folder), check }));
  return places.filter(({ folder }, index) => places.findIndex(other => other.folder === folder) === index);
}

const system = `${process.platform}-${process.arch}`;

function inPackage(root: string): readonly string[] {
  return [join(root, 'dist', 'native', system)];
}

/** Where a packager of Electron puts what it is told to carry: beside the archive, or unpacked from it. */
function inResources(): readonly string[] {
  const { resourcesPath } = process as { readonly resourcesPath?: unknown };
  if (typeof resourcesPath !== 'string' || !isAbsolute(resourcesPath)) return [];
  const unpackedPackage = join(resourcesPath, 'app.asar.unpacked', 'node_modules', '@rallypoint', 'sdk');
  return [join(resourcesPath, 'native', system), join(unpackedPackage, 'dist', 'native', system)];
}

/** For a game's bundle: a copy beside it, then the package that is installed where it runs. */
function besideBundle(): readonly string[] {
  const here = codeFolder();
  const installed = installedPackage();
  return [
    // A bundler that splits puts its parts into a folder beside the program.
    ...(here === undefined ? [] : [join(here, 'native', system), join(dirname(here), 'native', system)]),
    ...(installed === undefined ? [] : inPackage(installed)),
  ];
}

function whatWasNotSearched(): readonly string[] {
  if (codeFolder() === undefined) return ['The bundler hides where the program lies: nothing was searched beside it.'];
  return installedPackage() === undefined ? [`@rallypoint/sdk is not installed where ${codeFolder()} finds it.`] : [];
}

// A relative one would depend on the current folder, which may be anybody's.
function checkNamed(folder: string): void {
  if (!isAbsolute(folder))
    throw new Error(`${folderVariable} must be an absolute path (got ${JSON.stringify(folder)})`);
}

/** Why a place failed, as one line that begins with the file. */
function reasonAt(path: string, error: unknown): string {
  const said = error instanceof Error ? error.message : 'cannot be used';
  return `${path}: ${said.replace(`${path}: `, '').replaceAll('\n', ' ')}`;
}

// Electron shows an archive as a folder; no program can be started from it, so packagers put programs beside it.
function unpacked(folder: string): string {
  return folder.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
}
