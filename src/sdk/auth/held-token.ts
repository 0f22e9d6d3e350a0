import { ArgumentError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { Alarm } from '../connection/alarm.ts';
import { type Observable, Subject } from '../live/rxjs.ts';
import { requireText } from './require-text.ts';

/** An access token to act with, and what is known of it; a {@link TokenSet} is one. */
export interface AccessToken {
  readonly accessToken: string;
  /** In milliseconds since the Unix epoch. Absent: nobody knows, and {@link Client.tokenExpiration$} says nothing. */
  readonly expiresAtMs?: number | undefined;
  /** Whose token it is, by either of them. */
  readonly userId?: string | undefined;
  readonly idToken?: string | undefined;
}

/** Of a token that ends soon, or has ended. Frozen. */
export interface TokenExpiration {
  /** In milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
  readonly isExpired: boolean;
}

/** Our choice: how long before a token's end that is told; time to refresh it, also on a bad line. */
export const expirationNoticeMs = 5 * 60_000;

/** @throws ArgumentError `missing_access_token`, `invalid_expiry` */
export function requireValidToken({ accessToken, expiresAtMs }: AccessToken): void {
  requireText('accessToken', accessToken, 'missing_access_token');
  if (expiresAtMs === undefined || Number.isFinite(expiresAtMs)) return;
  throw new ArgumentError('invalid_expiry', 'expiresAtMs must be milliseconds since the Unix epoch.');
}

/** The access token that a client acts with, and the moment at which a new one is needed. */
export class HeldToken {
  /** Once for every token, while connected. Does not replay; completes on {@link close}. */
  readonly expiration$: Observable<TokenExpiration>;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  readonly #subject = new Subject<TokenExpiration>();
  #token: AccessToken | undefined;
  #isConnected = false;
  /** The token whose end was told. */
  #told: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#alarm = new Alarm(clock);
    this.expiration$ = this.#subject.asObservable();
  }

  get accessToken(): string | undefined {
    return this.#token?.accessToken;
  }

  /** @throws ArgumentError `missing_access_token`, `invalid_expiry` */
  set(token: AccessToken | undefined): void {
    if (token) requireValidToken(token);
    this.#token = token;
    this.#arm();
  }

  setConnected(isConnected: boolean): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    this.#arm();
  }

  /** Looks at the time: the machine may have slept. */
  check(): void {
    this.#alarm.check();
  }

  close(): void {
    this.#alarm.cancel();
    this.#subject.complete();
  }

  #arm(): void {
    const { accessToken, expiresAtMs } = this.#token ?? {};
    this.#alarm.cancel();
    if (!this.#isConnected || expiresAtMs === undefined || accessToken === this.#told) return;
    this.#alarm.set(expiresAtMs - expirationNoticeMs, () => {
      this.#told = accessToken;
      this.#subject.next(Object.freeze({ expiresAtMs, isExpired: this.#clock.now() >= expiresAtMs }));
    });
  }
}
