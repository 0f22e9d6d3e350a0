import { type Entropy, systemEntropy } from '../../wire/clock/ports.ts';
import { codeChallengeOf, createCodeVerifier } from '../../wire/oauth/pkce.ts';
import { type AuthorizationCodeChallenge, codeChallengeMethod } from '../../wire/oauth/pkce-form.ts';

/** A verifier and its challenge, which bind a code to the game that requested it (PKCE). @see docs/spec/client.md#code-verifier */
export interface AuthorizationCodeVerifier {
  readonly challenge: AuthorizationCodeChallenge;
  /** Secret until {@link Client.getToken} sends it; 43–128 characters. */
  readonly verifier: string;
}

/** Creates a new pair. Use each pair for one authorization only. @see docs/spec/oauth2.md#pkce */
export function createAuthorizationCodeVerifier(entropy: Entropy = systemEntropy): AuthorizationCodeVerifier {
  const verifier = createCodeVerifier(entropy);
  return Object.freeze({
    challenge: Object.freeze({ method: codeChallengeMethod, challenge: codeChallengeOf(verifier) }),
    verifier,
  });
}
