import type { TokenResponse } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { TokenRecord, UsedRefreshToken } from '../../store/records.ts';
import { hashSecret, isSameSecret } from '../../support/secret.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { issueAccess, makeSecret, ownersOf, type TokenGrant } from './tokens.ts';

/**
 * The refresh tokens of one grant, each of which takes the place of the one before it, are a family. All of them begin with
 * the same 132 random bits, so that one record tells of any token that ever was in the family whether it is the current
 * one. Nobody knows these bits but who holds a token of the family.
 *
 * @see RFC 9700, section 4.14.2
 */
const familyLength = 22;

/** Puts the first tokens of a grant into the store and gives the answer that tells them. */
export function issuePair(core: Core, transaction: Transaction, grant: TokenGrant): TokenResponse {
  const secret = makeRefreshToken(core);
  putRefreshToken(core, transaction, { secret, grant });
  return { ...issueAccess(core, transaction, grant), refresh_token: secret };
}

/** A refresh token for a grant that has none yet, or in the place of its predecessor. */
export function makeRefreshToken(core: Core, predecessor?: string): string {
  const secret = makeSecret(core);
  return predecessor === undefined ? secret : predecessor.slice(0, familyLength) + secret.slice(familyLength);
}

/** Makes the token the one of its family that holds, until nobody has used it for {@link serviceLimits.refreshTokenIdleMs}. */
export function putRefreshToken(
  core: Core,
  transaction: Transaction,
  { secret, grant, previous }: { secret: string; grant: TokenGrant; previous?: UsedRefreshToken },
): void {
  transaction.put('tokens', {
    ...ownersOf(grant),
    hash: familyHash(secret),
    current_hash: hashSecret(secret),
    kind: 'refresh',
    scopes: grant.scopes,
    expires_at_ms: core.clock.now() + serviceLimits.refreshTokenIdleMs,
    ...(previous && { previous }),
  });
}

/** The record of the token's family, or of a token from before there were families. */
export async function findRefreshToken(view: StoreView, secret: string): Promise<TokenRecord | undefined> {
  const family = await view.get('tokens', familyHash(secret));
  if (family?.current_hash !== undefined) return family;
  const token = await view.get('tokens', hashSecret(secret));
  return token?.kind === 'refresh' && token.current_hash === undefined ? token : undefined;
}

/** Whether this is the token of the family that holds. */
export function isCurrent({ current_hash, hash }: TokenRecord, secret: string): boolean {
  return isSameSecret(current_hash ?? hash, hashSecret(secret));
}

/** Whether this is the token whose place the current one took. */
export function isPrevious({ previous }: TokenRecord, secret: string): boolean {
  return previous !== undefined && isSameSecret(previous.hash, hashSecret(secret));
}

function familyHash(secret: string): string {
  return hashSecret(secret.slice(0, familyLength));
}
