import { RallypointError } from '../../model/errors/errors.ts';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import type { Keychain } from '../keychain/keychain.ts';

/** A sign-in on its way: what the answer of the service belongs to. */
export interface BegunSignIn {
  readonly state: string;
  /** Secret. */
  readonly verifier: string;
  readonly clientId?: string | undefined;
  readonly nonce?: string | undefined;
  readonly customSchemeParam?: string | undefined;
}

/** Our choice: as long as a player may take in the browser. An answer that comes later is worth nothing. */
export const begunSignInLifeMs = 10 * 60_000;

export interface BegunSignInParts {
  readonly keychain: Keychain;
  /** The keychain's entry, another than the credential's. */
  readonly account: string;
  readonly applicationId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps the sign-in that was begun last, so that another process can go on with it: the one that the answer starts when
 * the game has ended meanwhile.
 */
export class BegunSignIns {
  readonly #parts: BegunSignInParts;

  constructor(parts: BegunSignInParts) {
    this.#parts = parts;
  }

  /** Takes the place of one that was begun before. @throws KeychainError */
  async keep(begun: BegunSignIn): Promise<void> {
    const { keychain, account, applicationId, clock } = this.#parts;
    await keychain.set(account, JSON.stringify({ format, applicationId, beganAtMs: clock.now(), ...begun }));
  }

  /** Undefined when none is on its way, or none of the last 10 minutes. @throws KeychainError */
  async find(): Promise<BegunSignIn | undefined> {
    const kept = await this.#read();
    return kept && this.#parts.clock.now() - kept.beganAtMs < begunSignInLifeMs ? kept.begun : undefined;
  }

  /** It is over. One that another window began meanwhile stays, and so does what the keychain does not let go of. */
  async forget(state: string): Promise<void> {
    const { keychain, account, logger } = this.#parts;
    try {
      const kept = await this.#read();
      if (kept?.begun.state === state) await keychain.delete(account);
    } catch (error) {
      const code = error instanceof RallypointError ? error.code : 'unknown';
      logger.warn({ code }, 'a sign-in that is over stays in the keychain');
    }
  }

  async #read(): Promise<{ beganAtMs: number; begun: BegunSignIn } | undefined> {
    const { keychain, account, applicationId } = this.#parts;
    const fields = asRecord(parseJson((await keychain.get(account)) ?? ''));
    if (fields?.format !== format || fields.applicationId !== applicationId) return undefined;
    const { beganAtMs, state, verifier, clientId, nonce, customSchemeParam } = fields;
    if (typeof beganAtMs !== 'number' || typeof state !== 'string' || typeof verifier !== 'string') return undefined;
    const begun = {
      state,
      verifier,
      clientId: text(clientId),
      nonce: text(nonce),
      customSchemeParam: text(customSchemeParam),
    };
    return { beganAtMs, begun };
  }
}

// Raised when an older version of this package could not read what a newer one keeps.
const format = 1;

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
