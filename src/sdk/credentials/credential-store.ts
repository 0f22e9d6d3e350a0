import { KeychainError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import type { Keychain } from '../keychain/keychain.ts';
import type { ProcessLock } from './process-lock.ts';
import { decodeCredential, encodeCredential, type StoredCredential } from './stored-credential.ts';

export interface CredentialStoreParts {
  readonly keychain: Keychain;
  readonly account: string;
  readonly applicationId: string;
  readonly lock: Pick<ProcessLock, 'hold'>;
  /** Tells the other processes that something changed; resolves when they can know. */
  readonly tell: () => Promise<void>;
  readonly logger: Logger;
}

/** The one place of a player's credential, among all processes: what is read and then written is so within the lock. */
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
   * Undefined when nobody is signed in. What cannot be understood (a newer version's, perhaps) counts as nothing and stays.
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

  /** As {@link read}, for whoever replaces what is there: then one that the keychain itself cannot read is none. */
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
    const { keychain, account, tell } = this.#parts;
    await keychain.set(account, encodeCredential(credential));
    await tell();
  }

  /** @throws KeychainError */
  async remove(): Promise<void> {
    const { keychain, account, tell } = this.#parts;
    await keychain.delete(account);
    await tell();
  }
}
