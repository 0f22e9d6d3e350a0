import { KeychainError } from '../../model/errors/errors.ts';
import type { Covering } from './file-entries.ts';
import { unreadable } from './seal.ts';

/** The part of Electron's `safeStorage` that is called; hand it in once the app is ready. */
export interface SafeStorage {
  isEncryptionAvailable(): boolean;
  encryptString(text: string): Uint8Array;
  decryptString(encrypted: Uint8Array): string;
  /** Linux alone. */
  getSelectedStorageBackend?(): string;
  /** These three are preferred where Electron has them: the ones above block the process while the person is asked. */
  isAsyncEncryptionAvailable?(): Promise<boolean>;
  encryptStringAsync?(text: string): Promise<Uint8Array>;
  decryptStringAsync?(encrypted: Uint8Array): Promise<{ readonly result: string }>;
}

/** What Linux answers when no keychain of the system holds the key. */
const weakKeys = new Set(['basic_text', 'unknown']);

/**
 * Covers texts by `safeStorage`. Both calls throw, beside `keychain_unreadable`:
 * `keychain_missing`: none was handed in; `keychain_unusable`: it cannot encrypt; `keychain_unprotected`: its key is one
 * that everybody knows.
 */
export function safeStorageCovering(storage: SafeStorage | undefined): Covering {
  return {
    async cover(text) {
      const usable = await checked(storage);
      try {
        return await (usable.encryptStringAsync?.(text) ?? usable.encryptString(text));
      } catch (cause) {
        throw unusable('could not encrypt', cause);
      }
    },
    async uncover(content) {
      const usable = await checked(storage);
      try {
        // `shouldReEncrypt` needs no heed: tokens are set again at every refresh.
        return (await usable.decryptStringAsync?.(content))?.result ?? usable.decryptString(content);
      } catch {
        throw unreadable('does not open with the key of this user');
      }
    },
  };
}

async function checked(storage: SafeStorage | undefined): Promise<SafeStorage> {
  if (!storage) {
    throw new KeychainError('keychain_missing', 'safeStorage is missing: pass the one of Electron.');
  }
  if (!(await isAvailable(storage))) throw unusable('cannot encrypt');
  if (weakKeys.has(backendOf(storage))) {
    throw new KeychainError(
      'keychain_unprotected',
      "Electron's safeStorage found no keychain of the system and would encrypt with a key that everybody knows. " +
        "Run a keyring service, or allow the tier 'encrypted-file', which is not weaker.",
    );
  }
  return storage;
}

async function isAvailable(storage: SafeStorage): Promise<boolean> {
  try {
    return await (storage.isAsyncEncryptionAvailable?.() ?? storage.isEncryptionAvailable());
  } catch (cause) {
    throw unusable('cannot say whether it can encrypt', cause);
  }
}

function backendOf(storage: SafeStorage): string {
  try {
    return storage.getSelectedStorageBackend?.() ?? '';
  } catch (cause) {
    throw unusable('cannot say what keeps its key', cause);
  }
}

function unusable(why: string, cause?: unknown): KeychainError {
  return new KeychainError(
    'keychain_unusable',
    `Electron's safeStorage ${why}: open the keychain once the app is ready, in an unlocked desktop session.`,
    { cause },
  );
}
