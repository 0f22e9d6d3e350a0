import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Store, StoreView } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord, RelationshipTotalsRecord } from '../../../store/records.ts';
import { applicationsOf, familyOfId } from '../family.ts';
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
  const record = await view.get('game_relationships', a, familyId, b);
  return record?.type === relationshipTypes.FRIEND && !record.is_hidden;
}

/** Relationships in games without those that nobody sees: see GameRelationshipRecord. */
export function withoutHidden(records: readonly GameRelationshipRecord[]): readonly GameRelationshipRecord[] {
  return records.filter(({ is_hidden }) => !is_hidden);
}

/** Whether one of the two has blocked the other. */
export async function isBlockedBetween(view: StoreView, a: UserId, b: UserId): Promise<boolean> {
  const { mine, theirs } = await relationshipsBetween(view, a, b);
  return mine?.type === relationshipTypes.BLOCKED || theirs?.type === relationshipTypes.BLOCKED;
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
  return async (userId: UserId): Promise<boolean> => {
    family ??= familySet(view, familyId);
    const applications = await family;
    const grants = await view.list('authorizations', { index: 'byUser', equals: [userId] });
    if (grants.some(({ application_id }) => applications.has(application_id))) return true;
    const provisionalOf = (await view.get('users', userId))?.provisional_of;
    return provisionalOf != null && applications.has(provisionalOf);
  };
}

/** As {@link createAuthorizedCheck}; a grant that was withdrawn counts, too. */
export function createPlayedCheck(view: StoreView, familyId: ApplicationId) {
  const isAuthorized = createAuthorizedCheck(view, familyId);
  let family: Promise<ReadonlySet<ApplicationId>> | undefined;
  return async (userId: UserId): Promise<boolean> => {
    if (await isAuthorized(userId)) return true;
    const former = await view.list('former_authorizations', { equals: [userId] });
    if (former.length === 0) return false;
    family ??= familySet(view, familyId);
    const applications = await family;
    return former.some(({ application_id }) => applications.has(application_id));
  };
}

/** The families of games that a user has ever authorized. */
export async function playedFamiliesOf(view: StoreView, userId: UserId): Promise<readonly ApplicationId[]> {
  const [grants, former, user] = await Promise.all([
    view.list('authorizations', { index: 'byUser', equals: [userId] }),
    view.list('former_authorizations', { equals: [userId] }),
    view.get('users', userId),
  ]);
  const applications = new Set([...grants, ...former].map(({ application_id }) => application_id));
  if (user?.provisional_of != null) applications.add(user.provisional_of);
  return [...new Set(await Promise.all([...applications].map(id => familyOfId(view, id))))];
}

async function familySet(view: StoreView, familyId: ApplicationId): Promise<ReadonlySet<ApplicationId>> {
  return new Set(await applicationsOf(view, familyId));
}

/** As {@link createAuthorizedCheck}, of one user. */
export function hasAuthorized(view: StoreView, familyId: ApplicationId, userId: UserId): Promise<boolean> {
  return createAuthorizedCheck(view, familyId)(userId);
}
