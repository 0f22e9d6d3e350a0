import { KeychainError } from '../../model/errors/errors.ts';
import {
  checkPrivate,
  codeFolder,
  installedPackage,
  packageFolder,
  requireFile,
  resolveFrom,
} from '../native/running-code.ts';
import { type Entries, proveAbsence } from './entries.ts';
import { libraryFailure } from './library-failure.ts';
import { filedAccount } from './names.ts';

/** The part of keytar that is called; its own types are those of an optional package. */
export interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** The part of `@napi-rs/keyring` that is called. */
interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: { linux: { store: 'secret-service' } },
  ) => {
    getPassword(): Promise<string | null>;
    setPassword(password: string): Promise<void>;
    deletePassword(): Promise<boolean>;
  };
}

/** Libraries that reach the system's keychain. */
export type LibraryName = 'keytar' | 'keyring';
export type LoadLibrary = () => Promise<Keytar>;

export const systemLibraries: Readonly<Record<LibraryName, LoadLibrary>> = {
  keytar: async () => loadOptional(packageNames.keytar) as Keytar,
  keyring: async () => likeKeytar(loadOptional(packageNames.keyring) as Keyring),
};

/** Our choice: the most that Windows keeps in one entry (`CRED_MAX_CREDENTIAL_BLOB_SIZE`) is the most everywhere. */
export const libraryTextBytesMax = 2560;

/**
 * Entries in the system's keychain, by one library. Calls go one after another: a call without an answer must not hold
 * more than one of Node's few threads, nor come through after a later one.
 *
 * @param service what entries are filed under
 * @throws KeychainError `keychain_missing`: not installed, or not built for this machine
 */
export async function openLibrary(name: LibraryName, service: string, load: LoadLibrary): Promise<Entries> {
  const library = await loaded(name, load);
  // macOS has one keychain for both; apart, a move between them cannot delete what it has just copied.
  const filed = name === 'keytar' ? service : `${service} (${name})`;
  const inTurn = turns();
  const usable = <Value>(call: () => Promise<Value>) =>
    inTurn(() =>
      call().catch(error => {
        throw libraryFailure(error);
      }),
    );
  const raw: Entries = {
    get: account => usable(async () => (await library.getPassword(filed, filedAccount(account))) ?? undefined),
    set: (account, text) => usable(() => library.setPassword(filed, filedAccount(account), text)),
    delete: account => usable(() => library.deletePassword(filed, filedAccount(account))),
  };
  return {
    async get(account) {
      const text = await raw.get(account);
      if (text === undefined) await proveAbsence(raw);
      return text;
    },
    set: raw.set,
    async delete(account) {
      const isDeleted = await raw.delete(account);
      if (!isDeleted) await proveAbsence(raw);
      return isDeleted;
    },
  };
}

async function loaded(name: LibraryName, load: LoadLibrary): Promise<Keytar> {
  try {
    return await load();
  } catch (cause) {
    throw new KeychainError(
      'keychain_missing',
      `${packageNames[name]} cannot be loaded: ${firstLine(cause)}. Install it, with its install scripts, or ship it beside a bundled game (docs/packaging.md).`,
      { cause },
    );
  }
}

const packageNames: Readonly<Record<LibraryName, string>> = { keytar: 'keytar', keyring: '@napi-rs/keyring' };

/**
 * Loads a package that need not be installed, when it is needed: from where this code runs, or from where the package is
 * installed that a game's bundler took it from. A call of `require` that a bundler does not know, because it would take
 * the library's `.node` file for a script, and fail where the library is not installed.
 */
function loadOptional(name: string): unknown {
  const folders = [codeFolder(), packageFolder() ?? installedPackage()].filter(folder => folder !== undefined);
  for (const folder of folders) {
    const path = pathOf(name, folder);
    if (path === undefined) continue;
    checkPrivate(path);
    return requireFile(path);
  }
  throw new Error(
    `it is not installed where the game finds packages: looked from ${folders.join(' and ') || 'nowhere'}`,
  );
}

function pathOf(name: string, folder: string): string | undefined {
  try {
    return resolveFrom(folder, name);
  } catch {
    return undefined;
  }
}

/**
 * Our choice: not the package's own `keytar.js`. That one falls back to the kernel's keyring where there is no secret
 * service; entries there are gone after a restart, which nobody is told.
 */
function likeKeytar({ AsyncEntry }: Keyring): Keytar {
  const entry = (service: string, account: string) =>
    new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  return {
    getPassword: async (service, account) => entry(service, account).getPassword(),
    setPassword: async (service, account, password) => entry(service, account).setPassword(password),
    deletePassword: async (service, account) => entry(service, account).deletePassword(),
  };
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line.replace(/\.$/, '');
}

function turns(): <Value>(call: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return call => {
    const result = last.then(call);
    last = result.catch(() => {});
    return result;
  };
}
