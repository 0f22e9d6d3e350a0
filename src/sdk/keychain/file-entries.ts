import { KeychainError } from '../../model/errors/errors.ts';
import { type Entries, unreadable } from './entries.ts';
import type { KeychainBackend, SafeStorage } from './keychain.ts';
import { digest } from './names.ts';
import type { PrivateFolder } from './private-folder.ts';

/** How the text of an entry is written to its file. */
export interface FileEncoding {
  encode(text: string): Promise<Uint8Array>;
  /** @throws KeychainError */
  decode(content: Buffer): Promise<string>;
}

export const plainText: FileEncoding = {
  encode: async text => Buffer.from(text),
  decode: async content => content.toString('utf8'),
};

/** Entries in one file each. */
export function fileEntries(folder: PrivateFolder, backend: KeychainBackend, encoding: FileEncoding): Entries {
  const fileOf = (account: string) => `${digest(account)}.${backend}.key`;
  return {
    async get(account) {
      const content = await folder.read(fileOf(account));
      return content && encoding.decode(content);
    },
    async set(account, text) {
      await folder.replace(fileOf(account), await encoding.encode(text));
      // Removes what a process that died left half written.
      await folder.sweep(`${fileOf(account)}.`);
    },
    async delete(account) {
      const isDeleted = await folder.remove(fileOf(account));
      await folder.sweep(`${fileOf(account)}.`);
      return isDeleted;
    },
  };
}

/** What Linux answers when no keychain of the system holds the key. */
const weakBackends = new Set(['basic_text', 'unknown']);

/**
 * Encrypts with `safeStorage`. Beside `keychain_unreadable` both calls throw `keychain_missing`: none was passed;
 * `keychain_unusable`: it cannot encrypt; `keychain_unprotected`: its key is public knowledge.
 */
export function safeStorageEncoding(storage: SafeStorage | undefined): FileEncoding {
  return {
    async encode(text) {
      const usable = await requireUsable(storage);
      try {
        return await (usable.encryptStringAsync?.(text) ?? usable.encryptString(text));
      } catch (cause) {
        throw unusable('could not encrypt', cause);
      }
    },
    async decode(content) {
      const usable = await requireUsable(storage);
      try {
        // `shouldReEncrypt` can be ignored: tokens are set again at every refresh.
        return (await usable.decryptStringAsync?.(content))?.result ?? usable.decryptString(content);
      } catch {
        throw unreadable("cannot be decrypted with this user's key");
      }
    },
  };
}

async function requireUsable(storage: SafeStorage | undefined): Promise<SafeStorage> {
  if (!storage) {
    throw new KeychainError('keychain_missing', "safeStorage is missing: pass Electron's to openKeychain().");
  }
  if (!(await isAvailable(storage))) throw unusable('cannot encrypt');
  if (weakBackends.has(backendOf(storage))) {
    throw new KeychainError(
      'keychain_unprotected',
      "Electron's safeStorage found no keychain of the system and would encrypt with a key that is public knowledge. " +
        "Run a keyring service, or allow the tier 'encrypted-file', which is not weaker.",
    );
  }
  return storage;
}

async function isAvailable(storage: SafeStorage): Promise<boolean> {
  try {
    return await (storage.isAsyncEncryptionAvailable?.() ?? storage.isEncryptionAvailable());
  } catch (cause) {
    throw unusable('could not report whether encryption is available', cause);
  }
}

function backendOf(storage: SafeStorage): string {
  try {
    return storage.getSelectedStorageBackend?.() ?? '';
  } catch (cause) {
    throw unusable('could not report where it keeps its key', cause);
  }
}

function unusable(why: string, cause?: unknown): KeychainError {
  return new KeychainError(
    'keychain_unusable',
    `Electron's safeStorage ${why}: open the keychain once the app is ready, in an unlocked desktop session.`,
    { cause },
  );
}
