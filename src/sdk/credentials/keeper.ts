import {
  ArgumentError,
  GatewayError,
  KeychainError,
  OAuthError,
  RallypointError,
  RateLimitError,
} from '../../model/errors/errors.ts';
import { closeCodes } from '../../model/gateway.ts';
import type { Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import { backoffMs } from '../../wire/http/backoff.ts';
import { AuthorizationArgs } from '../auth/authorization-args.ts';
import { authorizationInProgress } from '../auth/authorizer.ts';
import { requireSound } from '../auth/held-token.ts';
import type { RequestOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import { Alarm } from '../connection/alarm.ts';
import { BehaviorSubject, type Observable } from '../live/rxjs.ts';
import { askPlayer, takeAnswer } from './ask-player.ts';
import type { BegunSignIns } from './begun-sign-in.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { CredentialStore } from './credential-store.ts';
import type {
  AccessTokenOptions,
  Credentials,
  CredentialsSnapshot,
  SignInOptions,
  SignOutOptions,
} from './credentials.ts';
import { type Renewal, renew } from './renewal.ts';
import { refreshAtMs, retryBackoff } from './schedule.ts';
import { credentialOf, type KeptTokens, type StoredCredential } from './stored-credential.ts';
import { pause, unlessAborted } from './waiting.ts';

/** The part of a {@link Client} that is used. */
export type CredentialsClient = Pick<
  Client,
  | 'applicationId'
  | 'authorize'
  | 'connect'
  | 'createAuthorizationCodeVerifier'
  | 'getToken'
  | 'refreshToken'
  | 'revokeToken'
  | 'status$'
  | 'updateToken'
>;

export interface KeeperPorts {
  readonly client: CredentialsClient;
  readonly store: CredentialStore;
  readonly begun: BegunSignIns;
  /** How the credential is kept. */
  readonly held: Pick<CredentialsSnapshot, 'tier' | 'backend' | 'lock'>;
  readonly signal: Pick<ChangeSignal, 'close'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

// What another process left, or an answer that was asked for again, may be the one refused, or have ended already.
const renewalsMax = 3;

/** One process's hold on the credential. What it knows changes within the store's lock only. @see Credentials */
export class Keeper implements Credentials {
  readonly credentials$: Observable<CredentialsSnapshot>;
  readonly #ports: KeeperPorts;
  readonly #subject: BehaviorSubject<CredentialsSnapshot>;
  readonly #alarm: Alarm;
  readonly #following: { unsubscribe(): void };
  /** Ends waits: for the lock, for the player. */
  readonly #closing = new AbortController();
  #credential: StoredCredential | undefined;
  /** When the present one is to be refreshed, in milliseconds since the Unix epoch. */
  #dueMs = Number.POSITIVE_INFINITY;
  #renewing: Promise<void> | undefined;
  /** The renewals that have the lock or wait for it; one may go on to save what the keychain did not take. */
  #holding: Promise<unknown> | undefined;
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  /** Ends attempts to save what the keychain did not take: somebody has something else for it, or closes. */
  #saving: AbortController | undefined;
  #failures = 0;
  #isAsking = false;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.clock);
    this.#subject = new BehaviorSubject<CredentialsSnapshot>(Object.freeze({ status: 'signed-out', ...ports.held }));
    this.credentials$ = this.#subject.asObservable();
    this.#following = ports.client.status$.subscribe(({ closeCode }) => {
      if (closeCode === closeCodes.AUTHENTICATION_FAILED.code) this.#renewBehind();
    });
  }

  get snapshot(): CredentialsSnapshot {
    return this.#subject.value;
  }

  /**
   * Takes up what the keychain holds. Without the lock, which another process may hold for as long as the service takes to
   * answer: should it change the credential, {@link look} is called, and knows better.
   *
   * @throws KeychainError
   */
  async begin(): Promise<void> {
    const stored = await this.#ports.store.read();
    if (stored && !this.#looking && !this.#hasLooked) this.#adopt(stored);
  }

  /**
   * Another process changed what the keychain holds. It may also have begun to refresh; then the lock comes when it is
   * done, or dead, and what it left undone is taken up here.
   */
  look(): void {
    if (this.#closing.signal.aborted) return;
    const { store, logger, clock, entropy } = this.#ports;
    this.#looking ??= store
      .exclusively(async () => {
        this.#looking = undefined; // whatever changes from here on needs another look
        this.#hasLooked = true;
        const stored = await store.read();
        this.#settle(stored ? { kind: 'taken', credential: stored } : { kind: 'gone' });
        if (stored?.attempt) this.#wakeAt(clock.now() + backoffMs(retryBackoff, 0, entropy));
      }, this.#closing.signal)
      .catch(error => {
        this.#looking = undefined;
        logger.warn({ code: codeOf(error) }, "another process's credential cannot be read now");
      });
  }

  async signIn(args: AuthorizationArgs = new AuthorizationArgs(), options: SignInOptions = {}): Promise<void> {
    this.#assertOpen();
    if (this.#isAsking) throw authorizationInProgress();
    this.#isAsking = true;
    try {
      const tokens = await askPlayer({ ...this.#ports, closing: this.#closing.signal }, args, options);
      await this.accept(tokens, { signal: options.signal });
    } finally {
      this.#isAsking = false;
    }
  }

  async continueSignIn(answer: string, options: RequestOptions = {}): Promise<void> {
    this.#assertOpen();
    await this.accept(await takeAnswer(this.#ports, answer, options), options);
  }

  async accept(tokens: KeptTokens, { signal }: RequestOptions = {}): Promise<void> {
    requireSound(tokens);
    const { store, clock } = this.#ports;
    await this.#change(signal, async () => {
      const before = await store.readForReplacing();
      const { applicationId } = store;
      const generation = before?.generation ?? 0;
      const credential = credentialOf(tokens, { generation, applicationId }, clock.now());
      await store.write(credential);
      this.#adopt(credential);
    });
  }

  async accessToken({ signal, refused }: AccessTokenOptions = {}): Promise<string> {
    this.#assertOpen();
    const nowMs = this.#ports.clock.now();
    const present = this.#tokenBut(refused, nowMs);
    if (present !== undefined) {
      if (this.#dueMs <= nowMs) this.#renewBehind();
      return present;
    }
    for (let attempt = 0; attempt < renewalsMax && this.#credential; attempt++) {
      await unlessAborted(this.#renew(), signal);
      const token = this.#tokenBut(refused, this.#ports.clock.now());
      if (token !== undefined) return token;
    }
    if (this.#credential)
      throw new OAuthError('no_usable_token', 'Every token that is kept has expired or was rejected.');
    throw new OAuthError('signed_out', `Nobody is signed in (${this.snapshot.reason ?? 'never was'}).`);
  }

  async connect({ signal }: RequestOptions = {}): Promise<void> {
    const { client } = this.#ports;
    const token = await this.accessToken({ signal });
    try {
      await client.connect({ signal });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.accessToken({ signal, refused: token });
      await client.connect({ signal });
    }
  }

  async signOut({ signal, revoke = true }: SignOutOptions = {}): Promise<void> {
    const { store } = this.#ports;
    await this.#change(signal, async () => {
      const stored = await store.readForReplacing().catch(() => this.#credential);
      const isRevoked = stored ? revoke && (await this.#revoke(stored)) : true;
      try {
        await store.remove();
      } catch (error) {
        if (!isRevoked) throw error;
        this.#ports.logger.warn({ code: codeOf(error) }, 'a credential that was revoked stays in the keychain');
      }
      this.#forget('signed-out');
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#saving?.abort();
    this.#alarm.cancel();
    this.#following.unsubscribe();
    this.#ports.signal.close();
    await this.#holding;
    this.#subject.complete();
  }

  /** A change that somebody asked for: it goes before further attempts to save what the keychain did not take. */
  async #change(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
    this.#assertOpen();
    this.#saving?.abort();
    const { signal: closing } = this.#closing;
    await this.#ports.store.exclusively(work, signal ? AbortSignal.any([signal, closing]) : closing);
  }

  /** The present token, unless it has ended or is the one refused. */
  #tokenBut(refused: string | undefined, nowMs: number): string | undefined {
    const { accessToken, expiresAtMs = 0 } = this.#credential ?? {};
    return accessToken === refused || nowMs >= expiresAtMs ? undefined : accessToken;
  }

  #renewBehind(): void {
    if (this.#credential && !this.#closing.signal.aborted) this.#renew().catch(() => {});
  }

  /** One refresh at a time; those who ask meanwhile share it. Trouble is shown, and tried again, whoever waits. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { store, logger } = this.#ports;
    const known = this.#credential;
    if (!known) return;
    const settled = Promise.withResolvers<void>();
    const work = async () => {
      const renewal = await renew(this.#ports, known);
      logger.info({ outcome: renewal.kind }, 'the credential was due');
      this.#settle(renewal);
      if (renewal.kind === 'taken') this.#goOn(renewal.credential);
      settled.resolve();
      if (renewal.kind === 'unsaved') await this.#saveLater(renewal.credential);
    };
    const held = store.exclusively(work, this.#closing.signal).catch(error => {
      this.#failed(error);
      settled.reject(error);
    });
    this.#holding = Promise.all([this.#holding, held]);
    await settled.promise;
  }

  #settle(renewal: Renewal): void {
    switch (renewal.kind) {
      case 'renewed':
      case 'taken':
        this.#adopt(renewal.credential);
        break;
      case 'unsaved':
        this.#adopt(renewal.credential);
        this.#publish({ trouble: renewal.error });
        break;
      case 'gone':
        this.#forget('signed-out');
        break;
      case 'ended':
        this.#forget(renewal.reason);
    }
  }

  /**
   * Goes on until the keychain takes it. The lock is held meanwhile: what the keychain has is no good any more, and
   * another process that tried it would take the player for signed out.
   */
  async #saveLater(credential: StoredCredential): Promise<void> {
    const { store, clock, entropy } = this.#ports;
    const saving = new AbortController();
    const { signal } = saving;
    this.#saving = saving;
    if (this.#closing.signal.aborted) saving.abort();
    for (let attempt = 0; ; attempt++) {
      const isLast = signal.aborted;
      try {
        await store.write(credential);
        return this.#publish({});
      } catch (error) {
        this.#ports.logger.warn({ code: codeOf(error) }, 'the keychain does not take the new credential');
        if (isLast) return;
      }
      await pause(clock, backoffMs(retryBackoff, attempt, entropy), signal);
    }
  }

  #adopt(credential: StoredCredential): void {
    const isNew = credential.accessToken !== this.#credential?.accessToken;
    this.#credential = credential;
    if (!isNew) return;
    const { accessToken, expiresAtMs, userId } = credential;
    this.#ports.client.updateToken({ accessToken, expiresAtMs, userId });
    this.#goOn(credential);
  }

  /** Whatever the trouble was, it is over. */
  #goOn(credential: StoredCredential): void {
    this.#failures = 0;
    this.#wakeAt(refreshAtMs(credential, this.#ports.entropy));
    this.#publish({});
  }

  #forget(reason: NonNullable<CredentialsSnapshot['reason']>): void {
    this.#alarm.cancel();
    const wasSignedIn = this.#credential !== undefined;
    this.#credential = undefined;
    if (!wasSignedIn) return;
    this.#ports.client.updateToken(undefined);
    this.#publish({ reason });
  }

  #failed(error: unknown): void {
    const { clock, entropy, logger } = this.#ports;
    if (this.#closing.signal.aborted || !this.#credential) return;
    const pauseMs = backoffMs(retryBackoff, this.#failures++, entropy);
    const askedMs = error instanceof RateLimitError ? error.retryAfterMs : 0;
    logger.warn({ code: codeOf(error), pauseMs }, 'the credential cannot be refreshed now');
    this.#wakeAt(clock.now() + Math.max(pauseMs, askedMs));
    this.#publish({ trouble: asRallypointError(error) });
  }

  #wakeAt(dueMs: number): void {
    this.#dueMs = dueMs;
    if (!this.#closing.signal.aborted) this.#alarm.set(dueMs, () => this.#renewBehind());
  }

  #publish(more: Pick<CredentialsSnapshot, 'reason' | 'trouble'>): void {
    const { held } = this.#ports;
    const { scopes = '', expiresAtMs = 0, userId } = this.#credential ?? {};
    const next: CredentialsSnapshot = this.#credential
      ? { status: 'signed-in', ...held, ...(userId !== undefined && { userId }), scopes, expiresAtMs, ...more }
      : { status: 'signed-out', ...held, ...more };
    if (!isSame(next, this.snapshot)) this.#subject.next(Object.freeze(next));
  }

  /** @returns whether the service knows: it said so, or it did not know the token any more */
  async #revoke({ refreshToken, accessToken }: StoredCredential): Promise<boolean> {
    try {
      await this.#ports.client.revokeToken(refreshToken ?? accessToken);
      return true;
    } catch (error) {
      this.#ports.logger.warn({ code: codeOf(error) }, 'the service could not be told of the sign-out');
      return false;
    }
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new ArgumentError('closed', 'These credentials have been closed.');
  }
}

/** The gateway does not take the token. */
function isRefusal(error: unknown): boolean {
  return error instanceof GatewayError && error.closeCode === closeCodes.AUTHENTICATION_FAILED.code;
}

function isSame(a: CredentialsSnapshot, b: CredentialsSnapshot): boolean {
  const keys: readonly (keyof CredentialsSnapshot)[] = [
    'status',
    'userId',
    'scopes',
    'expiresAtMs',
    'reason',
    'trouble',
  ];
  return keys.every(key => a[key] === b[key]);
}

function codeOf(error: unknown): string {
  return error instanceof RallypointError ? error.code : 'unknown';
}

// A keychain of the game's own may throw anything.
function asRallypointError(cause: unknown): RallypointError {
  if (cause instanceof RallypointError) return cause;
  return new KeychainError('keychain_unusable', 'The keychain failed without saying how.', { cause });
}
