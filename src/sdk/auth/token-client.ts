import type { Configuration, TokenEndpointResponse } from 'openid-client';
import { ArgumentError, RallypointError, RateLimitError, TransportError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import type { Addresses } from '../../wire/addresses.ts';
import { asRecord, parseJson } from '../../wire/codec.ts';
import { Deadline } from '../../wire/deadline.ts';
import { apiError, deadlineMsDefault, userAgent } from '../../wire/http.ts';
import { isCodeVerifier } from '../../wire/pkce.ts';
import type { Clock } from '../../wire/ports.ts';
import { readLimits } from '../../wire/ratelimit-headers.ts';
import { apiVersion, type RouteName, routePath } from '../../wire/routes.ts';
import type { Transport } from '../../wire/transport.ts';
import type { AuthorizationGrant } from './authorizer.ts';
import { oauthError } from './oauth-error.ts';

/** What the game holds after signing a player in. @see social-sdk.md 5, TokenExchangeCallback */
export interface TokenSet {
  readonly accessToken: string;
  /** Works once: keep the newest. Absent where the server gives none. */
  readonly refreshToken?: string;
  readonly tokenType: 'Bearer';
  /** Seconds from the answer on. */
  readonly expiresInSeconds: number;
  /** Space-separated, as granted. */
  readonly scopes: string;
  /** Issuer, audience, times and nonce have been checked. Present when `openid` was granted. */
  readonly idToken?: string;
}

/** A grant, and the verifier whose challenge went into its arguments. */
export interface TokenRequest extends AuthorizationGrant {
  readonly verifier: string;
}

/** What a {@link TokenClient} stands on. */
export interface TokenClientPorts {
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly transport: Transport;
}

type Library = typeof import('openid-client');
type TokenRoute = Extract<RouteName, 'createToken' | 'revokeToken'>;
type Exchange<Answer> = (library: Library, configuration: Configuration) => Promise<Answer>;

/**
 * Speaks to the token endpoint as a public client: no secret, since a game cannot keep one. The protocol is
 * openid-client's, which is loaded at the first call. Nothing is ever sent twice: codes and refresh tokens work once.
 *
 * @see oauth2.md 3, 4, 7
 */
export class TokenClient {
  readonly #ports: TokenClientPorts;

  constructor(ports: TokenClientPorts) {
    this.#ports = ports;
  }

  /** @see {@link Client.getToken} */
  getToken(clientId: string, request: TokenRequest, signal?: AbortSignal): Promise<TokenSet> {
    const { code, verifier, nonce } = request;
    requireText('code', code);
    if (!isCodeVerifier(verifier)) {
      throw new ArgumentError('invalid_code_verifier', 'verifier must be what createAuthorizationCodeVerifier() made.');
    }
    const redirect = parseRedirect(request.redirectUri);
    redirect.searchParams.set('code', code);
    const checks = { pkceCodeVerifier: verifier, ...(nonce === undefined ? {} : { expectedNonce: nonce }) };
    return this.#exchange('createToken', clientId, signal, async (library, configuration) =>
      readTokens(await library.authorizationCodeGrant(configuration, redirect, checks)),
    );
  }

  /** @see {@link Client.refreshToken} */
  refreshToken(clientId: string, refreshToken: string, signal?: AbortSignal): Promise<TokenSet> {
    requireText('refreshToken', refreshToken);
    return this.#exchange('createToken', clientId, signal, async (library, configuration) =>
      readTokens(await library.refreshTokenGrant(configuration, refreshToken)),
    );
  }

  /** @see {@link Client.revokeToken} */
  revokeToken(clientId: string, token: string, signal?: AbortSignal): Promise<void> {
    requireText('token', token);
    return this.#exchange('revokeToken', clientId, signal, (library, configuration) =>
      library.tokenRevocation(configuration, token),
    );
  }

  async #exchange<Answer>(
    route: TokenRoute,
    clientId: string,
    signal: AbortSignal | undefined,
    exchange: Exchange<Answer>,
  ): Promise<Answer> {
    const library = await import('openid-client');
    const deadline = new Deadline(this.#ports.clock, deadlineMsDefault, signal);
    try {
      return await exchange(library, this.#configure(library, route, clientId, deadline));
    } catch (error) {
      throw translate(library, error);
    } finally {
      deadline.close();
    }
  }

  #configure(library: Library, route: TokenRoute, clientId: string, deadline: Deadline): Configuration {
    const { addresses, clock } = this.#ports;
    const endpoint = (name: TokenRoute) => `${addresses.apiBase}/v${apiVersion}${routePath(name, {})}`;
    const configuration = new library.Configuration(
      {
        issuer: addresses.webBase,
        token_endpoint: endpoint('createToken'),
        revocation_endpoint: endpoint('revokeToken'),
      },
      clientId,
      // ID tokens are judged by our clock, not by the machine's.
      { [library.clockSkew]: Math.round((clock.now() - Date.now()) / 1000) },
      library.None(),
    );
    // The addresses were found private (encrypted, or on this machine) when the client was made.
    library.allowInsecureRequests(configuration);
    configuration.timeout = 0; // the deadline below is on our clock
    configuration[library.customFetch] = (url, { method, headers, body }) =>
      this.#send(route, { method, url, headers, body: String(body ?? '') }, deadline);
    return configuration;
  }

  async #send(
    route: TokenRoute,
    { method, url, headers, body }: { method: string; url: string; headers: Record<string, string>; body: string },
    { signal }: Deadline,
  ): Promise<Response> {
    const { transport } = this.#ports;
    const named = { ...headers, 'user-agent': userAgent };
    const answer = await transport.send({ method, url, headers: named, body, signal });
    const told = parseJson(answer.text);
    const { refusal } = readLimits(answer.status, answer.headers, told);
    if (refusal) throw new RateLimitError(refusal.scope === 'global' ? 'global' : route, refusal.retryAfterMs);
    if (answer.status >= 400 && typeof asRecord(told)?.error !== 'string') throw apiError(route, answer.status, told);
    // A challenge in the headers would hide the error that the body names.
    return new Response(answer.text || null, {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  }
}

function readTokens(answer: TokenEndpointResponse): TokenSet {
  return Object.freeze({
    accessToken: answer.access_token,
    tokenType: 'Bearer' as const,
    expiresInSeconds: answer.expires_in ?? limits.accessTokenLifeMs / 1000,
    scopes: answer.scope ?? '',
    ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
    ...(answer.id_token === undefined ? {} : { idToken: answer.id_token }),
  });
}

const idTokenFaults: ReadonlySet<unknown> = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
]);

// The library's errors carry whole answers as their cause, tokens among them: none of that travels on.
function translate(library: Library, error: unknown): RallypointError {
  if (error instanceof library.ResponseBodyError) return oauthError(error.error, error.error_description);
  if (error instanceof RallypointError) return error;
  const { cause, code } = Object(error) as { cause?: unknown; code?: unknown };
  if (cause instanceof RallypointError) return cause;
  if (idTokenFaults.has(code)) {
    return oauthError('invalid_id_token', 'The ID token was not made for this sign-in, or is not valid now.');
  }
  return new TransportError('unreadable_answer', `The token endpoint's answer cannot be used (${String(code)}).`);
}

function requireText(name: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new ArgumentError(
    `missing_${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`,
    `${name} is needed.`,
  );
}

function parseRedirect(redirectUri: unknown): URL {
  if (typeof redirectUri === 'string' && URL.canParse(redirectUri)) return new URL(redirectUri);
  throw new ArgumentError('invalid_redirect_uri', 'redirectUri must be the address that authorize() gave.');
}
