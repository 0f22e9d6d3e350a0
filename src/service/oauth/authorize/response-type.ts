import { installScopes } from '../../../model/oauth.ts';
import { oauthFaults } from '../token/oauth-request-error.ts';

/** What approval hands to the application: a code; the token itself; or nothing, where it is only installed. */
export type ResponseType = 'code' | 'token' | 'none';

/**
 * Reads `response_type`. Left out it means that nothing is handed out, which suffices for the scopes that install.
 *
 * @param scopes those asked for
 * @throws OAuthRequestError `unsupported_response_type`; `invalid_request` when it is missing
 * @see docs/spec/oauth2.md#authorization-request; docs/spec/oauth2.md#installation
 */
export function validateResponseType(given: string | undefined, scopes: readonly string[]): ResponseType {
  if (given === 'code' || given === 'token') return given;
  if (given !== undefined) throw oauthFaults.responseType();
  if (scopes.length === 0 || !scopes.every(scope => installScopes.has(scope)))
    throw oauthFaults.missing('response_type');
  return 'none';
}
