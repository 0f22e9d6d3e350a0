import { ArgumentError, RallypointError, TransportError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import { AuthorizationArgs } from '../auth/authorization-args.ts';
import type { ClientSignInOptions } from '../client.ts';
import type { Credentials, CredentialsSnapshot, SignOutOptions } from '../credentials/credentials.ts';
import { BehaviorSubject, type Observable } from '../live/rxjs.ts';
import { windowIsGone } from './window-connection.ts';

/** What a window, or the start of the game, needs credentials for. */
export interface CredentialsRequest {
  /** The player signs in for this run of the game only: open a keychain of the `memory` tier. */
  readonly forThisRun: boolean;
}

/**
 * What keeps the player signed in: credentials that are open, or a function that opens them. The function is called when
 * windows are served, and again for a sign-in after it has failed.
 */
export type CredentialsSource =
  | Credentials
  | Promise<Credentials>
  | ((request: CredentialsRequest) => Promise<Credentials>);

/** The options of a sign-in that a window, or the main process for them, begins. */
export interface WindowSignInOptions extends ClientSignInOptions {
  /**
   * Keeps the player signed in for this run of the game only, as a player without a keychain may choose. Needs credentials of
   * `serveWindows()` that are a function. Default: false.
   */
  readonly forThisRun?: boolean | undefined;
}

/** Where the player stands with signing in, for all windows. Holds nothing that is secret. */
export interface SignInSnapshot extends Partial<Omit<CredentialsSnapshot, 'status'>> {
  /**
   * `opening`: the credentials are being opened, and the system may be asking the player to unlock the keychain.
   * `unavailable`: they could not be opened, `error` says why, and a sign-in tries again. `signing-in`: the player is in the
   * browser.
   */
  readonly status: 'opening' | 'unavailable' | CredentialsSnapshot['status'] | 'signing-in' | 'signing-out';
  /** Why the credentials are unavailable, or why the last sign-in failed. A sign-in that was aborted leaves none. */
  readonly error?: RallypointError | undefined;
}

export interface SharedSignInOptions {
  readonly source: CredentialsSource;
  /** The options of every sign-in; those that a window passes come before them. */
  readonly options?: (() => ClientSignInOptions | Promise<ClientSignInOptions>) | undefined;
  readonly logger: Logger;
}

/** Signing in and out for all windows. It goes on when the window that began it is gone. */
export class SharedSignIn {
  readonly #subject = new BehaviorSubject<SignInSnapshot>({ status: 'opening' });
  readonly #parts: SharedSignInOptions;
  #credentials: Credentials | undefined;
  #watching: { unsubscribe(): void } | undefined;
  #opening: Promise<Credentials> | undefined;
  #isForThisRun = false;
  #underWay: AbortController | undefined;
  #isSigningOut = false;
  /** Redirects that are being looked at since before the credentials were open. */
  #early = 0;
  #error: RallypointError | undefined;
  #isClosed = false;

  constructor(parts: SharedSignInOptions) {
    this.#parts = parts;
    const { source } = parts;
    if (typeof source === 'object' && 'state$' in source) this.#take(source, false);
    else this.#open(false).catch(() => {});
  }

  get state$(): Observable<SignInSnapshot> {
    return this.#subject;
  }

  get credentials(): Credentials | undefined {
    return this.#credentials;
  }

  /** @throws ArgumentError `authorization_in_progress`; as {@link Credentials.signIn}, and as the game's function does */
  async signIn({ forThisRun = false, signal, ...options }: WindowSignInOptions = {}): Promise<void> {
    if (this.#underWay) throw new ArgumentError('authorization_in_progress', 'A sign-in is in progress.');
    const underWay = new AbortController();
    const onAbort = () => void (signal?.reason !== windowIsGone && this.cancel());
    this.#underWay = underWay;
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    this.#publish();
    try {
      const credentials = await this.#open(forThisRun);
      const { scopes, scheme, redirect } = { ...(await this.#parts.options?.()), ...options };
      const args = new AuthorizationArgs();
      if (scopes !== undefined) args.setScopes(typeof scopes === 'string' ? scopes : scopes.join(' '));
      if (scheme !== undefined) args.setCustomSchemeParam(scheme);
      underWay.signal.throwIfAborted();
      await credentials.signIn(args, { ...(redirect && { redirect }), signal: underWay.signal });
      this.#error = undefined;
    } catch (error) {
      this.#error = underWay.signal.aborted ? undefined : this.#asRallypointError(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#underWay = undefined;
      this.#publish();
    }
  }

  /** Callers that wait for it receive TransportError `aborted`. */
  cancel(): void {
    this.#underWay?.abort(new TransportError('aborted', 'The sign-in was cancelled.'));
  }

  /** @throws as {@link Credentials.continueSignIn} */
  async continueSignIn(answer: string): Promise<void> {
    const isEarly = this.#credentials === undefined;
    if (isEarly) this.#early++;
    try {
      const credentials = await this.#open(this.#isForThisRun);
      await credentials.continueSignIn(answer);
      this.#error = undefined;
      this.cancel();
    } catch (error) {
      const isForeign = error instanceof RallypointError && error.code === 'foreign_redirect';
      if (!isForeign && !this.#underWay) this.#error = this.#asRallypointError(error);
      throw error;
    } finally {
      if (isEarly) this.#early--;
      this.#publish();
    }
  }

  /** @throws as {@link Credentials.signOut} */
  async signOut(options: SignOutOptions = {}): Promise<void> {
    const credentials = await this.#open(this.#isForThisRun);
    this.#isSigningOut = true;
    this.#publish();
    try {
      await credentials.signOut(options);
      this.#error = undefined;
    } finally {
      this.#isSigningOut = false;
      this.#publish();
    }
  }

  /** @throws as {@link Credentials.connect} */
  async connect(signal: AbortSignal): Promise<void> {
    await (await this.#open(this.#isForThisRun)).connect({ signal });
  }

  /** Closes the credentials if the game's function opened them. Does not wait for a player to unlock the keychain. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watching?.unsubscribe();
    this.#subject.complete();
    if (typeof this.#parts.source === 'function') await this.#credentials?.close();
  }

  /** One attempt at a time. Credentials of the other kind are closed: the player has said where they want to be kept. */
  async #open(forThisRun: boolean): Promise<Credentials> {
    while (this.#opening) await this.#opening.catch(() => {});
    const known = this.#credentials;
    if (known && (this.#isForThisRun === forThisRun || known.state.status === 'signed-in')) return known;
    const { source } = this.#parts;
    if (forThisRun && typeof source !== 'function') {
      throw new ArgumentError(
        'invalid_call_arguments',
        'forThisRun needs credentials of serveWindows() to be a function that opens them.',
      );
    }
    const open = async () => (typeof source === 'function' ? source({ forThisRun }) : source);
    this.#watching?.unsubscribe();
    this.#credentials = undefined;
    this.#opening = (async () => {
      await known?.close();
      return open();
    })();
    this.#publish();
    try {
      const credentials = await this.#opening;
      this.#opening = undefined;
      if (this.#isClosed && typeof source === 'function') await credentials.close();
      if (this.#isClosed) throw new ArgumentError('closed', 'The windows are not served any more.');
      this.#take(credentials, forThisRun);
      return credentials;
    } catch (error) {
      this.#opening = undefined;
      this.#error = this.#asRallypointError(error);
      this.#publish();
      throw error;
    }
  }

  #take(credentials: Credentials, forThisRun: boolean): void {
    this.#credentials = credentials;
    this.#isForThisRun = forThisRun;
    this.#error = undefined;
    this.#watching = credentials.state$.subscribe(({ status }) => {
      if (status === 'signed-in') this.#error = undefined;
      this.#publish();
    });
  }

  /** Windows see no more of a foreign error than that there is one. */
  #asRallypointError(error: unknown): RallypointError {
    if (error instanceof RallypointError) return error;
    this.#parts.logger.error({ error }, 'Signing in failed for windows.');
    return new TransportError('main_process_failed', 'Signing in failed in the main process; its log says why.');
  }

  #publish(): void {
    if (this.#isClosed) return;
    const next = this.#snapshot();
    if (!isSame(next, this.#subject.value)) this.#subject.next(Object.freeze(next));
  }

  #snapshot(): SignInSnapshot {
    const error = this.#error && { error: this.#error };
    if (!this.#credentials) return this.#opening ? { status: 'opening' } : { status: 'unavailable', ...error };
    const { state } = this.#credentials;
    if (this.#isSigningOut) return { ...state, status: 'signing-out' };
    if (state.status === 'signed-in') return state;
    if (this.#early > 0) return { status: 'opening' };
    return this.#underWay ? { ...state, status: 'signing-in' } : { ...state, ...error };
  }
}

function isSame(a: SignInSnapshot, b: SignInSnapshot): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof SignInSnapshot>;
  return [...names].every(name => Object.is(a[name], b[name]));
}
