import { isSnowflake } from '../../../model/snowflake.ts';
import { createAttemptLimiter } from '../../auth/attempt-limiter.ts';
import type { Core } from '../../core.ts';
import { type ClientRequest, clientNamedBy } from './client-authentication.ts';
import { type OAuthErrorCode, OAuthRequestError } from './oauth-request-error.ts';

/**
 * Runs a request in which a client proves something: its secret, a code, a token. @throws RequestError `rate_limited`
 */
export type ProofGuard = <T>(request: ClientRequest, work: () => Promise<T>) => Promise<T>;

const wrongProofs: ReadonlySet<OAuthErrorCode> = new Set<OAuthErrorCode>(['invalid_client', 'invalid_grant']);

/**
 * Unspecified: wrong proofs are counted by application and address, so that nobody elsewhere can lock an application
 * out; the secrets themselves are too long to be guessed from many addresses.
 */
export function createProofGuard(core: Core): ProofGuard {
  const attempts = createAttemptLimiter(core, 'oauth-proof');
  return (request, work) =>
    attempts.attempt(attemptOrigin(request), async wrong => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof OAuthRequestError && wrongProofs.has(error.error)) wrong();
        throw error;
      }
    });
}

function attemptOrigin(request: ClientRequest): string {
  const clientId = clientNamedBy(request);
  return `${isSnowflake(clientId) ? clientId : 'nobody'}/${request.address}`;
}
