import { ApiError } from '../../model/errors/errors.ts';
import { type Clock, steadyNow } from '../../wire/clock/ports.ts';
import type { RequestOptions } from '../call-options.ts';

/** Resolves with a token that is not the rejected one. What it rejects with is ignored: the call then fails as it did. */
export type RenewToken = (rejected: string, options: RequestOptions) => Promise<string>;

// A service that rejects new tokens, too, is not asked for one at every call.
const pauseMs = 60_000;

/** Replaces an access token that the service rejects. */
export class TokenRenewal {
  readonly #clock: Clock;
  #renew: RenewToken | undefined;
  /** The latest token that replaced a rejected one. */
  #renewed: { readonly token: string; readonly atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @see {@link Client.setTokenRenewal} */
  set(renew: RenewToken | undefined): void {
    this.#renew = renew;
  }

  /** Sends a call. If the service answers 401, it has not processed the call, which is sent once more with another token. */
  async send<Answer>(
    token: string,
    signal: AbortSignal | undefined,
    send: (authorization: string) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await send(`Bearer ${token}`);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      const renewed = await this.#replace(token, signal);
      if (renewed === undefined) throw error;
      return send(`Bearer ${renewed}`);
    }
  }

  async #replace(rejected: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const nowMs = steadyNow(this.#clock);
    const isNew = rejected === this.#renewed?.token && nowMs < this.#renewed.atMs + pauseMs;
    if (!this.#renew || isNew) return undefined;
    try {
      const token = await this.#renew(rejected, { signal });
      if (token !== this.#renewed?.token) this.#renewed = { token, atMs: steadyNow(this.#clock) };
      return token;
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  }
}
