import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import { type Announcement, lazyEvent, topics } from '../../../events/announcement.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord, UserRecord } from '../../../store/records.ts';
import { pairScope } from '../pair.ts';
import { formForGameFriends, formsForFriends } from '../presence/changes.ts';
import { presenceScope } from '../presence/records.ts';
import { profileEventsOf } from '../users/profiles.ts';
import {
  advanceTotals,
  type CountedTotals,
  countedTotalsOf,
  playedFamiliesOf,
  relationshipsBetween,
  relationshipsVersion,
  sideOf,
} from './records.ts';
import { gameRelationshipView, partialRelationshipView, relationshipView } from './view.ts';

/** What one user of a pair has with the other one: everywhere, and in games by their family. */
export interface Side {
  readonly full: RelationshipRecord | undefined;
  readonly games: ReadonlyMap<ApplicationId, GameRelationshipRecord>;
}

/** What two users have with each other. */
export type PairState = readonly [Side, Side];

/**
 * The scope and the guards of a transaction on what two users are to each other. It excludes changes of their presences as well, which
 * are sent to the sessions that begin to follow them.
 */
export function relationshipScope(a: UserId, b: UserId): ReturnType<typeof pairScope> {
  const { scope, guards } = pairScope(a, b);
  return { scope, guards: [...guards, presenceScope(a), presenceScope(b)] };
}

/** What a pair has with each other, in all games. Call it within their {@link relationshipScope}. */
export async function readPair(transaction: Transaction, a: UserId, b: UserId): Promise<PairState> {
  const [full, games, others] = await Promise.all([
    relationshipsBetween(transaction, a, b),
    transaction.list('game_relationships', { index: 'byPair', equals: [sideOf(a, b)] }),
    transaction.list('game_relationships', { index: 'byPair', equals: [sideOf(b, a)] }),
  ]);
  return [
    { full: full.mine, games: byFamily(games) },
    { full: full.theirs, games: byFamily(others) },
  ];
}

function byFamily(games: readonly GameRelationshipRecord[]): Side['games'] {
  return new Map(games.map(game => [game.family_id, game]));
}

/**
 * Stores what a pair is to each other from now on, and announces what each of them sees change: the relationships, and whose presence
 * their sessions follow.
 *
 * @param before as {@link readPair} found it
 * @param totals of all users concerned, where many pairs are written at the same time in one transaction
 */
export async function writePair(
  transaction: Transaction,
  users: readonly [UserRecord | undefined, UserRecord | undefined],
  before: PairState,
  after: PairState,
  nowMs: number,
  totals?: Map<UserId, CountedTotals>,
): Promise<void> {
  await writeSide(transaction, { before: before[0], after: after[0], other: users[1], nowMs, totals });
  await writeSide(transaction, { before: before[1], after: after[1], other: users[0], nowMs, totals });
}

interface SideChange {
  readonly before: Side;
  readonly after: Side;
  /** The other user; undefined: the account is gone. */
  readonly other: UserRecord | undefined;
  readonly nowMs: number;
  readonly totals: Map<UserId, CountedTotals> | undefined;
}

async function writeSide(transaction: Transaction, change: SideChange): Promise<void> {
  const { before, after } = change;
  const known = before.full ?? after.full ?? [...before.games.values(), ...after.games.values()][0];
  if (!known || isSame(before, after)) return;
  const { user_id: userId, target_id: targetId } = known;
  const total = change.totals?.get(userId) ?? (await countedTotalsOf(transaction, userId));
  const totals = advanceTotals(total, before.full, after.full);
  change.totals?.set(userId, totals);
  transaction.put('relationship_totals', totals);
  const version = { of: relationshipsVersion(userId), revision: totals.changes };
  const announce = (announcement: Announcement) => transaction.announce({ ...announcement, version });

  await writeFull(transaction, change, userId, announce);
  for (const family of familiesOf(before, after)) writeGame(transaction, change, userId, family, announce);
  await announceVisibility(transaction, change, userId, targetId, announce);
}

type Announce = (announcement: Announcement) => void;

function isSame(before: Side, after: Side): boolean {
  if (before.full !== after.full) return false;
  return [...familiesOf(before, after)].every(family => before.games.get(family) === after.games.get(family));
}

function familiesOf(before: Side, after: Side): ReadonlySet<ApplicationId> {
  return new Set([...before.games.keys(), ...after.games.keys()]);
}

async function writeFull(
  transaction: Transaction,
  { before: { full: before }, after: { full: after }, other }: SideChange,
  userId: UserId,
  announce: Announce,
): Promise<void> {
  if (before === after) return;
  const to = topics.relationships(userId);
  if (after) {
    transaction.put('relationships', after);
    if (before?.type === after.type) {
      announce({ to, event: lazyEvent('RELATIONSHIP_UPDATE', () => partialRelationshipView(after)) });
      return;
    }
    const isNews = after.type === relationshipTypes.INCOMING;
    const added = (has_played_game?: boolean) =>
      lazyEvent('RELATIONSHIP_ADD', () => ({
        ...relationshipView(after, other),
        ...(isNews && { should_notify: true }),
        ...(has_played_game !== undefined && { has_played_game }),
      }));
    const played = await playedFamiliesOf(transaction, after.target_id);
    if (played.length > 0) announce({ to, event: added(true), families: played });
    announce({ to, event: added(), families: [null] });
    announce({ to, event: added(false), exceptFamilies: [...played, null] });
  } else if (before) {
    transaction.delete('relationships', userId, before.target_id);
    announce({ to, event: lazyEvent('RELATIONSHIP_REMOVE', () => partialRelationshipView(before)) });
  }
}

function writeGame(
  transaction: Transaction,
  { before, after, other }: SideChange,
  userId: UserId,
  family: ApplicationId,
  announce: Announce,
): void {
  const [was, is] = [before.games.get(family), after.games.get(family)];
  if (was === is) return;
  if (is) transaction.put('game_relationships', is);
  else if (was) transaction.delete('game_relationships', userId, family, was.target_id);
  const event = gameEvent(visible(was), visible(is), other, was?.is_hidden);
  // A user's own clients receive the events of all games.
  if (event) announce({ to: topics.relationships(userId), event, families: [family, null] });
}

function gameEvent(
  was: GameRelationshipRecord | undefined,
  is: GameRelationshipRecord | undefined,
  other: UserRecord | undefined,
  wasHidden: true | undefined,
): Announcement['event'] {
  if (is) {
    const isNews = is.type === relationshipTypes.INCOMING && !wasHidden;
    const added = () => ({ ...gameRelationshipView(is, other), ...(isNews && { should_notify: true }) });
    return lazyEvent('GAME_RELATIONSHIP_ADD', added);
  }
  return was && lazyEvent('GAME_RELATIONSHIP_REMOVE', () => gameRelationshipView(was));
}

function visible(record: GameRelationshipRecord | undefined): GameRelationshipRecord | undefined {
  return record?.is_hidden ? undefined : record;
}

/**
 * Lets the user's sessions follow the other one's presence from now on, or not any more. A friend is seen by sessions of all games, a
 * friend in a game by sessions of that game, unless they are friends anyway.
 */
async function announceVisibility(
  view: StoreView,
  { before, after, nowMs }: SideChange,
  userId: UserId,
  targetId: UserId,
  announce: Announce,
): Promise<void> {
  const friends = topics.friendsPresences(userId);
  const presence = topics.presence(targetId);
  const wasSeen = isFriend(before.full);
  const isSeen = isFriend(after.full);
  for (const family of familiesOf(before, after)) {
    const wasSeenInGame = !wasSeen && isFriend(before.games.get(family));
    const isSeenInGame = !isSeen && isFriend(after.games.get(family));
    if (!wasSeenInGame || isSeenInGame) continue;
    const unfollow = topics.gamePresence(targetId, family);
    const gone = { to: friends, families: [family], unfollow };
    announce(isSeen ? gone : { ...gone, event: offline(targetId) });
  }
  const seenInGames = isSeen ? [] : [...after.games].filter(([, game]) => isFriend(game)).map(([family]) => family);
  if (isBlocked(after.full) && !isBlocked(before.full)) {
    for (const viewer of ['friend', 'stranger'] as const) {
      announce({ to: topics.sessions(userId), unfollow: topics.hiddenActivities(targetId, viewer) });
      announce({ to: topics.sessions(targetId), unfollow: topics.hiddenActivities(userId, viewer) });
    }
  } else if (wasSeen && !isSeen) {
    announce({ to: topics.sessions(userId), unfollow: topics.hiddenActivities(targetId, 'friend') });
  }
  if (wasSeen && !isSeen) {
    announce({ to: friends, unfollow: presence, event: offline(targetId), exceptFamilies: seenInGames });
  }
  if (isSeen && !wasSeen) {
    const forms = await formsForFriends(view, targetId, nowMs);
    for (const form of forms) announce({ to: friends, ...form, follow: presence });
    for (const { family, event } of await profileEventsOf(view, targetId)) {
      announce({ to: friends, event, families: [family, null] });
    }
  }
  for (const family of seenInGames) {
    if (!wasSeen && isFriend(before.games.get(family))) continue;
    const follow = topics.gamePresence(targetId, family);
    const form = await formForGameFriends(view, targetId, family, nowMs);
    const seen = { ...form, to: friends, families: [family], follow };
    announce(wasSeen ? { ...seen, unfollow: presence } : seen);
    if (wasSeen) continue;
    for (const profile of await profileEventsOf(view, targetId)) {
      if (profile.family === family) announce({ to: friends, event: profile.event, families: [family] });
    }
  }
}

function isBlocked(record: { readonly type: number } | undefined): boolean {
  return record?.type === relationshipTypes.BLOCKED;
}

function isFriend(record: { readonly type: number; readonly is_hidden?: true } | undefined): boolean {
  return record?.type === relationshipTypes.FRIEND && !record.is_hidden;
}

function offline(userId: UserId): Announcement['event'] & object {
  const presence = { user: { id: userId }, status: 'offline', activities: [], client_status: {} } as const;
  return lazyEvent('PRESENCE_UPDATE', () => presence);
}
