import { ArgumentError } from '../../model/errors/errors.ts';
import { requireCredential } from '../../wire/arguments.ts';
import { leftMs, type Moment, momentIn } from '../../wire/clock/moment.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { Alarm } from '../connection/alarm.ts';
import type { ConnectionStatus } from '../connection/connection-snapshot.ts';
import { Emitter } from '../live/emitter.ts';
import type { Observable } from '../live/rxjs.ts';
import { requireText } from './token-set.ts';

/** An access token for {@link Client.updateToken}. A {@link TokenSet} is one. */
export interface AccessToken {
  readonly accessToken: string;
  /** When it expires, in milliseconds since the Unix epoch. Absent: unknown, and {@link Client.tokenExpiration$} does not emit. */
  readonly expiresAtMs?: number | undefined;
  /** The player, who can be named by this or by `idToken`. */
  readonly userId?: string | undefined;
  readonly idToken?: string | undefined;
  /** The granted scopes, separated by spaces. Absent: unknown until the session says so. */
  readonly scopes?: string | undefined;
}

/** Reports that a token expires soon, or has expired. Frozen. */
export interface TokenExpiration {
  /** In milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  readonly isExpired: boolean;
}

/** Unspecified: how long before the expiry {@link Client.tokenExpiration$} emits. Enough to refresh over a bad connection. */
export const expirationNoticeMs = 5 * 60_000;

/** @throws ArgumentError `missing_access_token`, `invalid_credential`, `invalid_expiry` */
export function requireValidToken({ accessToken, expiresAtMs }: AccessToken): void {
  requireText('accessToken', accessToken, 'missing_access_token');
  requireCredential('accessToken', accessToken, 'Bearer');
  if (expiresAtMs !== undefined) requireExpiry(expiresAtMs);
}

/** @throws ArgumentError `invalid_expiry` */
export function requireExpiry(expiresAtMs: unknown): void {
  if (Number.isFinite(expiresAtMs)) return;
  throw new ArgumentError(
    'invalid_expiry',
    `expiresAtMs must be milliseconds since the Unix epoch (got ${String(expiresAtMs)}).`,
  );
}

/** The access token that a client uses, and the notice that it expires. */
export class HeldToken {
  /** Emits once for every token; see {@link follow} for when. Does not replay; completes on {@link close}. */
  readonly expiration$: Observable<TokenExpiration>;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #emitter = new Emitter<TokenExpiration>();
  #token: AccessToken | undefined;
  /** When the token expires. */
  #end: Moment | undefined;
  #expiration: TokenExpiration | undefined;
  #session: 'none' | 'opening' | 'open' = 'none';
  /** The token that {@link expiration$} has reported. */
  #reported: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#alarm = new Alarm(clock);
    this.expiration$ = this.#emitter.events$;
  }

  /** The notice for the current token; undefined while it is not due. */
  get expiration(): TokenExpiration | undefined {
    return this.#expiration;
  }

  get accessToken(): string | undefined {
    return this.#token?.accessToken;
  }

  get scopes(): readonly string[] | undefined {
    return this.#token?.scopes?.split(' ');
  }

  /** @throws as {@link requireValidToken} */
  set(token: AccessToken | undefined): void {
    if (token) requireValidToken(token);
    if (token?.accessToken !== this.#reported) this.#expiration = undefined;
    if (token?.accessToken !== this.#token?.accessToken || token?.expiresAtMs !== this.#token?.expiresAtMs) {
      const { expiresAtMs } = token ?? {};
      this.#end = expiresAtMs === undefined ? undefined : momentIn(this.#clock, expiresAtMs - this.#clock.now());
    }
    this.#token = token;
    this.#arm();
  }

  /**
   * Without a session nothing is reported. While one is opened, only a token that has expired is: to refresh a token that is still good
   * would invalidate it while the gateway is about to check it.
   */
  follow(status: ConnectionStatus): void {
    const isOff = status === 'disconnected' || status === 'disconnecting';
    const session = isOff ? 'none' : status === 'connecting' || status === 'connected' ? 'opening' : 'open';
    if (session === this.#session) return;
    this.#session = session;
    this.#arm();
  }

  /** Compares with the clock after the machine may have slept. */
  check(): void {
    this.#alarm.check();
  }

  close(): void {
    this.#alarm.cancel();
    this.#emitter.complete();
  }

  #arm(): void {
    const { accessToken, expiresAtMs } = this.#token ?? {};
    const end = this.#end;
    this.#alarm.cancel();
    if (this.#session === 'none' || !end || expiresAtMs === undefined || accessToken === this.#reported) return;
    const noticeMs = this.#session === 'open' ? expirationNoticeMs : 0;
    this.#alarm.set(momentIn(this.#clock, leftMs(this.#clock, end) - noticeMs), () => {
      this.#reported = accessToken;
      this.#expiration = Object.freeze({ expiresAtMs, isExpired: leftMs(this.#clock, end) <= 0 });
      this.#emitter.emit(this.#expiration);
    });
  }
}
