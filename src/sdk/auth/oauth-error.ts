import { OAuthError } from '../../model/errors/errors.ts';

const codeLengthMax = 64;
const descriptionLengthMax = 300;

/**
 * The error an authorization server named. Its texts come from outside and end up in messages and logs, so they are
 * cut, and only printable ASCII is kept (which is all that RFC 6749 allows there).
 */
export function oauthError(code: string, description: string | null | undefined): OAuthError {
  const told = description ? printable(description, descriptionLengthMax) : 'The authorization server gave no reason.';
  return new OAuthError(printable(code, codeLengthMax), told);
}

function printable(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[^\x20-\x7E]/g, ' ');
}
