import { limits } from '../../model/limits/limits.ts';

/** The one challenge method the interface accepts. @see docs/spec/oauth2.md#pkce */
export const codeChallengeMethod = 'S256';

/** The public half of a code verifier, which is part of the authorization arguments. @see docs/spec/client.md#code-verifier */
export interface AuthorizationCodeChallenge {
  readonly method: typeof codeChallengeMethod;
  /** base64url(SHA-256(verifier)) without padding, 43 characters. */
  readonly challenge: string;
}

const { codeVerifierLengthMin, codeVerifierLengthMax } = limits;
const verifierForm = new RegExp(`^[A-Za-z0-9\\-._~]{${codeVerifierLengthMin},${codeVerifierLengthMax}}$`);

// SHA-256 in base64url without padding.
const challengeForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * True for 43–128 characters ({@link limits.codeVerifierLengthMin}, {@link limits.codeVerifierLengthMax}) of
 * `A–Z a–z 0–9 - . _ ~`.
 *
 * @see docs/spec/oauth2.md#pkce
 */
export function isCodeVerifier(text: string): boolean {
  return verifierForm.test(text);
}

/** True for text of the form of an S256 challenge. */
export function isCodeChallenge(text: string): boolean {
  return challengeForm.test(text);
}
