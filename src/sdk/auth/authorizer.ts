import { ArgumentError, TransportError, ValidationError } from '../../model/errors/errors.ts';
import { authorizePagePath, customSchemePrefix } from '../../model/oauth.ts';
import { type Entropy, type Logger, randomToken } from '../../wire/clock/ports.ts';
import { codeChallengeMethod } from '../../wire/pkce.ts';
import { customSchemeRedirect } from '../redirect/scheme.ts';
import { AuthorizationArgs } from './authorization-args.ts';
import { codeChallengeRequired } from './authorization-fields.ts';
import { clientIdOf } from './client-id.ts';
import { openLoopbackReceiver } from './loopback-receiver.ts';
import { type OpenBrowser, showPage } from './open-browser.ts';
import { type ExpectedRedirect, type RedirectVerdict, validateRedirect } from './redirect.ts';

/**
 * How the answer gets back to the game.
 *
 * - `loopback`: to `http://127.0.0.1:PORT/callback`, a server that lives as long as the call
 * - `custom-scheme`: to `<scheme>:/authorize/callback`, which the system hands to the game and the game to
 *   {@link Client.handleRedirect}
 *
 * @see docs/spec/oauth2.md#redirects
 */
export type RedirectWay = 'loopback' | 'custom-scheme';

export interface AuthorizeOptions {
  /** Default: `custom-scheme` when the arguments name a scheme, else `loopback`. */
  readonly redirect?: RedirectWay | undefined;
  /** Ends the wait; a page that is already open stays open. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The address that this process was started with ({@link SchemeReceiver.startAddress}), when it answers what an
   * earlier process of the game asked: the arguments are those of then, `state` above all. No page is opened.
   */
  readonly answer?: string | undefined;
}

/** What the player granted: a code that works once and for 100 s. Hand it to {@link Client.getToken} as it is. */
export interface AuthorizationGrant {
  readonly code: string;
  /** The address that was used; the token endpoint asks for the same one. */
  readonly redirectUri: string;
  /** The nonce that the arguments carried. */
  readonly nonce?: string;
}

/** What an {@link Authorizer} stands on. */
export interface AuthorizerPorts {
  readonly baseUrl: string;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly openBrowser: OpenBrowser;
}

// Our choice: 32 bytes, as for a code verifier.
const stateBytes = 32;

/** What only the answer to one authorization carries. */
export function createState(entropy: Entropy): string {
  return randomToken(entropy, stateBytes);
}

/** The default of {@link AuthorizeOptions.redirect} filled in. */
export function redirectWayOf(args: AuthorizationArgs, { redirect, answer }: AuthorizeOptions): RedirectWay {
  const isLoopback = args.customSchemeParam === undefined && answer === undefined;
  return redirect ?? (isLoopback ? 'loopback' : 'custom-scheme');
}

/** Runs one authorization at a time: opens the page, waits for the redirect that belongs to it. */
export class Authorizer {
  readonly #ports: AuthorizerPorts;
  #waiting: Waiting | undefined;

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
    if (this.#waiting) throw authorizationInProgress();
    const waiting = new Waiting();
    this.#waiting = waiting;
    const abort = () => waiting.fail(aborted());
    options.signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#ask(args, clientId, redirect, waiting);
    } finally {
      options.signal?.removeEventListener('abort', abort);
      this.#waiting = undefined;
    }
  }

  /** Takes an address that the system handed to the game; false when it ends no authorization that is under way. */
  handleRedirect(address: string): boolean {
    const verdict = this.#waiting?.judge(address);
    if (!verdict || verdict.kind === 'foreign') return false;
    this.#waiting?.settle(verdict);
    return true;
  }

  /** Ends the authorization under way, if any. */
  abort(): void {
    this.#waiting?.fail(aborted());
  }

  async #ask(
    args: AuthorizationArgs,
    clientId: string,
    redirect: RedirectWay,
    waiting: Waiting,
  ): Promise<AuthorizationGrant> {
    const { baseUrl, entropy, logger } = this.#ports;
    const receiver = redirect === 'loopback' ? await openLoopbackReceiver(waiting) : undefined;
    try {
      const redirectUri = receiver?.redirectUri ?? customSchemeRedirect(schemeOf(args, clientId));
      const state = args.state ?? createState(entropy);
      waiting.expect({ redirectUri, state, issuer: baseUrl });
      logger.info({ redirectUri, scopes: args.scopes }, 'asking the player to authorize');
      if (!waiting.isOver) this.#show(authorizeUrl(args, { baseUrl, clientId, redirectUri, state }), waiting);
      return grantOf(await waiting.code, redirectUri, args.nonce);
    } finally {
      receiver?.close();
    }
  }

  #readAnswer(args: AuthorizationArgs, clientId: string, answer: string): AuthorizationGrant {
    const { state, nonce } = args;
    if (state === undefined) {
      throw new ArgumentError('missing_state', 'An answer needs the state of the authorization that it belongs to.');
    }
    const redirectUri = customSchemeRedirect(schemeOf(args, clientId));
    const verdict = validateRedirect(answer, { redirectUri, state, issuer: this.#ports.baseUrl });
    if (verdict.kind === 'refused') throw verdict.error;
    if (verdict.kind === 'granted') return grantOf(verdict.code, redirectUri, nonce);
    throw new ArgumentError('foreign_redirect', 'The redirect does not belong to this authorization.');
  }

  // Openers may end at once or with the browser; either way only a failure matters here.
  async #show(url: string, waiting: Waiting): Promise<void> {
    await showPage(this.#ports.openBrowser, url).catch(error => waiting.fail(error));
  }
}

/** An authorization between its start and its answer. */
class Waiting {
  /** Nothing that arrives from now on belongs to it. */
  isOver = false;
  readonly #answer = Promise.withResolvers<string>();
  #expected: ExpectedRedirect | undefined;

  constructor() {
    // Who waits may not have come to waiting yet when this fails.
    this.#answer.promise.catch(() => {});
  }

  get code(): Promise<string> {
    return this.#answer.promise;
  }

  expect(redirect: ExpectedRedirect): void {
    this.#expected = redirect;
  }

  judge(address: string): RedirectVerdict {
    if (this.isOver || !this.#expected) return { kind: 'foreign' };
    return validateRedirect(address, this.#expected);
  }

  settle(verdict: RedirectVerdict): void {
    if (verdict.kind === 'foreign') return;
    this.isOver = true;
    if (verdict.kind === 'granted') this.#answer.resolve(verdict.code);
    else this.#answer.reject(verdict.error);
  }

  fail(error: Error): void {
    this.isOver = true;
    this.#answer.reject(error);
  }
}

function grantOf(code: string, redirectUri: string, nonce: string | undefined): AuthorizationGrant {
  return { code, redirectUri, ...(nonce === undefined ? {} : { nonce }) };
}

function checkArguments(args: AuthorizationArgs, redirect: RedirectWay): void {
  const issues = args.check();
  const wantsChallenge = redirect === 'custom-scheme' && args.customSchemeParam === undefined && !args.codeChallenge;
  if (wantsChallenge) issues.push(codeChallengeRequired());
  if (issues.length > 0) throw new ValidationError('AuthorizationArgs', issues);
}

function schemeOf({ customSchemeParam }: AuthorizationArgs, clientId: string): string {
  return customSchemeParam ?? customSchemePrefix + clientId;
}

export function authorizationInProgress(): ArgumentError {
  return new ArgumentError('authorization_in_progress', 'Another authorization is under way; abort it first.');
}

function aborted(): TransportError {
  return new TransportError('aborted', 'The authorization was aborted.');
}

/** What an authorization adds to the player's arguments. */
interface AuthorizationTarget {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
}

/** The page that asks the player. @see docs/spec/oauth2.md#authorization-request */
function authorizeUrl(args: AuthorizationArgs, target: AuthorizationTarget): string {
  const parameters: Record<string, string | undefined> = {
    client_id: target.clientId,
    response_type: 'code',
    redirect_uri: target.redirectUri,
    scope: args.scopes,
    state: target.state,
    nonce: args.nonce,
    code_challenge: args.codeChallenge?.challenge,
    code_challenge_method: args.codeChallenge && codeChallengeMethod,
    integration_type: args.integrationType?.toString(),
  };
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  return `${target.baseUrl}${authorizePagePath}?${query.join('&')}`;
}
