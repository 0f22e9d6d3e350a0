import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folders that may hold the built files, in the order they are tried. */
export function nativePlaces(): readonly string[] {
  const root = packageRoot();
  const inPackage = root
    ? [join(root, 'dist', 'native', `${process.platform}-${process.arch}`), join(root, 'native', 'build', 'Release')]
    : [];
  return [...(process.env[folderVariable] ? [resolve(process.env[folderVariable])] : []), ...inPackage].map(unpacked);
}

/** Names a folder to look into first: for a game whose bundler or installer put the built files elsewhere. */
export const folderVariable = 'RALLYPOINT_NATIVE';

/** Added to what is missing, so that a reader knows what to do. */
export const whereToPut = `Set ${folderVariable} to the folder of the built files, or build them: native/README.md.`;

/** Why a place failed, as one line that begins with the file. */
export function reasonAt(path: string, error: unknown): string {
  const said = error instanceof Error ? error.message : 'cannot be used';
  return `${path}: ${said.replace(`${path}: `, '').replaceAll('\n', ' ')}`;
}

/** Undefined where a game's bundler made us part of another file. */
function packageRoot(): string | undefined {
  // Not there at all in CommonJS of some bundlers, whatever its type says.
  const here = import.meta.dirname as string | undefined;
  for (let folder = here; folder !== undefined; folder = dirname(folder) === folder ? undefined : dirname(folder)) {
    if (nameIn(join(folder, 'package.json')) === '@rallypoint/sdk') return folder;
  }
  return undefined;
}

function nameIn(manifest: string): unknown {
  try {
    return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name : undefined;
  } catch {
    return undefined;
  }
}

// Electron shows an archive as a folder; no program can be started from it, so packagers put programs beside it.
function unpacked(folder: string): string {
  return folder.replace(/([\\/])app\.asar([\\/])/, '$1app.asar.unpacked$2');
}
