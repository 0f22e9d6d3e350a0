import type { OAuthErrorCode } from '../../model/errors/error-codes.ts';
import { OAuthError } from '../../model/errors/errors.ts';

const codeLengthMax = 64;
const descriptionLengthMax = 300;

/**
 * The error an authorization server named. Its texts come from outside and end up in messages and logs, so they are
 * cut, and only printable ASCII is kept (which is all that RFC 6749 allows there).
 */
export function oauthError(code: string, description: string | null | undefined): OAuthError {
  const told = description ? printable(description, descriptionLengthMax) : 'The authorization server gave no reason.';
  const error = printable(code, codeLengthMax);
  return new OAuthError(isKnown(error) ? error : 'oauth_error', told, { error });
}

/** The codes of {@link OAuthError} that an authorization server can name. */
const knownErrors: readonly OAuthErrorCode[] = [
  'access_denied',
  'consent_required',
  'expired_token',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_id_token',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
];

function isKnown(error: string): error is OAuthErrorCode {
  return (knownErrors as readonly string[]).includes(error);
}

function printable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[^\x20-\x7E]/g, ' ');
}
