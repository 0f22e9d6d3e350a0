import { KeychainError, OAuthError } from '../../model/errors/errors.ts';
import type { Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import { randomToken } from '../../wire/clock/ports.ts';
import { type Backoff, randomFraction } from '../../wire/http/backoff.ts';
import type { Client } from '../client.ts';
import type { CredentialStore } from './credential-store.ts';
import { credentialOf, type StoredCredential } from './stored-credential.ts';

/** Why a player is no longer signed in. */
export type EndReason =
  /** The authorization was revoked: by the player, or on the player's behalf. */
  | 'revoked'
  /** The access token expired, and there was no refresh token. */
  | 'expired'
  /** The answer to a refresh was lost, and the service did not repeat it. */
  | 'interrupted';

/** What became of a credential that was due. */
export type RefreshOutcome =
  | { readonly kind: 'refreshed'; readonly credential: StoredCredential }
  /** As `refreshed`, but the keychain could not store the new credential. */
  | { readonly kind: 'unsaved'; readonly credential: StoredCredential; readonly error: KeychainError }
  /** Nothing was sent: another process has refreshed the credential, or it is not due yet. */
  | { readonly kind: 'current'; readonly credential: StoredCredential }
  /** Another process signed the player out. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'ended'; readonly reason: EndReason };

export interface RefreshPorts {
  readonly store: CredentialStore;
  readonly client: Pick<Client, 'refreshToken'>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** Aborts the request; its attempt is repeated later. */
  readonly signal: AbortSignal;
  /** Whether the access token of this credential has expired. */
  readonly hasExpired: (stored: StoredCredential) => boolean;
}

/**
 * Refreshes the credential in the keychain, unless another process has done so. The caller holds the store's lock.
 *
 * A refresh token works once, so its answer must not get lost between the service and the keychain. The order is
 * therefore: write the attempt and its idempotency key to the keychain, send the request, write the answer, use the new
 * token. A process that finds an attempt repeats the request with the same key, and a service that supports keys gives
 * the same answer. A keychain that cannot be written fails before anything is sent.
 *
 * @param known the credential that this process uses
 * @throws the failure of the request or of the keychain; the credential is unchanged, and the call can be repeated
 */
export async function refresh(ports: RefreshPorts, known: StoredCredential): Promise<RefreshOutcome> {
  const { store } = ports;
  const stored = await store.read();
  if (!stored) return { kind: 'removed' };
  const isValid = !ports.hasExpired(stored);
  const isNewer = stored.accessToken !== known.accessToken;
  if (isNewer && isValid && !stored.attempt) return { kind: 'current', credential: stored };
  if (stored.refreshToken !== undefined) return send(ports, stored, stored.refreshToken);
  if (isValid) return { kind: 'current', credential: stored };
  return end(ports, stored, 'expired');
}

async function send(ports: RefreshPorts, stored: StoredCredential, refreshToken: string): Promise<RefreshOutcome> {
  const { store, client, clock, signal } = ports;
  const attempt = stored.attempt ?? { key: randomToken(ports.entropy, 24), sinceMs: clock.now() };
  if (!stored.attempt) await store.write({ ...stored, attempt });
  const sentAtMs = clock.now();
  let credential: StoredCredential;
  try {
    const tokens = await client.refreshToken(refreshToken, { idempotencyKey: attempt.key, signal });
    credential = credentialOf(tokens, stored, sentAtMs);
  } catch (error) {
    if (!(error instanceof OAuthError && error.code === 'invalid_grant')) throw error;
    return end(ports, stored, stored.attempt ? 'interrupted' : 'revoked');
  }
  return save(store, credential);
}

async function save(store: CredentialStore, credential: StoredCredential): Promise<RefreshOutcome> {
  try {
    await store.write(credential);
    return { kind: 'refreshed', credential };
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    return { kind: 'unsaved', credential, error };
  }
}

/** Removes a credential that the service rejected, unless it was replaced. A later process repeats a removal that fails. */
async function end(
  { store, logger }: RefreshPorts,
  rejected: StoredCredential,
  reason: EndReason,
): Promise<RefreshOutcome> {
  try {
    const stored = await store.read();
    if (stored && stored.accessToken !== rejected.accessToken) return { kind: 'current', credential: stored };
    if (stored) await store.remove();
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    logger.warn({ code: error.code }, 'a rejected credential could not be deleted from the keychain');
  }
  return { kind: 'ended', reason };
}

// Unspecified: when to refresh. This is early enough to survive an outage of hours, and late enough to refresh rarely. The
// random part keeps windows, and after an outage all players, from refreshing at the same moment.
const aheadFraction = 0.1;
const jitterFraction = 0.05;

/** Between attempts that failed. */
export const retryBackoff: Backoff = { firstMs: 5_000, maxMs: 300_000 };

/**
 * When to refresh: after 85 to 90 % of the token's life, and never sooner after the last refresh than after a failed one.
 *
 * @returns how long until then, in milliseconds; 0 or less: now
 */
export function refreshInMs(credential: StoredCredential, nowMs: number, entropy: Entropy): number {
  const { receivedAtMs, expiresAtMs, attempt } = credential;
  if (attempt) return 0; // its outcome is unknown, so the credential is due now, whatever the clock said at the attempt
  // It was received by a clock that was wrong, or the clock is wrong now: nobody knows how long the token is valid.
  if (nowMs < receivedAtMs - skewMsMin) return retryBackoff.firstMs;
  const aheadMs = (expiresAtMs - receivedAtMs) * (aheadFraction + jitterFraction * randomFraction(entropy));
  return Math.max(expiresAtMs - aheadMs, receivedAtMs + retryBackoff.firstMs) - nowMs;
}

/** How long the access token is valid, in milliseconds. One that was received by a clock that was ahead counts as new. */
export function lifeLeftMs({ receivedAtMs, expiresAtMs }: StoredCredential, nowMs: number): number {
  return expiresAtMs - Math.max(nowMs, receivedAtMs);
}

// Clocks are corrected by less while they run.
const skewMsMin = 60_000;
