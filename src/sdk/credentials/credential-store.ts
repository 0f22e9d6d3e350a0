import { KeychainError, RallypointError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import type { Keychain } from '../keychain/keychain.ts';
import type { ProcessLock } from './process-lock.ts';
import { decodeCredential, encodeCredential, type StoredCredential } from './stored-credential.ts';

export interface CredentialStoreParts {
  readonly keychain: Keychain;
  readonly account: string;
  readonly applicationId: string;
  readonly lock: Pick<ProcessLock, 'hold'>;
  /** Notifies the other processes of a change. */
  readonly notify: () => Promise<void>;
  readonly logger: Logger;
}

/** A player's credential in the keychain, shared by all processes. A read followed by a write happens within the lock. */
export class CredentialStore {
  readonly applicationId: string;
  readonly #parts: CredentialStoreParts;

  constructor(parts: CredentialStoreParts) {
    this.applicationId = parts.applicationId;
    this.#parts = parts;
  }

  /** @throws TransportError `deadline_exceeded`, `aborted`, before `work` began; KeychainError `lock_unusable` */
  exclusively<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.#parts.lock.hold(work, signal);
  }

  /**
   * Returns undefined when no player is signed in, and for a credential in an unknown format, which may be a newer
   * version's and is left in place.
   *
   * @throws KeychainError
   */
  async read(): Promise<StoredCredential | undefined> {
    const { keychain, account, applicationId, logger } = this.#parts;
    const text = await keychain.get(account);
    if (text === undefined) return undefined;
    const credential = decodeCredential(text, applicationId);
    if (!credential) logger.warn({}, 'the keychain holds a credential that this version cannot read');
    return credential;
  }

  /** As {@link read}, before the credential is replaced: one that the keychain cannot decrypt counts as absent. */
  async readForReplacing(): Promise<StoredCredential | undefined> {
    try {
      return await this.read();
    } catch (error) {
      if (error instanceof KeychainError && error.code === 'keychain_unreadable') return undefined;
      throw error;
    }
  }

  /** @throws KeychainError */
  async write(credential: StoredCredential): Promise<void> {
    const { keychain, account, notify } = this.#parts;
    await keychain.set(account, encodeCredential(credential));
    await notify();
  }

  /** @throws KeychainError */
  async remove(): Promise<void> {
    const { keychain, account, notify } = this.#parts;
    await keychain.delete(account);
    await notify();
  }
}

/** The game may pass a keychain of its own, which can throw anything: foreign errors become KeychainError `keychain_unusable`. */
export function withKeychainErrors(keychain: Keychain): Keychain {
  async function wrap<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } catch (cause) {
      if (cause instanceof RallypointError) throw cause;
      throw new KeychainError(
        'keychain_unusable',
        'The keychain that was passed to openCredentials() failed; see the cause.',
        {
          cause,
        },
      );
    }
  }
  return {
    tier: keychain.tier,
    backend: keychain.backend,
    get: account => wrap(() => keychain.get(account)),
    set: (account, secret) => wrap(() => keychain.set(account, secret)),
    delete: account => wrap(() => keychain.delete(account)),
  };
}
