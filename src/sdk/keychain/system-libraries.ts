import type { KeychainErrorCode } from '../../model/errors/error-codes.ts';
import { KeychainError } from '../../model/errors/errors.ts';
import {
  checkPrivate,
  codeFolder,
  installedPackage,
  packageFolder,
  requireFile,
  resolveFrom,
} from '../native/running-code.ts';
import { confirmAbsence, type Entries } from './entries.ts';
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

/** The libraries that access the system's keychain. */
export type LibraryName = 'keytar' | 'keyring';
export type LoadLibrary = () => Promise<Keytar>;

export const systemLibraries: Readonly<Record<LibraryName, LoadLibrary>> = {
  keytar: async () => loadOptional(packageNames.keytar) as Keytar,
  keyring: async () => asKeytar(loadOptional(packageNames.keyring) as Keyring),
};

/** Unspecified: the size limit of an entry. Windows has the lowest (`CRED_MAX_CREDENTIAL_BLOB_SIZE`), and it applies everywhere. */
export const libraryTextBytesMax = 2560;

/**
 * Entries in the system's keychain, through one library. Calls run one after another: a call that hangs must not occupy
 * more than one of Node's few threads, nor take effect after a later one.
 *
 * @param service what entries are filed under
 * @throws KeychainError `keychain_missing`: not installed, or not built for this machine
 */
export async function openLibrary(name: LibraryName, service: string, load: LoadLibrary): Promise<Entries> {
  const library = await loaded(name, load);
  // macOS has one keychain for both libraries. With separate names a move between them cannot delete its own copy.
  const filed = name === 'keytar' ? service : `${service} (${name})`;
  const enqueue = createQueue();
  const ask = <Value>(call: () => Promise<Value>) =>
    enqueue(() =>
      call().catch(error => {
        throw libraryFailure(error);
      }),
    );
  const raw: Entries = {
    get: account => ask(async () => (await library.getPassword(filed, filedAccount(account))) ?? undefined),
    set: (account, text) => ask(() => library.setPassword(filed, filedAccount(account), text)),
    delete: account => ask(() => library.deletePassword(filed, filedAccount(account))),
  };
  return {
    async get(account) {
      const text = await raw.get(account);
      if (text === undefined) await confirmAbsence(raw);
      return text;
    },
    set: raw.set,
    async delete(account) {
      const isDeleted = await raw.delete(account);
      if (!isDeleted) await confirmAbsence(raw);
      return isDeleted;
    },
  };
}

async function loaded(name: LibraryName, load: LoadLibrary): Promise<Keytar> {
  try {
    return await load();
  } catch (cause) {
    const reason = firstLine(cause);
    throw new KeychainError(
      'keychain_missing',
      `${packageNames[name]} cannot be loaded: ${reason}. Install it with its install scripts, or ship it with the bundled game (docs/packaging.md).`,
      { cause },
    );
  }
}

const packageNames: Readonly<Record<LibraryName, string>> = { keytar: 'keytar', keyring: '@napi-rs/keyring' };

/**
 * Loads a package that may not be installed: from the folder that this code runs in, or from where @rallypoint/sdk is
 * installed. Bundlers do not recognize this form of `require`. They would otherwise try to bundle the library's `.node`
 * file, and fail where the library is not installed.
 */
function loadOptional(name: string): unknown {
  const folders = [codeFolder(), packageFolder() ?? installedPackage()].filter(folder => folder !== undefined);
  for (const folder of folders) {
    const path = pathOf(name, folder);
    if (path === undefined) continue;
    checkPrivate(path);
    return requireFile(path);
  }
  throw new Error(`it is not installed for ${folders.join(' or ') || 'this program'}`);
}

function pathOf(name: string, folder: string): string | undefined {
  try {
    return resolveFrom(folder, name);
  } catch {
    return undefined;
  }
}

/**
 * @napi-rs/keyring with the interface of keytar. The package's own `keytar.js` is not used: without a secret service it
 * silently falls back to the kernel's keyring, whose entries are lost at a restart.
 */
function asKeytar({ AsyncEntry }: Keyring): Keytar {
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

/** Runs calls one after another. */
function createQueue(): <Value>(call: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return call => {
    const result = last.then(call);
    last = result.catch(() => {});
    return result;
  };
}

interface FailureKind {
  readonly code: KeychainErrorCode;
  readonly pattern: RegExp;
  readonly remedy: string;
}

/**
 * The libraries report failures as texts of the system, without codes. Each kind has the texts that mean it and what to do
 * about it, the first that fits counts; any other text is `keychain_unusable`.
 */
const kinds: readonly FailureKind[] = [
  {
    // A library that keeps its session with the service cannot open another one.
    code: 'keychain_unusable',
    pattern: /session wrapping the secret does not exist|name :[\d.]+ was not provided|disconnected from message bus/i,
    remedy: 'its service ended while the game was running. Try again; if that fails too, start the game again.',
  },
  {
    code: 'keychain_no_bus',
    pattern: /autolaunch|DBUS_SESSION_BUS_ADDRESS|could not connect: |DBus error: .*(No such file|Connection refused)/i,
    remedy: 'there is no session bus. Start the game in a desktop session, or set DBUS_SESSION_BUS_ADDRESS.',
  },
  {
    code: 'keychain_no_collection',
    pattern: /does not exist at path|no result found|StartServiceByName|ServiceUnknown|not provided by any/i,
    remedy:
      'there is no keyring, or no keyring service. Install one (gnome-keyring, KWallet) and log in, or create one.',
  },
  {
    code: 'keychain_locked',
    pattern: /locked|prompt was dismissed|interaction is not allowed|could not be unlocked/i,
    remedy: "it is locked. Unlock it (log in, or open the system's password manager) and try again.",
  },
  {
    code: 'keychain_denied',
    pattern: /access ?(is )?denied|permission|not permitted|canceled by the user|authorization/i,
    remedy: "access was denied. Allow the game to use it, when the system asks or in the system's settings.",
  },
];

/** Translates a library's failure. */
export function libraryFailure(error: unknown): KeychainError {
  const text = error instanceof Error ? error.message : 'no reason given';
  const kind = kinds.find(candidate => candidate.pattern.test(text));
  const remedy = kind ? `${kind.remedy} ` : '';
  return new KeychainError(
    kind?.code ?? 'keychain_unusable',
    `The system's keychain cannot be used: ${remedy}(The library reported: ${text})`,
  );
}
