import type { Entropy } from '../../wire/clock/ports.ts';
import { type Backoff, randomFraction } from '../../wire/http/backoff.ts';
import type { StoredCredential } from './stored-credential.ts';

// Our choices: early enough for a service or a line that is down for hours, and late enough to refresh but seldom. Apart
// by chance, so that the windows of one player, and all players after an outage, do not come at once.
const aheadFraction = 0.1;
const jitterFraction = 0.05;

/** Between attempts that failed. */
export const retryBackoff: Backoff = { firstMs: 5_000, maxMs: 300_000 };

/**
 * When to refresh: after 85 to 90 % of the token's life, but not sooner after the last refresh than after a failed one,
 * however short the life; at its end what cannot be refreshed.
 */
export function refreshAtMs(credential: StoredCredential, entropy: Entropy): number {
  const { receivedAtMs, expiresAtMs, refreshToken, attempt } = credential;
  if (refreshToken === undefined) return expiresAtMs;
  if (attempt) return attempt.sinceMs; // its outcome is not known: at once
  const aheadMs = (expiresAtMs - receivedAtMs) * (aheadFraction + jitterFraction * randomFraction(entropy));
  return Math.max(expiresAtMs - aheadMs, receivedAtMs + retryBackoff.firstMs);
}
