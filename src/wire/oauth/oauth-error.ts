import type { OAuthErrorCode } from '../../model/errors/error-codes.ts';
import { OAuthError } from '../../model/errors/errors.ts';

const codeLengthMax = 64;
const descriptionLengthMax = 300;

/**
 * An error that the authorization server reported. Its texts end up in messages and logs, so they are truncated and reduced to
 * printable ASCII, which is all that RFC 6749 allows in them.
 */
export function oauthError(code: string, description: string | null | undefined): OAuthError {
  const text = description ? printable(description, descriptionLengthMax) : 'The authorization server gave no reason.';
  const error = printable(code, codeLengthMax);
  return new OAuthError(isKnown(error) ? error : 'oauth_error', text, { error });
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

/** Texts from outside, as messages and logs may show them. */
export function printable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[^\x20-\x7E]/g, ' ');
}
