import type { Entries } from './entries.ts';
import { type Covering, fileEntries, uncovered } from './file-entries.ts';
import { type KeychainBackend, keychainBackends } from './keychain.ts';
import { type LibraryName, type LoadLibrary, libraryTextBytesMax, openLibrary } from './library.ts';
import type { PrivateFolder } from './private-folder.ts';
import { type SafeStorage, safeStorageCovering } from './safe-storage.ts';
import { sealedEntries } from './sealed-entries.ts';

/** What outlives the process. */
export type LastingBackend = Exclude<KeychainBackend, 'memory'>;

/** The first choice first. */
export const lastingBackends = (Object.keys(keychainBackends) as KeychainBackend[]).filter(
  (backend): backend is LastingBackend => backend !== 'memory',
);

export type BackendOpeners = Readonly<Record<LastingBackend, () => Promise<Entries>>>;

export interface BackendParts {
  readonly service: string;
  readonly folder: PrivateFolder;
  readonly safeStorage: SafeStorage | undefined;
  readonly libraries: Readonly<Record<LibraryName, LoadLibrary>>;
}

/** How each backend is opened. */
export function backendOpeners({ service, folder, safeStorage, libraries }: BackendParts): BackendOpeners {
  const library = (backend: LibraryName) => async () =>
    sealedEntries({
      entries: await openLibrary(backend, service, libraries[backend]),
      ...{ folder, service, backend, plainBytesMax: libraryTextBytesMax },
    });
  const files = (backend: 'safe-storage' | 'file', covering: Covering) => async () =>
    sealedEntries({ entries: fileEntries(folder, backend, covering), folder, service, backend });
  return {
    keytar: remembered(library('keytar')),
    keyring: remembered(library('keyring')),
    'safe-storage': remembered(files('safe-storage', safeStorageCovering(safeStorage))),
    file: remembered(files('file', uncovered)),
  };
}

/** Opens once; after a failure again. */
function remembered(open: () => Promise<Entries>): () => Promise<Entries> {
  let opening: Promise<Entries> | undefined;
  return () => {
    opening ??= open().catch(error => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
