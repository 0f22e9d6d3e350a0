import { KeychainError, OAuthError } from '../../model/errors/errors.ts';
import type { Clock, Entropy, Logger } from '../../wire/clock/ports.ts';
import { randomToken } from '../../wire/clock/ports.ts';
import type { Client } from '../client.ts';
import type { CredentialStore } from './credential-store.ts';
import { credentialOf, type StoredCredential } from './stored-credential.ts';

/** Why nobody is signed in any more. */
export type EndReason =
  /** The player, or somebody for the player, ended what the game may do. */
  | 'revoked'
  /** The access token ended, and there was nothing to refresh it with. */
  | 'expired'
  /** The service refused to repeat a refresh whose answer was lost. */
  | 'interrupted';

/** What became of a credential that was due. */
export type Renewal =
  | { readonly kind: 'renewed'; readonly credential: StoredCredential }
  /** As `renewed`, but the keychain would not take it. */
  | { readonly kind: 'unsaved'; readonly credential: StoredCredential; readonly error: KeychainError }
  /** Another process had a newer one; or there is nothing to do yet. */
  | { readonly kind: 'taken'; readonly credential: StoredCredential }
  /** Another process signed the player out. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'ended'; readonly reason: EndReason };

export interface RenewalPorts {
  readonly store: CredentialStore;
  readonly client: Pick<Client, 'refreshToken'>;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
}

/**
 * Refreshes what the keychain holds, unless another process has done so. To be called within the store's lock.
 *
 * A refresh token works once, so the answer must not get lost between the service and the keychain. Therefore, in this
 * order: the keychain takes a note of the attempt, with its key; the service is asked; the keychain takes the answer; and
 * only then is the new token used. Whoever finds the note afterwards repeats the same refresh by the same key, and a
 * service that knows keys gives the same answer. A keychain that does not take the note is found before anything is at
 * stake.
 *
 * @param known what this process acts with
 * @throws what kept it from being refreshed; nothing is lost then, and it can be called again
 */
export async function renew(ports: RenewalPorts, known: StoredCredential): Promise<Renewal> {
  const { store, clock } = ports;
  const stored = await store.read();
  if (!stored) return { kind: 'gone' };
  const isLive = clock.now() < stored.expiresAtMs;
  const isNewer = stored.accessToken !== known.accessToken;
  if (isNewer && isLive && !stored.attempt) return { kind: 'taken', credential: stored };
  if (stored.refreshToken !== undefined) return refresh(ports, stored, stored.refreshToken);
  if (isLive) return { kind: 'taken', credential: stored };
  return end(ports, stored, 'expired');
}

async function refresh(ports: RenewalPorts, stored: StoredCredential, refreshToken: string): Promise<Renewal> {
  const { store, client, clock } = ports;
  const attempt = stored.attempt ?? { key: randomToken(ports.entropy, 24), sinceMs: clock.now() };
  if (!stored.attempt) await store.write({ ...stored, attempt });
  const sentAtMs = clock.now();
  let credential: StoredCredential;
  try {
    const tokens = await client.refreshToken(refreshToken, { idempotencyKey: attempt.key });
    credential = credentialOf(tokens, stored, sentAtMs);
  } catch (error) {
    if (!(error instanceof OAuthError && error.code === 'invalid_grant')) throw error;
    return end(ports, stored, stored.attempt ? 'interrupted' : 'revoked');
  }
  return save(store, credential);
}

async function save(store: CredentialStore, credential: StoredCredential): Promise<Renewal> {
  try {
    await store.write(credential);
    return { kind: 'renewed', credential };
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    return { kind: 'unsaved', credential, error };
  }
}

/** The credential is no good; it is removed if it is still the one. Should that fail, the next to try finds out again. */
async function end({ store, logger }: RenewalPorts, refused: StoredCredential, reason: EndReason): Promise<Renewal> {
  try {
    const stored = await store.read();
    if (stored && stored.accessToken !== refused.accessToken) return { kind: 'taken', credential: stored };
    if (stored) await store.remove();
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    logger.warn({ code: error.code }, 'a credential that is no good stays in the keychain');
  }
  return { kind: 'ended', reason };
}
