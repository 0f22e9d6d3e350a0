import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Store, StoreView } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord, RelationshipTotalsRecord } from '../../../store/records.ts';
import { applicationsOf } from '../family.ts';
import { socialScope } from '../pair.ts';

/** Both sides of what two users are to each other. A block has one side only. */
export interface Sides<Side> {
  readonly mine: Side | undefined;
  readonly theirs: Side | undefined;
}

export async function relationshipsBetween(view: StoreView, a: UserId, b: UserId): Promise<Sides<RelationshipRecord>> {
  const [mine, theirs] = await Promise.all([view.get('relationships', a, b), view.get('relationships', b, a)]);
  return { mine, theirs };
}

/** The {@link GameRelationshipRecord.pair} of a user's side. */
export function sideOf(userId: UserId, targetId: UserId): string {
  return `${userId}/${targetId}`;
}

export async function areFriends(view: StoreView, a: UserId, b: UserId): Promise<boolean> {
  return (await view.get('relationships', a, b))?.type === relationshipTypes.FRIEND;
}

export async function areGameFriends(view: StoreView, familyId: ApplicationId, a: UserId, b: UserId): Promise<boolean> {
  return (await view.get('game_relationships', a, familyId, b))?.type === relationshipTypes.FRIEND;
}

/** Whether one of the two has blocked the other. */
export async function isBlockedBetween(view: StoreView, a: UserId, b: UserId): Promise<boolean> {
  const { mine, theirs } = await relationshipsBetween(view, a, b);
  return mine?.type === relationshipTypes.BLOCKED || theirs?.type === relationshipTypes.BLOCKED;
}

export async function friendIdsOf(view: StoreView, userId: UserId): Promise<readonly UserId[]> {
  return friendsAmong(await view.list('relationships', { equals: [userId] }));
}

/** The user's friends in a game. */
export async function gameFriendIdsOf(
  view: StoreView,
  userId: UserId,
  familyId: ApplicationId,
): Promise<readonly UserId[]> {
  return friendsAmong(await view.list('game_relationships', { equals: [userId, familyId] }));
}

function friendsAmong(records: readonly (RelationshipRecord | GameRelationshipRecord)[]): readonly UserId[] {
  return records.filter(({ type }) => type === relationshipTypes.FRIEND).map(({ target_id }) => target_id);
}

/** What a user's relationships count by: see {@link RelationshipTotalsRecord}. */
export function relationshipsVersion(userId: UserId): string {
  return `relationships/${userId}`;
}

export async function totalsOf(view: StoreView, userId: UserId): Promise<RelationshipTotalsRecord> {
  const stored = await view.get('relationship_totals', userId);
  return stored ?? { user_id: userId, friends: 0, blocks: 0, changes: 0 };
}

/**
 * What `read` finds of a user's relationships, all of it at one time, and the number of {@link relationshipsVersion} up to which it
 * contains every change.
 *
 * @param read reads only relationships of the user; may run several times
 */
export async function readRelationshipsAtOnce<T>(
  store: Store,
  userId: UserId,
  read: (view: StoreView) => Promise<T>,
): Promise<{ readonly value: T; readonly revision: number }> {
  const before = await totalsOf(store, userId);
  const value = await read(store);
  if ((await totalsOf(store, userId)).changes === before.changes) return { value, revision: before.changes };
  return store.transact(socialScope(userId), async transaction => ({
    value: await read(transaction),
    revision: (await totalsOf(transaction, userId)).changes,
  }));
}

/**
 * Tells of users whether they have authorized a game of the family: they have granted it something and not withdrawn that, or have a
 * provisional account of it.
 */
export function createAuthorizedCheck(view: StoreView, familyId: ApplicationId) {
  let family: Promise<ReadonlySet<ApplicationId>> | undefined;

  async function readFamily(): Promise<ReadonlySet<ApplicationId>> {
    return new Set(await applicationsOf(view, familyId));
  }

  return async (userId: UserId): Promise<boolean> => {
    family ??= readFamily();
    const applications = await family;
    const grants = await view.list('authorizations', { index: 'byUser', equals: [userId] });
    if (grants.some(({ application_id }) => applications.has(application_id))) return true;
    const provisionalOf = (await view.get('users', userId))?.provisional_of;
    return provisionalOf != null && applications.has(provisionalOf);
  };
}

/** As {@link createAuthorizedCheck}, of one user. */
export function hasAuthorized(view: StoreView, familyId: ApplicationId, userId: UserId): Promise<boolean> {
  return createAuthorizedCheck(view, familyId)(userId);
}
