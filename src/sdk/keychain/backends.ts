import type { Entries } from './entries.ts';
import { type FileEncoding, fileEntries, plainText, safeStorageEncoding } from './file-entries.ts';
import type { LastingBackend, SafeStorage } from './keychain.ts';
import type { PrivateFolder } from './private-folder.ts';
import { sealedEntries } from './sealed-entries.ts';
import { type LibraryName, type LoadLibrary, libraryTextBytesMax, openLibrary } from './system-libraries.ts';

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
  const files = (backend: 'safe-storage' | 'file', encoding: FileEncoding) => async () =>
    sealedEntries({ entries: fileEntries(folder, backend, encoding), folder, service, backend });
  return {
    keytar: openOnce(library('keytar')),
    keyring: openOnce(library('keyring')),
    'safe-storage': openOnce(files('safe-storage', safeStorageEncoding(safeStorage))),
    file: openOnce(files('file', plainText)),
  };
}

/** Opens the backend at the first call, and again after a failure. */
function openOnce(open: () => Promise<Entries>): () => Promise<Entries> {
  let opening: Promise<Entries> | undefined;
  return () => {
    opening ??= open().catch(error => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
