import {
  ArgumentError,
  AuthorizationArgs,
  type Client,
  type Credentials,
  type CredentialsSnapshot,
  type KeychainTier,
} from '@rallypoint/sdk';
import { outcomeOf, problemNamed, problemOf } from '../shared/problem.ts';
import type { CredentialView, Outcome, Problem } from '../shared/state.ts';
import type { Journal } from './journal.ts';
import type { Redirects } from './redirects.ts';
import type { StateStore } from './state-store.ts';

/** What a {@link SignIn} stands on. */
export interface SignInParts {
  readonly client: Client;
  /** Opens what the tokens are kept in; undefined: the keychains that were allowed for this run. */
  readonly openCredentials: (allow?: readonly KeychainTier[]) => Promise<Credentials>;
  readonly redirects: Redirects;
  readonly store: StateStore;
  readonly journal: Journal;
  readonly now: () => number;
  /** Somebody is signed in from here on. */
  readonly onEntered: () => void;
  /** Nobody is signed in any more. */
  readonly onLeft: () => void;
}

/** The player's way in and out. The SDK keeps the tokens, renews them and hands them to the client. */
export class SignIn {
  readonly #parts: SignInParts;
  #credentials: Credentials | undefined;
  #underWay: AbortController | undefined;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    void parts.redirects.view.then(redirect => {
      parts.store.set({ redirect });
      if (redirect.way === 'loopback')
        parts.journal.note(`The browser comes back by an address of this computer. ${redirect.reason ?? ''}`);
    });
  }

  /** Goes on where the last run ended: signed in, or in the middle of it. */
  async start(): Promise<void> {
    const { store, journal, redirects } = this.#parts;
    const { startAddress } = redirects;
    const outcome = await outcomeOf(() => this.#open());
    if (this.#credentials?.state.status === 'signed-in') {
      journal.note('Still signed in from last time.', 'good');
      this.#enter();
      return;
    }
    if (this.#credentials && startAddress !== undefined) return this.#continue(this.#credentials, startAddress);
    store.set({ session: { step: 'signed-out' } });
    if (outcome.ok) journal.note('Ready to sign in.');
    else journal.note(`Your sign-in cannot be kept: ${outcome.problem.message}`, 'warning');
  }

  /** @param keep false: in this run's memory only, which the player must say */
  async signIn(keep: boolean): Promise<Outcome> {
    const { store, journal, now } = this.#parts;
    if (store.value.session.step !== 'signed-out') return { ok: false, problem: problemOf(busy()) };
    const underWay = new AbortController();
    this.#underWay = underWay;
    store.set({ session: { step: 'signing-in', sinceMs: now() } });
    journal.note('The browser opens, for you to sign in.');
    const outcome = await outcomeOf(() => this.#ask(keep, underWay.signal));
    this.#underWay = undefined;
    // Whoever cancelled knows it.
    this.#ended(outcome, underWay.signal.aborted ? undefined : problemIn(outcome));
    return outcome;
  }

  /**
   * Takes an answer that nobody waited for. It may be to what an earlier run asked: the player has started the game again
   * meanwhile. Or it is anybody's, and nothing happens.
   *
   * @returns whether the player is signed in by it
   */
  async takeUp(answer: string): Promise<boolean> {
    const credentials = this.#credentials;
    if (!credentials || this.#parts.store.value.session.step !== 'signed-out') return false;
    const outcome = await outcomeOf(() => credentials.continueSignIn(answer));
    const problem = problemIn(outcome);
    if (this.isUnderWay && outcome.ok) this.cancel();
    else if (!this.isUnderWay && problem?.code !== 'foreign_redirect') this.#ended(outcome, problem);
    return outcome.ok;
  }

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  cancel(): void {
    this.#underWay?.abort();
  }

  /** Here, at the service and in all windows. Should the keychain not let go, the player stays signed in. */
  async signOut(): Promise<void> {
    const { store, journal } = this.#parts;
    const { session } = store.value;
    store.set({ session: { step: 'signing-out' } });
    try {
      await this.#credentials?.signOut();
    } catch (error) {
      store.set({ session });
      throw error;
    }
    journal.note('You signed out: here, in other windows and at the service.');
    this.#leave();
  }

  async accessToken(): Promise<string> {
    if (this.#credentials) return this.#credentials.accessToken();
    throw new ArgumentError('missing_access_token', 'Nobody is signed in.');
  }

  /** Where the service takes the player's token no more, and there is no other, the player is signed out. */
  async connect(): Promise<void> {
    await this.#credentials?.connect();
  }

  /** A sign-in under way is not cancelled: its answer starts the game again. */
  async close(): Promise<void> {
    await this.#credentials?.close();
  }

  async #open(allow?: readonly KeychainTier[]): Promise<Credentials> {
    if (this.#credentials) return this.#credentials;
    const { openCredentials, store } = this.#parts;
    try {
      this.#credentials = await openCredentials(allow);
    } catch (error) {
      store.set({ credential: { tier: 'unknown', scopes: [], problem: problemOf(error) } });
      throw error;
    }
    this.#credentials.state$.subscribe(snapshot => this.#changed(snapshot));
    return this.#credentials;
  }

  async #ask(keep: boolean, signal: AbortSignal): Promise<void> {
    const credentials = await this.#open(keep ? undefined : ['memory']);
    const { way, scheme } = await this.#parts.redirects.view;
    if (way !== 'custom-scheme') return credentials.signIn(new AuthorizationArgs(), { redirect: 'loopback', signal });
    const args = new AuthorizationArgs().setCustomSchemeParam(scheme);
    return credentials.signIn(args, { redirect: way, signal });
  }

  /** The browser has started the game, with an answer to what the last run asked. */
  async #continue(credentials: Credentials, answer: string): Promise<void> {
    const outcome = await outcomeOf(() => credentials.continueSignIn(answer));
    const problem = problemIn(outcome);
    this.#ended(outcome, problem?.code === 'foreign_redirect' ? problemNamed('late_redirect') : problem);
  }

  #ended(outcome: Outcome, problem: Problem | undefined): void {
    const { journal } = this.#parts;
    // An answer to what was asked before may have come first.
    if (outcome.ok || this.#credentials?.state.status === 'signed-in') {
      journal.note('You are signed in.', 'good');
      this.#enter();
    } else {
      journal.note(`Signing in did not succeed: ${outcome.problem.message}`, 'warning');
      this.#leave(problem);
    }
  }

  #enter(): void {
    this.#parts.store.set({ session: { step: 'signed-in' } });
    this.#parts.onEntered();
  }

  #leave(problem?: Problem): void {
    this.#parts.store.set({ session: { step: 'signed-out', ...(problem && { problem }) } });
    this.#parts.onLeft();
  }

  /** What the SDK says of the credential, of whichever window it comes. */
  #changed(snapshot: CredentialsSnapshot): void {
    const { store, journal } = this.#parts;
    store.set({ credential: credentialView(snapshot) });
    if (snapshot.status === 'signed-in' || store.value.session.step !== 'signed-in') return;
    const problem = problemNamed(endings[snapshot.reason ?? 'signed-out']);
    journal.note(problem.message, 'warning');
    this.#leave(problem);
  }
}

function problemIn(outcome: Outcome): Problem | undefined {
  return outcome.ok ? undefined : outcome.problem;
}

/** Why a sign-in ended that this window did not end, by the code of its {@link playerWords}. */
const endings: Readonly<Record<NonNullable<CredentialsSnapshot['reason']>, string>> = {
  'signed-out': 'signed_out_elsewhere',
  revoked: 'revoked',
  expired: 'expired',
  interrupted: 'interrupted',
};

function busy(): ArgumentError {
  return new ArgumentError('authorization_in_progress', 'A sign-in is under way.');
}

function credentialView({ tier, backend, expiresAtMs, scopes = '', trouble }: CredentialsSnapshot): CredentialView {
  return {
    tier,
    backend,
    scopes: scopes.split(' ').filter(Boolean),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(trouble !== undefined && { trouble: problemOf(trouble) }),
  };
}
