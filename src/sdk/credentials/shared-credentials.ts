import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  ArgumentError,
  GatewayError,
  KeychainError,
  OAuthError,
  RallypointError,
  RateLimitError,
} from '../../model/errors/errors.ts';
import { closeCodes } from '../../model/gateway.ts';
import type { ApplicationId } from '../../model/snowflake.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';
import { leftMs, type Moment, momentIn } from '../../wire/clock/moment.ts';
import {
  type Clock,
  type Entropy,
  type Logger,
  silentLogger,
  steadyNow,
  systemClock,
  systemEntropy,
} from '../../wire/clock/ports.ts';
import { closeMsMax, settleWithin } from '../../wire/clock/settle-within.ts';
import { reportErrors } from '../../wire/error-report.ts';
import { backoffMs } from '../../wire/http/backoff.ts';
import { Deadline, requireTimeLeft } from '../../wire/http/deadline.ts';
import { AuthorizationArgs } from '../auth/authorization-args.ts';
import { authorizationInProgress } from '../auth/authorizer.ts';
import { requireExpiry, requireValidToken } from '../auth/held-token.ts';
import type { RequestOptions } from '../call-options.ts';
import { Alarm } from '../connection/alarm.ts';
import { dataFolder } from '../keychain/private-folder.ts';
import { LiveValue } from '../live/live-value.ts';
import type { Observable } from '../live/rxjs.ts';
import { ChangeNotifier } from './change-notifier.ts';
import { CredentialStore, withKeychainErrors } from './credential-store.ts';
import type {
  AccessTokenOptions,
  Credentials,
  CredentialsClient,
  CredentialsOptions,
  CredentialsSnapshot,
  SignInOptions,
  SignOutOptions,
} from './credentials.ts';
import { openProcessLock } from './process-lock.ts';
import { lifeLeftMs, type RefreshOutcome, refresh, refreshInMs, retryBackoff } from './refresh.ts';
import { continueSignIn, PendingSignIn, signIn } from './sign-in.ts';
import { credentialOf, type KeptTokens, type StoredCredential } from './stored-credential.ts';

/** @see openCredentials */
export async function openSharedCredentials(
  applicationId: ApplicationId,
  options: CredentialsOptions,
): Promise<Credentials> {
  const { client, clock = systemClock, entropy = systemEntropy } = options;
  const keychain = withKeychainErrors(options.keychain);
  const logger = reportErrors(options.logger ?? silentLogger);
  const account = options.account ?? applicationId;
  const name = fileNameOf(applicationId, account);
  const path = join(options.folder ?? dataFolder(), `credentials-${name}`);
  const lock = await openProcessLock({ path: `${path}.lock`, clock, entropy, kinds: options.locks });
  const onChange = () => credentials.readChange();
  const notifier = await ChangeNotifier.open({ path: `${path}.changed`, clock, entropy, logger, onChange });
  const notify = () => notifier.notify();
  const store = new CredentialStore({ keychain, account, applicationId, lock, notify, logger });
  const pending = new PendingSignIn({ keychain, account: `sign-in-${name}`, applicationId, clock, logger });
  const storage = { tier: keychain.tier, backend: keychain.backend, lock: lock.kind };
  const credentials = new SharedCredentials({ client, store, pending, storage, notifier, logger, clock, entropy });
  logger.info(storage, 'credentials opened');
  try {
    await credentials.load();
    return credentials;
  } catch (error) {
    await credentials.close();
    throw error;
  }
}

/** A safe file name for any texts. */
function fileNameOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

export interface SharedCredentialsPorts {
  readonly client: CredentialsClient;
  readonly store: CredentialStore;
  readonly pending: PendingSignIn;
  /** How the credential is stored. */
  readonly storage: Pick<CredentialsSnapshot, 'tier' | 'backend' | 'lock'>;
  readonly notifier: Pick<ChangeNotifier, 'close'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

// A game may ask for the token before each of its own requests, and must not pass all of them on to a service that is not well. The
// first attempts are made without a pause, because a player may retry.
const restMs = 1_000;
const attemptsWithoutRest = 3;

// A refreshed token can be the rejected one again (another process's, or a repeated answer), or have expired already.
const refreshesMax = 3;

/**
 * The credential as one process sees it, while other processes share it. What this process knows changes only while it holds
 * the store's lock.
 */
class SharedCredentials implements Credentials {
  readonly state$: Observable<CredentialsSnapshot>;
  readonly #ports: SharedCredentialsPorts;
  readonly #live: LiveValue<CredentialsSnapshot>;
  readonly #alarm: Alarm;
  readonly #following: { unsubscribe(): void };
  /** Aborts what waits for the lock or for the player. */
  readonly #closing = new AbortController();
  /** Aborts a refresh in progress. */
  readonly #abandoning = new AbortController();
  #credential: StoredCredential | undefined;
  /** When its access token expires. */
  #expiry: Moment | undefined;
  /** The token that a server rejected last. */
  #rejected: string | undefined;
  /** When the credential is to be refreshed. */
  #due: Moment | undefined;
  /** The refresh in progress, which concurrent callers share. */
  #refreshing: Promise<void> | undefined;
  /** The refreshes that hold the lock or wait for it, up to the end of a retried save. */
  #holding: Promise<unknown> | undefined;
  #readingChange: Promise<void> | undefined;
  #hasReadChange = false;
  /** Aborts the attempts to save a refreshed credential: a newer one replaces it, or the credentials are closed. */
  #saving: AbortController | undefined;
  #failures = 0;
  /** In a row, since there was a usable token. */
  #attemptsInVain = 0;
  /** What {@link accessToken} rejects with, instead of sending a request, until this time of the steady clock. */
  #resting: { readonly error: RallypointError; readonly untilMs: number } | undefined;
  #isSigningIn = false;

  constructor(ports: SharedCredentialsPorts) {
    this.#ports = ports;
    this.#alarm = new Alarm(ports.clock);
    this.#live = new LiveValue<CredentialsSnapshot>(Object.freeze({ status: 'signed-out', ...ports.storage }));
    this.state$ = this.#live.value$;
    this.#following = ports.client.status$.subscribe(({ closeCode }) => {
      if (closeCode !== closeCodes.AUTHENTICATION_FAILED.code) return;
      this.#rejected = this.#credential?.accessToken;
      this.#refreshInBackground();
    });
    ports.client.setTokenRenewal?.((rejected, options) => this.accessToken({ ...options, rejected }));
  }

  get state(): CredentialsSnapshot {
    return this.#live.value;
  }

  /**
   * Reads the credential from the keychain, without the lock, which another process may hold for the length of a request.
   * If that process changes the credential, {@link readChange} follows and overrides this.
   *
   * @throws KeychainError
   */
  async load(): Promise<void> {
    const { store, clock } = this.#ports;
    const stored = await store.read();
    if (!stored || this.#readingChange || this.#hasReadChange) return;
    // It stays in the keychain: the next start may find that the clock was wrong.
    if (stored.refreshToken === undefined && clock.now() >= stored.expiresAtMs) this.#publish({ reason: 'expired' });
    else this.#adopt(stored);
  }

  /**
   * Reads the credential after another process has changed it. If that process is refreshing, the lock is free once it has
   * finished or died; a refresh that it left unfinished is repeated here.
   */
  readChange(): void {
    if (this.#closing.signal.aborted) return;
    const { store, logger, entropy } = this.#ports;
    this.#readingChange ??= store
      .exclusively(async () => {
        this.#readingChange = undefined; // a change from here on has to be read again
        this.#hasReadChange = true;
        const stored = await store.read();
        this.#apply(stored ? { kind: 'current', credential: stored } : { kind: 'removed' });
        if (stored?.attempt) this.#refreshIn(backoffMs(retryBackoff, 0, entropy));
      }, this.#closing.signal)
      .catch(error => {
        this.#readingChange = undefined;
        logger.warn({ code: codeOf(error) }, 'a credential that another process changed could not be read');
      });
  }

  async signIn(args: AuthorizationArgs = new AuthorizationArgs(), options: SignInOptions = {}): Promise<void> {
    this.#assertOpen();
    if (this.#isSigningIn) throw authorizationInProgress();
    this.#requireOwn(new AuthorizationArgs(args));
    this.#isSigningIn = true;
    try {
      const tokens = await signIn({ ...this.#ports, closing: this.#closing.signal }, args, options);
      await this.accept(tokens, { signal: options.signal });
    } finally {
      this.#isSigningIn = false;
    }
  }

  async continueSignIn(answer: string, options: RequestOptions = {}): Promise<void> {
    this.#assertOpen();
    parseOptions(options);
    await this.accept(await continueSignIn(this.#ports, answer, options), options);
  }

  async accept(tokens: KeptTokens, options?: RequestOptions): Promise<void> {
    const { signal } = parseOptions(options);
    requireType('tokens', tokens, 'object');
    requireValidToken(tokens);
    requireExpiry(tokens.expiresAtMs);
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

  async accessToken(options: AccessTokenOptions = {}): Promise<string> {
    this.#assertOpen();
    requireTimeLeft(options);
    const { signal, rejected } = options;
    const { clock } = this.#ports;
    if (rejected !== undefined) this.#rejected = rejected;
    const current = this.#tokenExcept(rejected);
    if (current !== undefined) {
      this.#attemptsInVain = 0;
      if (this.#due && leftMs(clock, this.#due) <= 0) this.#refreshInBackground();
      return current;
    }
    if (this.#credential && this.#resting && steadyNow(clock) < this.#resting.untilMs) throw this.#resting.error;
    for (let attempt = 0; attempt < refreshesMax && this.#credential; attempt++) {
      await this.#untilAborted(this.#refresh(), signal);
      const token = this.#tokenExcept(rejected);
      if (token !== undefined) return token;
    }
    if (this.#credential) {
      const message = 'Every stored token has expired or was rejected. Sign in again.';
      throw this.#rest(new OAuthError('no_usable_token', message));
    }
    const reason = this.state.reason ?? 'never signed in';
    throw new OAuthError('signed_out', `No player is signed in (${reason}). Call signIn() first.`);
  }

  async connect(options?: RequestOptions): Promise<void> {
    const { signal } = parseOptions(options);
    const { client } = this.#ports;
    const token = await this.accessToken({ signal });
    try {
      await client.connect({ signal });
    } catch (error) {
      if (!isTokenRejection(error)) throw error;
      await this.accessToken({ signal, rejected: token });
      await client.connect({ signal });
    }
  }

  async signOut(options?: SignOutOptions): Promise<void> {
    const { signal, revoke = true } = parseOptions(options);
    const { store } = this.#ports;
    await this.#change(signal, async () => {
      const stored = await store.readForReplacing().catch(() => this.#credential);
      const isRevoked = stored ? revoke && (await this.#revoke(stored)) : true;
      try {
        await store.remove();
      } catch (error) {
        if (!isRevoked) throw error;
        this.#ports.logger.warn({ code: codeOf(error) }, 'a revoked credential could not be deleted from the keychain');
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
    this.#ports.notifier.close();
    await settleWithin(this.#ports.clock, closeMsMax, this.#holding);
    this.#abandoning.abort();
    this.#live.complete();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs a change that the game asked for, which replaces a credential that is still being saved. */
  async #change(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
    this.#assertOpen();
    this.#saving?.abort();
    const { signal: closing } = this.#closing;
    await this.#ports.store.exclusively(work, signal ? AbortSignal.any([signal, closing]) : closing);
  }

  /** The current token, unless it has expired or is the rejected one. */
  #tokenExcept(rejected: string | undefined): string | undefined {
    const { accessToken } = this.#credential ?? {};
    return accessToken === rejected || !this.#credential || this.#hasExpired(this.#credential)
      ? undefined
      : accessToken;
  }

  /**
   * By either clock, because the machine may have slept. A token that cannot be refreshed would be lost if the clock is only wrong:
   * it has expired when this process has lived through its life, or a server says so, too.
   */
  #hasExpired({ accessToken, refreshToken, expiresAtMs }: StoredCredential): boolean {
    const { clock } = this.#ports;
    if (!this.#expiry || accessToken !== this.#credential?.accessToken) return clock.now() >= expiresAtMs;
    const isKept = refreshToken === undefined && accessToken !== this.#rejected;
    return (isKept ? this.#expiry.steadyMs - steadyNow(clock) : leftMs(clock, this.#expiry)) <= 0;
  }

  #refreshInBackground(): void {
    if (this.#credential && !this.#closing.signal.aborted) this.#refresh().catch(() => {});
  }

  /** Waits for work that others share; aborting ends the wait, not the work. @throws TransportError `aborted` */
  async #untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const wait = new Deadline(this.#ports.clock, Number.POSITIVE_INFINITY, signal);
    try {
      await wait.within(work);
    } finally {
      wait.close();
    }
  }

  /** One refresh runs at a time, and concurrent callers share it. A failure is published and retried. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<void> {
    const { store, logger } = this.#ports;
    const known = this.#credential;
    if (!known) return;
    const done = Promise.withResolvers<void>();
    const work = async () => {
      const outcome = await refresh(
        { ...this.#ports, signal: this.#abandoning.signal, hasExpired: stored => this.#hasExpired(stored) },
        known,
      );
      logger.info({ outcome: outcome.kind }, 'the credential was due for a refresh');
      this.#apply(outcome);
      if (outcome.kind === 'current') this.#schedule(outcome.credential);
      done.resolve();
      if (outcome.kind === 'unsaved') await this.#retrySave(outcome.credential);
    };
    const held = store.exclusively(work, this.#closing.signal).catch(error => {
      this.#failed(error);
      done.reject(error);
    });
    this.#holding = Promise.all([this.#holding, held]);
    await done.promise;
  }

  #apply(outcome: RefreshOutcome): void {
    switch (outcome.kind) {
      case 'refreshed':
      case 'current':
        this.#adopt(outcome.credential);
        break;
      case 'unsaved':
        this.#adopt(outcome.credential);
        this.#publish({ trouble: outcome.error });
        break;
      case 'removed':
        this.#forget('signed-out');
        break;
      case 'ended':
        this.#forget(outcome.reason);
    }
  }

  /**
   * Retries until the keychain stores the credential. The lock is held meanwhile: the keychain's refresh token has been used,
   * and another process that used it again would sign the player out.
   */
  async #retrySave(credential: StoredCredential): Promise<void> {
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
        this.#ports.logger.warn(
          { code: codeOf(error) },
          'the new credential could not be stored in the keychain; it is retried',
        );
        if (isLast) return;
      }
      await pause(clock, backoffMs(retryBackoff, attempt, entropy), signal);
    }
  }

  #adopt(credential: StoredCredential): void {
    const isNew = credential.accessToken !== this.#credential?.accessToken;
    this.#credential = credential;
    if (!isNew) return;
    this.#resting = undefined;
    this.#expiry = momentIn(this.#ports.clock, lifeLeftMs(credential, this.#ports.clock.now()));
    const { accessToken, expiresAtMs, userId } = credential;
    this.#ports.client.updateToken({ accessToken, expiresAtMs, userId });
    this.#schedule(credential);
  }

  /** Schedules the next refresh and clears the trouble. */
  #schedule(credential: StoredCredential): void {
    this.#failures = 0;
    const { clock, entropy } = this.#ports;
    // What cannot be refreshed ends with its token, which may have been adopted long ago.
    if (credential.refreshToken !== undefined) this.#refreshIn(refreshInMs(credential, clock.now(), entropy));
    else if (this.#expiry) this.#refreshIn(this.#expiry.steadyMs - steadyNow(clock));
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
    const { entropy, logger } = this.#ports;
    if (this.#closing.signal.aborted || !this.#credential) return;
    const pauseMs = backoffMs(retryBackoff, this.#failures++, entropy);
    const askedMs = error instanceof RateLimitError ? error.retryAfterMs : 0;
    logger.warn({ code: codeOf(error), pauseMs }, 'the credential could not be refreshed; it is retried');
    this.#refreshIn(Math.max(pauseMs, askedMs));
    this.#publish({ trouble: this.#rest(asRallypointError(error), askedMs) });
  }

  #rest(error: RallypointError, askedMs = 0): RallypointError {
    const pauseMs = ++this.#attemptsInVain < attemptsWithoutRest ? 0 : restMs;
    this.#resting = { error, untilMs: steadyNow(this.#ports.clock) + Math.max(pauseMs, askedMs) };
    return error;
  }

  #refreshIn(ms: number): void {
    this.#due = momentIn(this.#ports.clock, ms);
    if (!this.#closing.signal.aborted) this.#alarm.set(this.#due, () => this.#refreshInBackground());
  }

  #publish(more: Pick<CredentialsSnapshot, 'reason' | 'trouble'>): void {
    const { storage } = this.#ports;
    const { scopes = '', expiresAtMs = 0, userId } = this.#credential ?? {};
    const next: CredentialsSnapshot = this.#credential
      ? { status: 'signed-in', ...storage, ...(userId !== undefined && { userId }), scopes, expiresAtMs, ...more }
      : { status: 'signed-out', ...storage, ...more };
    if (!isSame(next, this.state)) this.#live.set(Object.freeze(next));
  }

  /** @returns whether the token is revoked, or was unknown to the service */
  async #revoke({ refreshToken, accessToken }: StoredCredential): Promise<boolean> {
    try {
      await this.#ports.client.revokeToken(refreshToken ?? accessToken);
      return true;
    } catch (error) {
      this.#ports.logger.warn({ code: codeOf(error) }, 'the authorization could not be revoked at the service');
      return false;
    }
  }

  /** Refreshes are made for this application, so a sign-in to another one would end with its first token. */
  #requireOwn({ clientId }: AuthorizationArgs): void {
    const { applicationId } = this.#ports.store;
    if (clientId === undefined || clientId === applicationId) return;
    throw new ArgumentError(
      'invalid_argument',
      `args.clientId must be the application of these credentials, ${applicationId} (got ${clientId}).`,
    );
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted)
      throw new ArgumentError('closed', 'These credentials are closed. Call openCredentials() again.');
  }
}

/** Whether the gateway rejected the token. */
function isTokenRejection(error: unknown): boolean {
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

// The game's own keychain may throw anything.
function asRallypointError(cause: unknown): RallypointError {
  if (cause instanceof RallypointError) return cause;
  return new KeychainError('keychain_unusable', 'The keychain failed for an unknown reason; see the cause.', { cause });
}

/** Resolves after `ms`, or when `signal` aborts. Unlike a {@link Deadline} it does not keep the process alive. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve();
    const stop = () => {
      cancel();
      resolve();
    };
    const cancel = clock.schedule(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
