import { ArgumentError, TransportError } from '../../model/errors/errors.ts';
import type { ExternalAuth } from '../../model/external-auth.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { externalAuthFields } from '../../wire/external-auth.ts';
import { isCodeVerifier } from '../../wire/oauth/pkce-form.ts';
import type { RequestOptions } from '../call-options.ts';
import type { AuthorizationGrant } from './authorizer.ts';
import { invalidIdToken, OAuthCalls, type OAuthPorts } from './oauth-calls.ts';
import { readTokens, requireText, type TokenSet } from './token-set.ts';

/** A grant, of which `nonce` and `clientId` may be left out, and the verifier that belongs to the code challenge of its arguments. */
export interface TokenRequest extends AuthorizationGrant {
  readonly verifier: string;
}

export interface RefreshOptions extends RequestOptions {
  /**
   * Identifies this refresh, so that it can be repeated when its answer was lost: for the same refresh token and key, a service
   * that supports the parameter returns the same tokens again, until those are refreshed in turn. Other services ignore it.
   * {@link limits.idempotencyKeyLengthMin} to {@link limits.idempotencyKeyLengthMax} random characters; use a new key for
   * every refresh token.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Exchanges grants and refresh tokens for tokens, and revokes tokens. @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#pkce; docs/spec/oauth2.md#revocation */
export class TokenClient {
  readonly #clock: Clock;
  readonly #calls: OAuthCalls;

  constructor(ports: OAuthPorts) {
    this.#clock = ports.clock;
    this.#calls = new OAuthCalls(ports);
  }

  /**
   * @param merge the identity whose provisional account is merged into the player's
   * @see {@link Client.getToken}, {@link Client.getTokenFromProvisionalMerge}
   */
  getToken(clientId: string, request: TokenRequest, signal?: AbortSignal, merge?: ExternalAuth): Promise<TokenSet> {
    const { code, verifier, redirectUri, nonce } = request;
    requireText('code', code, 'missing_code');
    if (!isCodeVerifier(verifier)) {
      throw new ArgumentError(
        'invalid_code_verifier',
        'verifier must be the one that createAuthorizationCodeVerifier() returned: 43 to 128 unreserved characters.',
      );
    }
    requireRedirect(redirectUri);
    // The library's own function for codes derives redirect_uri from a parsed address, which changes its text, and rejects an ID
    // token with a nonce that it was not given.
    const parameters = {
      ...(merge && externalAuthFields(clientId, merge)),
      ...{ code, redirect_uri: redirectUri, code_verifier: verifier },
    };
    const requestedAtMs = this.#clock.now();
    return this.#calls.run('createToken', clientId, signal, async (library, configuration) => {
      const answer = await library.genericGrantRequest(configuration, 'authorization_code', parameters);
      if (nonce !== undefined) requireNonce(answer.claims(), nonce);
      return readTokens(answer, requestedAtMs);
    });
  }

  /** @see {@link Client.refreshToken} */
  refreshToken(clientId: string, refreshToken: string, options: RefreshOptions = {}): Promise<TokenSet> {
    requireText('refreshToken', refreshToken, 'missing_refresh_token');
    const { signal, idempotencyKey } = options;
    const parameters = idempotencyKey === undefined ? undefined : { idempotency_key: idempotencyKey };
    const requestedAtMs = this.#clock.now();
    // The old pair is used up by the answer, so a clock that is wrong must not discard the new one.
    return this.#calls.run(
      'createToken',
      clientId,
      signal,
      async (library, configuration) =>
        readTokens(await library.refreshTokenGrant(configuration, refreshToken, parameters), requestedAtMs),
      { ignoresTimes: true },
    );
  }

  /** @see {@link Client.revokeToken} */
  revokeToken(clientId: string, token: string, signal?: AbortSignal): Promise<void> {
    requireText('token', token, 'missing_token');
    return this.#calls.run('revokeToken', clientId, signal, (library, configuration) =>
      library.tokenRevocation(configuration, token),
    );
  }

  /** Aborts what is in progress. */
  close(): void {
    this.#calls.close();
  }
}

function requireNonce(claims: { readonly nonce?: unknown } | undefined, nonce: string): void {
  if (!claims) {
    throw new TransportError(
      'unreadable_answer',
      "The token endpoint's answer has no ID token to compare the nonce with. Request the scope openid.",
    );
  }
  if (claims.nonce !== nonce) throw invalidIdToken();
}

function requireRedirect(redirectUri: unknown): void {
  if (typeof redirectUri === 'string' && URL.canParse(redirectUri)) return;
  throw new ArgumentError(
    'invalid_redirect_uri',
    'redirectUri must be the address in the grant that authorize() returned.',
  );
}
