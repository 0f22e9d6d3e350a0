import { ArgumentError, TransportError, ValidationError } from '../../model/errors.ts';
import { customSchemePrefix, customSchemeRedirectPath } from '../../model/oauth.ts';
import { type Entropy, type Logger, randomToken } from '../../wire/ports.ts';
import { AuthorizationArgs } from './authorization-args.ts';
import { codeChallengeRequired } from './authorization-fields.ts';
import { authorizeUrl } from './authorize-url.ts';
import { openLoopbackReceiver } from './loopback-receiver.ts';
import type { OpenBrowser } from './open-browser.ts';
import { type ExpectedRedirect, judgeRedirect, type RedirectVerdict } from './redirect.ts';

/**
 * How the answer gets back to the game.
 *
 * - `loopback`: to `http://127.0.0.1:PORT/callback`, a server that lives as long as the call
 * - `custom-scheme`: to `<scheme>:/authorize/callback`, which the system hands to the game and the game to
 *   {@link Client.handleRedirect}
 *
 * @see social-sdk.md 4, "Redirect addresses"
 */
export type RedirectWay = 'loopback' | 'custom-scheme';

export interface AuthorizeOptions {
  /** Default: `custom-scheme` when the arguments name a scheme, else `loopback`. */
  readonly redirect?: RedirectWay | undefined;
  /** Ends the wait; a page that is already open stays open. */
  readonly signal?: AbortSignal | undefined;
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
  readonly webBase: string;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly openBrowser: OpenBrowser;
}

// Our choice: 32 bytes, as for a code verifier.
const stateBytes = 32;

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
    const redirect = options.redirect ?? (args.customSchemeParam === undefined ? 'loopback' : 'custom-scheme');
    checkArguments(args, redirect);
    const clientId = args.clientId ?? applicationId;
    if (clientId === undefined) {
      throw new ArgumentError(
        'missing_application_id',
        'Set clientId in the arguments or applicationId on the client.',
      );
    }
    if (options.signal?.aborted) throw aborted();
    if (this.#waiting) {
      throw new ArgumentError('authorization_in_progress', 'Another authorization is under way; abort it first.');
    }
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
    const { webBase, entropy, logger } = this.#ports;
    const receiver = redirect === 'loopback' ? await openLoopbackReceiver(waiting) : undefined;
    try {
      const redirectUri = receiver?.redirectUri ?? customSchemeRedirect(args, clientId);
      const state = args.state ?? randomToken(entropy, stateBytes);
      waiting.expect({ redirectUri, state, issuer: webBase });
      logger.info({ redirectUri, scopes: args.scopes }, 'asking the player to authorize');
      if (!waiting.isOver) this.#show(authorizeUrl(args, { webBase, clientId, redirectUri, state }), waiting);
      const code = await waiting.code;
      return { code, redirectUri, ...(args.nonce === undefined ? {} : { nonce: args.nonce }) };
    } finally {
      receiver?.close();
    }
  }

  // Openers may end at once or with the browser; either way only a failure matters here.
  async #show(url: string, waiting: Waiting): Promise<void> {
    try {
      await this.#ports.openBrowser(url);
    } catch (error) {
      // What the opener throws may quote the address, which carries the state.
      const failure = error instanceof TransportError ? error : undefined;
      waiting.fail(
        failure ?? new TransportError('browser_unavailable', 'The page for signing in could not be opened.'),
      );
    }
  }
}

/** An authorization between its start and its answer. */
class Waiting {
  isOver = false;
  readonly #answer = Promise.withResolvers<string>();
  #expected: ExpectedRedirect | undefined;

  constructor() {
    // Who waits may not have come to waiting yet when this fails.
    this.#answer.promise.catch(() => {
      this.isOver = true;
    });
  }

  get code(): Promise<string> {
    return this.#answer.promise;
  }

  expect(redirect: ExpectedRedirect): void {
    this.#expected = redirect;
  }

  judge(address: string): RedirectVerdict {
    return this.#expected ? judgeRedirect(address, this.#expected) : { kind: 'foreign' };
  }

  settle(verdict: RedirectVerdict): void {
    if (verdict.kind === 'granted') this.#answer.resolve(verdict.code);
    if (verdict.kind === 'refused') this.#answer.reject(verdict.error);
  }

  fail(error: Error): void {
    this.#answer.reject(error);
  }
}

function checkArguments(args: AuthorizationArgs, redirect: RedirectWay): void {
  const issues = args.check();
  const wantsChallenge = redirect === 'custom-scheme' && args.customSchemeParam === undefined && !args.codeChallenge;
  if (wantsChallenge) issues.push(codeChallengeRequired());
  if (issues.length > 0) throw new ValidationError('AuthorizationArgs', issues);
}

/**
 * `<scheme>:/authorize/callback`, one slash; the scheme in lower case, because that is how systems and browsers hand
 * addresses on, and servers compare redirects letter by letter.
 *
 * @see interface.md, CustomSchemeParam
 */
function customSchemeRedirect({ customSchemeParam }: AuthorizationArgs, clientId: string): string {
  const scheme = customSchemeParam ?? customSchemePrefix + clientId;
  return `${scheme.toLowerCase()}:${customSchemeRedirectPath}`;
}

function aborted(): TransportError {
  return new TransportError('aborted', 'The authorization was aborted.');
}
