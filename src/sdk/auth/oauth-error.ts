import { OAuthError } from '../../model/errors/errors.ts';

const codeLengthMax = 64;
const descriptionLengthMax = 300;

/**
 * An error that the authorization server reported. Its texts end up in messages and logs, so they are truncated and reduced to
 * printable ASCII, which is all that RFC 6749 allows in them.
 */
export function oauthError(code: string, description: string | null | undefined): OAuthError {
  const text = description ? printable(description, descriptionLengthMax) : 'The authorization server gave no reason.';
  return new OAuthError(printable(code, codeLengthMax), text);
}

function printable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[^\x20-\x7E]/g, ' ');
}
