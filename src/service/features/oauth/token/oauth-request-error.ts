/**
 * The error codes of RFC 6749 (4.1.2.1 and 5.2), RFC 7009 (2.2.1), RFC 8628 (3.5) and OpenID Connect Core (3.1.2.6) that this service
 * uses.
 */
export type OAuthErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'expired_token'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'registration_not_supported'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'slow_down'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type';

/** A rejection in OAuth2's own form: the token endpoint's error body, or the `error` of a redirect. */
export class OAuthRequestError extends Error {
  readonly error: OAuthErrorCode;
  /** For people; absent where the interface sends none. */
  readonly description: string | undefined;

  constructor(error: OAuthErrorCode, description?: string) {
    super(description ?? error);
    this.name = 'OAuthRequestError';
    this.error = error;
    this.description = description;
  }
}

/** A client's text, shortened, in the characters that a description may have. @see RFC 6749, section 5.2 */
function quotable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?');
}

/**
 * The rejections and their texts, one row each. `name` is a parameter's name.
 *
 * @see docs/spec/oauth2.md#errors
 */
export const oauthFaults = {
  denied: () => new OAuthRequestError('access_denied', 'The resource owner or authorization server denied the request'),
  client: () => new OAuthRequestError('invalid_client'),
  loginRequired: () => new OAuthRequestError('login_required', 'The user must sign in again, but "prompt" is "none"'),
  code: () => new OAuthRequestError('invalid_grant', 'Invalid "code" in request.'),
  refreshToken: () => new OAuthRequestError('invalid_grant', 'Invalid "refresh_token" in request'),
  deviceCode: () => new OAuthRequestError('invalid_grant', 'Invalid "device_code" in request.'),
  pending: () => new OAuthRequestError('authorization_pending'),
  slowDown: () => new OAuthRequestError('slow_down'),
  expiredToken: () => new OAuthRequestError('expired_token'),
  // RFC 7636 (4.6) names the same code for a well-formed verifier that does not match the challenge.
  verifierDiffers: () => new OAuthRequestError('invalid_grant', 'Invalid "code_verifier"'),
  missing: (name: string) => new OAuthRequestError('invalid_request', `Missing "${name}"`),
  invalid: (name: string) => new OAuthRequestError('invalid_request', `Invalid "${name}"`),
  invalidInRequest: (name: string) => new OAuthRequestError('invalid_request', `Invalid "${name}" in request.`),
  repeated: (name: string) => new OAuthRequestError('invalid_request', `"${name}" is given more than once`),
  challengeMethod: () => new OAuthRequestError('invalid_request', 'Unsupported "code_challenge_method"'),
  twoAuthentications: () =>
    new OAuthRequestError(
      'invalid_request',
      'The client must not authenticate in the header and in the body of one request',
    ),
  scope: () => new OAuthRequestError('invalid_scope', 'The requested scope is invalid, unknown, or malformed.'),
  responseType: () => new OAuthRequestError('unsupported_response_type', 'The response_type must be "code" or "token"'),
  tokenToScheme: () =>
    new OAuthRequestError(
      'unsupported_response_type',
      'The response_type must be "code" when redirect_uri has a custom scheme',
    ),
  unsupported: (name: 'registration' | 'request' | 'request_uri') =>
    new OAuthRequestError(`${name}_not_supported`, `The parameter "${name}" is not supported`),
  codeGrantRequired: () => new OAuthRequestError('invalid_request', 'Integration requires code grant'),
  grantType: (given = 'None') =>
    new OAuthRequestError('unsupported_grant_type', `Grant type ${quotable(given)} is not supported`),
  tokenType: () =>
    new OAuthRequestError('unsupported_token_type', 'The token_type_hint must be an access or refresh token'),
} as const;
