import type { ApplicationId, UserId } from '../../../model/snowflake.ts';
import type { ApplicationRecord } from '../../store/records.ts';

/** Two users, the one with the lower id first. */
export function pairOf(a: UserId, b: UserId): readonly [lower: UserId, higher: UserId] {
  return BigInt(a) < BigInt(b) ? [a, b] : [b, a];
}

/** The store scope of what a user has with others. */
export function socialScope(userId: UserId): string {
  return `social/${userId}`;
}

/**
 * The scope and the guard of a transaction on what two users have with each other. It excludes all others on one of them, so that
 * both sides always agree and the limits of both hold exactly.
 */
export function pairScope(a: UserId, b: UserId): { readonly scope: string; readonly guards: readonly string[] } {
  const [lower, higher] = pairOf(a, b);
  return { scope: socialScope(lower), guards: [socialScope(higher)] };
}

/** What games share relationships by: the publisher's application or, without a publisher, the game's own. */
export function familyOf({ id, parent_id }: Pick<ApplicationRecord, 'id' | 'parent_id'>): ApplicationId {
  return parent_id ?? id;
}
