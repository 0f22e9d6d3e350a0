import { socialLimits } from '../../../../model/limits/social-limits.ts';
import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Store, StoreView } from '../../../store/contract.ts';
import type {
  GameRelationshipRecord,
  PendingRequests,
  RelationshipRecord,
  RelationshipTotalsRecord,
} from '../../../store/records.ts';
import { applicationsOf, familyOfId } from '../family.ts';
import { socialScope } from '../pair.ts';

const { FRIEND, BLOCKED, INCOMING, OUTGOING } = relationshipTypes;

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
function withoutHidden(records: readonly GameRelationshipRecord[]): readonly GameRelationshipRecord[] {
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

/** As {@link totalsOf}, with the requests that wait; where they were not counted yet, they are counted here. */
export async function countedTotalsOf(view: StoreView, userId: UserId): Promise<CountedTotals> {
  const totals = await totalsOf(view, userId);
  if (totals.pending) return { ...totals, pending: totals.pending };
  const records = await view.list('relationships', { equals: [userId], limit: relationshipsMax });
  return { ...totals, pending: records.reduce((pending, record) => counted(pending, record, 1), noRequests) };
}

export type CountedTotals = RelationshipTotalsRecord & { readonly pending: PendingRequests };

/** Totals after a change of one relationship. */
export function advanceTotals(
  totals: CountedTotals,
  before: RelationshipRecord | undefined,
  after: RelationshipRecord | undefined,
): CountedTotals {
  const gained = (type: number) => Number(after?.type === type) - Number(before?.type === type);
  return {
    ...totals,
    friends: totals.friends + gained(FRIEND),
    blocks: totals.blocks + gained(BLOCKED),
    pending: counted(counted(totals.pending, before, -1), after, 1),
    changes: totals.changes + 1,
  };
}

const noRequests: PendingRequests = { sent: 0, received: 0, received_through: {} };

/** @param by 1 or −1. No count falls below 0, because one that was begun late may have missed some. */
function counted(pending: PendingRequests, record: RelationshipRecord | undefined, by: number): PendingRequests {
  if (record?.type === OUTGOING) return { ...pending, sent: Math.max(0, pending.sent + by) };
  if (record?.type !== INCOMING) return pending;
  const received = Math.max(0, pending.received + by);
  const id = record.origin_application_id;
  if (id === null) return { ...pending, received };
  const { [id]: through = 0, ...others } = pending.received_through;
  const received_through = through + by > 0 ? { ...others, [id]: through + by } : others;
  return { ...pending, received, received_through };
}

/** How many relationships of each type a user may have. */
const typesMax: Readonly<Record<RelationshipRecord['type'], number>> = {
  [FRIEND]: socialLimits.friendsMax,
  [BLOCKED]: socialLimits.blocksMax,
  [INCOMING]: socialLimits.requestsReceivedMax,
  [OUTGOING]: socialLimits.requestsSentMax,
};

/** How many relationships a user may have. */
const relationshipsMax = Object.values(typesMax).reduce((sum, max) => sum + max, 0);

/** As above, in one game. */
export const gameRelationshipsMax =
  socialLimits.gameFriendsMax + socialLimits.requestsReceivedMax + socialLimits.requestsSentMax;

/** A user's own client reads those of all games at most to this number. */
const allGamesRelationshipsMax = 3 * gameRelationshipsMax;

/**
 * A user's relationships with their users, up to the bounds of each type: stores of older versions may hold many more requests. They are
 * read in pages, the first of which has everything that the bounds allow; further ones only while friends or blocks are missing.
 */
export async function relationshipsOf(view: StoreView, userId: UserId): Promise<readonly RelationshipRecord[]> {
  const { friends, blocks } = await totalsOf(view, userId);
  const found: RelationshipRecord[] = [];
  const counts = { [FRIEND]: 0, [BLOCKED]: 0, [INCOMING]: 0, [OUTGOING]: 0 };
  for (let from = ''; ; ) {
    const page = await view.list('relationships', { equals: [userId], from, limit: relationshipsMax });
    for (const record of page) {
      if (record.target_id === from || counts[record.type] >= typesMax[record.type]) continue;
      counts[record.type]++;
      found.push(record);
    }
    const isComplete = counts[FRIEND] >= friends && counts[BLOCKED] >= blocks;
    if (page.length < relationshipsMax || isComplete) return found;
    from = page.at(-1)?.target_id ?? '';
  }
}

/** A user's relationships in a family of games, or in all games. Hidden ones are left out. */
export async function gameRelationshipsOf(
  view: StoreView,
  userId: UserId,
  familyId: ApplicationId | null,
): Promise<readonly GameRelationshipRecord[]> {
  const query =
    familyId === null
      ? { equals: [userId], limit: allGamesRelationshipsMax }
      : { equals: [userId, familyId], limit: gameRelationshipsMax };
  return withoutHidden(await view.list('game_relationships', query));
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
