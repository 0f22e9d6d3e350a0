import { createHash } from 'node:crypto';
import { type Entropy, randomToken } from '../clock/ports.ts';

/** Makes a code verifier: 32 random bytes as base64url, 43 characters. @see RFC 7636, section 4.1 */
export function createCodeVerifier(entropy: Entropy): string {
  return randomToken(entropy, 32);
}

/** The S256 challenge of a verifier: base64url(SHA-256(verifier)) without padding, 43 characters. @see docs/spec/oauth2.md#pkce */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}
