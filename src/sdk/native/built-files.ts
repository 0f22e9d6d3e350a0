import { open } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { checkPrivate, codeFolder, installedPackage, packageFolder } from './running-code.ts';

/** The environment variable with a folder that is searched first, for games that install the built files elsewhere. */
export const folderVariable = 'RALLYPOINT_NATIVE';

/** What to do when a file is missing. */
export const whereToPut =
  `Put the built files into one of these folders, or set ${folderVariable} to their folder (docs/packaging.md). ` +
  'native/README.md explains how to build them.';

/** The folders that are searched for the built files, in order. The current folder is never one of them. */
export function nativePlaces(): readonly string[] {
  return places().map(({ folder }) => folder);
}

/**
 * Opens a built file in the first place where that succeeds.
 *
 * @returns the result of `open`, or the places that were searched and why each failed, one line per place. Never rejects
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
  if (packageFolder() === undefined) missing.push(...placesNotSearched());
  return { missing: [...missing, whereToPut] };
}

interface Place {
  readonly folder: string;
  /** Throws when a file that is found there must not be used. */
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

/** Where Electron packagers put extra resources and unpacked files. */
function inResources(): readonly string[] {
  const { resourcesPath } = process as { readonly resourcesPath?: unknown };
  if (typeof resourcesPath !== 'string' || !isAbsolute(resourcesPath)) return [];
  const unpackedPackage = join(resourcesPath, 'app.asar.unpacked', 'node_modules', '@rallypoint', 'sdk');
  return [join(resourcesPath, 'native', system), join(unpackedPackage, 'dist', 'native', system)];
}

/** For a bundle: a copy beside it, then the package that is installed where it runs. */
function besideBundle(): readonly string[] {
  const here = codeFolder();
  const installed = installedPackage();
  return [
    // Bundlers put chunks into a folder beside the program.
    ...(here === undefined ? [] : [join(here, 'native', system), join(dirname(here), 'native', system)]),
    ...(installed === undefined ? [] : inPackage(installed)),
  ];
}

function placesNotSearched(): readonly string[] {
  if (codeFolder() === undefined)
    return ['The bundler hides the path of the program, so no folder beside it was searched.'];
  return installedPackage() === undefined ? [`@rallypoint/sdk is not installed for ${codeFolder()}.`] : [];
}

// A relative path would depend on the current folder, which any user may control.
function checkNamed(folder: string): void {
  if (!isAbsolute(folder))
    throw new Error(`${folderVariable} must be an absolute path (got ${JSON.stringify(folder)})`);
}

/** Why a place failed, as one line that begins with the file's path. */
function reasonAt(path: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : 'cannot be used';
  return `${path}: ${reason.replace(`${path}: `, '').replaceAll('\n', ' ')}`;
}

// Electron shows an archive as a folder, from which no program can be started. Packagers put programs beside it.
function unpacked(folder: string): string {
  return folder.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
}

/**
 * Makes sure that a built file exists and is not truncated. The system's loader reports most damaged files, but on Linux a
 * truncated one (after a full disk or an interrupted download) crashes the process.
 *
 * @throws Error that says what is wrong
 */
export async function checkWholeFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('is not a file');
    const header = Buffer.alloc(headerBytes);
    const { bytesRead } = await file.read(header, 0, headerBytes, 0);
    const needed = elfBytes(header.subarray(0, bytesRead));
    if (needed !== undefined && stat.size < needed) throw new Error('is truncated');
  } finally {
    await file.close();
  }
}

const headerBytes = 64;
const elfMagic = '\x7fELF';

/** The size that the header of a 64-bit little-endian ELF file implies: the section table is its last part. */
function elfBytes(header: Buffer): bigint | undefined {
  const isElf = header.toString('latin1', 0, 4) === elfMagic && header[4] === 2 && header[5] === 1;
  if (!isElf) return undefined;
  if (header.length < headerBytes) return BigInt(headerBytes);
  return header.readBigUInt64LE(0x28) + BigInt(header.readUInt16LE(0x3a)) * BigInt(header.readUInt16LE(0x3c));
}
