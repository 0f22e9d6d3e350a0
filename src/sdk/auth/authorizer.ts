import { ArgumentError, TransportError, ValidationError } from '../../model/errors/errors.ts';
import { customSchemePrefix } from '../../model/oauth.ts';
import { requireChoice } from '../../wire/arguments.ts';
import { type Clock, type Entropy, type Logger, randomToken } from '../../wire/clock/ports.ts';
import { codeChallengeRequired } from '../../wire/oauth/authorization-fields.ts';
import { authorizeUrl, customSchemeRedirect } from '../../wire/oauth/authorize-url.ts';
import type { ExpectedRedirect, RedirectResult } from '../../wire/oauth/read-redirect.ts';
import { AuthorizationArgs, clientIdOf } from './authorization-args.ts';
import { type LoopbackReceiver, openLoopbackReceiver } from './loopback-receiver.ts';
import { type OpenBrowser, showPage } from './open-browser.ts';
import type { RedirectPage } from './redirect-page.ts';
import { validateRedirect } from './redirect-validation.ts';

/**
 * How the answer returns to the game.
 *
 * - `loopback`: to `http://127.0.0.1:PORT/callback`, a server that listens for the duration of the call, and half a minute
 *   after its answer shows its page again, for a browser that loads it a second time
 * - `custom-scheme`: to `<scheme>:/authorize/callback`, which the system passes to the game and the game to
 *   {@link Client.handleRedirect}
 *
 * @see docs/spec/oauth2.md#redirects
 */
export type RedirectWay = 'loopback' | 'custom-scheme';

export interface AuthorizeOptions {
  /** Default: `custom-scheme` if the arguments contain a scheme, else `loopback`. */
  readonly redirect?: RedirectWay | undefined;
  /** Aborts the wait. A page that is already open stays open. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The address that this process was started with ({@link SchemeReceiver.startAddress}), to finish an authorization that an
   * earlier process of the game began. The arguments must be the same as then, in particular `state`. No page is opened.
   */
  readonly answer?: string | undefined;
}

/** What the player granted: a code that works once, within 100 s. Pass it to {@link Client.getToken} unchanged. */
export interface AuthorizationGrant {
  readonly code: string;
  /** The redirect address that was used. The token endpoint requires the same one. */
  readonly redirectUri: string;
  /** The nonce of the arguments. Without it {@link Client.getToken} does not compare the one of the ID token. */
  readonly nonce?: string | undefined;
  /** The application that the player authorized, which alone can use the code. Default: the client's `applicationId`. */
  readonly clientId?: string | undefined;
}

export interface AuthorizerPorts {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly openBrowser: OpenBrowser;
  /** Valid. */
  readonly redirectPage?: RedirectPage | undefined;
}

// Browsers load a page ahead of showing it, and players reload it.
export const lingerMs = 30_000;

// Unspecified: the length of `state`. 32 bytes, as for a code verifier.
const stateBytes = 32;

/** A random `state`, by which the answer to an authorization is recognized. */
export function createState(entropy: Entropy): string {
  return randomToken(entropy, stateBytes);
}

const redirectWays: readonly RedirectWay[] = ['loopback', 'custom-scheme'];

/** {@link AuthorizeOptions.redirect}, or its default. @throws ArgumentError `invalid_argument` */
export function redirectWayOf(args: AuthorizationArgs, { redirect, answer }: AuthorizeOptions): RedirectWay {
  requireChoice('redirect', redirect, redirectWays);
  const isLoopback = args.customSchemeParam === undefined && answer === undefined;
  return redirect ?? (isLoopback ? 'loopback' : 'custom-scheme');
}

/** Runs one authorization at a time: opens the page, and waits for its redirect. */
export class Authorizer {
  readonly #ports: AuthorizerPorts;
  #pending: PendingAuthorization | undefined;
  /** Receivers that have their answer, and how to close them. */
  readonly #lingering = new Set<() => Promise<void>>();

  constructor(ports: AuthorizerPorts) {
    this.#ports = ports;
  }

  /** @see {@link Client.authorize} */
  async authorize(
    given: AuthorizationArgs,
    applicationId: string | undefined,
    options: AuthorizeOptions,
  ): Promise<AuthorizationGrant> {
    const args = new AuthorizationArgs(given);
    const redirect = redirectWayOf(args, options);
    checkArguments(args, redirect);
    const clientId = clientIdOf(args, applicationId);
    if (options.answer !== undefined) return this.#readAnswer(args, clientId, options.answer);
    if (options.signal?.aborted) throw aborted();
    if (this.#pending) throw authorizationInProgress();
    const pending = new PendingAuthorization();
    this.#pending = pending;
    const abort = () => pending.fail(aborted());
    options.signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#ask(args, clientId, redirect, pending);
    } finally {
      options.signal?.removeEventListener('abort', abort);
      this.#pending = undefined;
    }
  }

  /** Handles an address that the system passed to the game. Returns false when it ends no authorization in progress. */
  handleRedirect(address: string): boolean {
    const pending = this.#pending;
    if (!pending || pending.isOver) return false;
    const result = pending.validate(address);
    if (result.kind === 'foreign') return false;
    pending.settle(result);
    return true;
  }

  /** Aborts the authorization in progress, if any. */
  abort(): void {
    this.#pending?.fail(aborted());
  }

  /** Aborts the authorization in progress, and closes all ports. */
  close(): void {
    this.abort();
    for (const end of this.#lingering) void end();
  }

  async #ask(
    args: AuthorizationArgs,
    clientId: string,
    redirect: RedirectWay,
    pending: PendingAuthorization,
  ): Promise<AuthorizationGrant> {
    const { baseUrl, entropy, logger, redirectPage } = this.#ports;
    const receiver = redirect === 'loopback' ? await openLoopbackReceiver(pending, redirectPage) : undefined;
    try {
      const redirectUri = receiver?.redirectUri ?? customSchemeRedirect(schemeOf(args, clientId));
      const state = args.state ?? createState(entropy);
      pending.expect({ redirectUri, state, issuer: baseUrl });
      logger.info({ redirectUri, scopes: args.scopes }, 'asking the player to authorize');
      if (!pending.isOver) this.#show(authorizeUrl(args, { baseUrl, clientId, redirectUri, state }), pending);
      return grantOf(await pending.code, redirectUri, args.nonce, clientId);
    } finally {
      if (receiver && pending.outcome) this.#linger(receiver);
      else await receiver?.close();
    }
  }

  #linger(receiver: LoopbackReceiver): void {
    receiver.unref();
    const end = () => {
      cancel();
      this.#lingering.delete(end);
      return receiver.close();
    };
    const cancel = this.#ports.clock.schedule(lingerMs, end);
    this.#lingering.add(end);
  }

  #readAnswer(args: AuthorizationArgs, clientId: string, answer: string): AuthorizationGrant {
    const { state, nonce } = args;
    if (state === undefined) {
      throw new ArgumentError(
        'missing_state',
        'args.state is missing: an answer needs the state of the authorization that it belongs to.',
      );
    }
    const redirectUri = customSchemeRedirect(schemeOf(args, clientId));
    const result = validateRedirect(answer, { redirectUri, state, issuer: this.#ports.baseUrl });
    if (result.kind === 'rejected') throw result.error;
    if (result.kind === 'granted') return grantOf(result.code, redirectUri, nonce, clientId);
    throw new ArgumentError(
      'foreign_redirect',
      'answer does not belong to this authorization: its state or address differs. Start a new sign-in.',
    );
  }

  // Openers end immediately or with the browser. Only a failure matters here.
  async #show(url: string, pending: PendingAuthorization): Promise<void> {
    await showPage(this.#ports.openBrowser, url).catch(error => pending.fail(error));
  }
}

/** An authorization that waits for its redirect. */
class PendingAuthorization {
  /** Whether a redirect or a failure has ended it. */
  isOver = false;
  /** The redirect that ended it. */
  outcome: RedirectResult | undefined;
  readonly #answer = Promise.withResolvers<string>();
  #expected: ExpectedRedirect | undefined;

  constructor() {
    // It may fail before authorize() awaits it.
    this.#answer.promise.catch(() => {});
  }

  get code(): Promise<string> {
    return this.#answer.promise;
  }

  expect(redirect: ExpectedRedirect): void {
    this.#expected = redirect;
  }

  validate(address: string): RedirectResult {
    if (!this.#expected || (this.isOver && !this.outcome)) return { kind: 'foreign' };
    const result = validateRedirect(address, this.#expected);
    // The page is shown again for a redirect that comes again; only the first one counts.
    if (this.outcome) return result.kind === 'foreign' ? { kind: 'foreign' } : this.outcome;
    return result;
  }

  settle(result: RedirectResult): void {
    if (result.kind === 'foreign' || this.isOver) return;
    this.isOver = true;
    this.outcome = result;
    if (result.kind === 'granted') this.#answer.resolve(result.code);
    else this.#answer.reject(result.error);
  }

  fail(error: Error): void {
    this.isOver = true;
    this.#answer.reject(error);
  }
}

function grantOf(code: string, redirectUri: string, nonce: string | undefined, clientId: string): AuthorizationGrant {
  return { code, redirectUri, ...(nonce === undefined ? {} : { nonce }), clientId };
}

function checkArguments(args: AuthorizationArgs, redirect: RedirectWay): void {
  const issues = args.check();
  if (redirect === 'custom-scheme' && args.codeChallenge === undefined) issues.push(codeChallengeRequired());
  if (issues.length > 0) throw new ValidationError('AuthorizationArgs', issues);
}

function schemeOf({ customSchemeParam }: AuthorizationArgs, clientId: string): string {
  return customSchemeParam ?? customSchemePrefix + clientId;
}

export function authorizationInProgress(): ArgumentError {
  return new ArgumentError(
    'authorization_in_progress',
    'Another authorization is in progress. Wait for it, or abort it first.',
  );
}

function aborted(): TransportError {
  return new TransportError('aborted', 'The authorization was aborted.');
}
