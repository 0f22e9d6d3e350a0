import { createHash } from 'node:crypto';
import { limits } from '../model/limits/limits.ts';
import { type Entropy, randomToken } from './clock/ports.ts';

/** The one challenge method the interface accepts. @see docs/spec/oauth2.md#pkce */
export const codeChallengeMethod = 'S256';

const { codeVerifierLengthMin, codeVerifierLengthMax } = limits;
const verifierForm = new RegExp(`^[A-Za-z0-9\\-._~]{${codeVerifierLengthMin},${codeVerifierLengthMax}}$`);

// SHA-256 in base64url without padding.
const challengeForm = /^[A-Za-z0-9_-]{43}$/;

/** Makes a code verifier: 32 random bytes as base64url, 43 characters. @see RFC 7636, section 4.1 */
export function createCodeVerifier(entropy: Entropy): string {
  return randomToken(entropy, 32);
}

/**
 * True for 43–128 characters ({@link limits.codeVerifierLengthMin}, {@link limits.codeVerifierLengthMax}) of
 * `A–Z a–z 0–9 - . _ ~`.
 *
 * @see docs/spec/oauth2.md#pkce
 */
export function isCodeVerifier(text: string): boolean {
  return verifierForm.test(text);
}

/** The S256 challenge of a verifier: base64url(SHA-256(verifier)) without padding, 43 characters. @see docs/spec/oauth2.md#pkce */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}

/** True for text of the form that {@link codeChallengeOf} gives. */
export function isCodeChallenge(text: string): boolean {
  return challengeForm.test(text);
}
