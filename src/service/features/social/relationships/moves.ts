import { socialLimits } from '../../../../model/limits/social-limits.ts';
import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord } from '../../../store/records.ts';
import { familyOf, socialScope } from '../pair.ts';
import { presenceScope } from '../presence/records.ts';
import { type PairState, readPair, relationshipScope, type Side, writePair } from './changes.ts';
import { hide } from './hidden.ts';
import { countedTotalsOf, createAuthorizedCheck, gameRelationshipsMax, sideOf } from './records.ts';

/** Relationships that move to another user, or that another user gets as well. */
export interface RelationshipMoves {
  /**
   * After a merge: all relationships of `from` become those of `to`, a full account. After an identity was unmerged from the full
   * account `from`: `to`, its new provisional account, gets the friends in the game, those friends who have authorized the game, and
   * the blocks of others. May be repeated.
   *
   * Unspecified: where both accounts have a relationship with somebody, a block prevails, then a friendship; requests in both
   * directions become a friendship. A friend or a request beyond the limits of `to` is lost.
   *
   * @see docs/spec/social.md#relationships
   */
  move(applicationId: ApplicationId, from: UserId, to: UserId): Promise<void>;
  /** Ends everything that a user has with others, and what others have with the user. */
  endAll(userId: UserId): Promise<void>;
  /** Ends the relationships of a game that gets a publisher, whose relationships it shares from then on. */
  removeAll(applicationId: ApplicationId): Promise<void>;
}

const { FRIEND, BLOCKED, INCOMING, OUTGOING } = relationshipTypes;

/** Pairs whose transactions run together. */
const pairsTogether = 50;

export function createRelationshipMoves({ store, clock }: Pick<Core, 'store' | 'clock'>): RelationshipMoves {
  /** Everybody who has something with the user, or has blocked the user. */
  async function othersOf(userId: UserId): Promise<readonly UserId[]> {
    // A transaction, so that what was begun before the account ended is found.
    const found = await store.transact(socialScope(userId), transaction =>
      Promise.all([
        transaction.list('relationships', { equals: [userId] }),
        transaction.list('relationships', { index: 'byTarget', equals: [userId] }),
        transaction.list('game_relationships', { equals: [userId] }),
      ]),
    );
    const ids = found.flat().flatMap(({ user_id, target_id }) => [user_id, target_id]);
    return [...new Set(ids)].filter(id => id !== userId);
  }

  /** @param part what of it `to` gets */
  async function hand(
    other: UserId,
    { from, to, isCopy }: { readonly from: UserId; readonly to: UserId; readonly isCopy: boolean },
    part: (state: PairState) => PairState,
  ): Promise<void> {
    const { scope, guards } = relationshipScope(from, other);
    const work = async (transaction: Transaction) => {
      const [user, third] = await Promise.all([transaction.get('users', to), transaction.get('users', other)]);
      const source = await readPair(transaction, from, other);
      if (!isCopy) await writePair(transaction, [undefined, third], source, [nothing, nothing], clock.now());
      if (other === to || !user || !third) return;
      const before = await readPair(transaction, to, other);
      const after = union(before, renamed(part(source), from, to));
      if (!(await hasRoom(transaction, to, before, after))) return;
      await writePair(transaction, [user, third], before, after, clock.now());
    };
    await store.transact(scope, work, [...guards, socialScope(to), presenceScope(to)]);
  }

  async function eachOf(ids: readonly UserId[], step: (id: UserId) => Promise<void>): Promise<void> {
    for (let at = 0; at < ids.length; at += pairsTogether) {
      await Promise.all(ids.slice(at, at + pairsTogether).map(step));
    }
  }

  async function merge(from: UserId, to: UserId): Promise<void> {
    const parties = { from, to, isCopy: false };
    await eachOf(await othersOf(from), other => hand(other, parties, state => state));
    await store.transact(socialScope(from), transaction => transaction.delete('relationship_totals', from));
  }

  async function endOne(userId: UserId, other: UserId): Promise<void> {
    const { scope, guards } = relationshipScope(userId, other);
    const work = async (transaction: Transaction) => {
      const users = await Promise.all([transaction.get('users', userId), transaction.get('users', other)]);
      const before = await readPair(transaction, userId, other);
      await writePair(transaction, users, before, [nothing, nothing], clock.now());
    };
    await store.transact(scope, work, guards);
  }

  async function copy(applicationId: ApplicationId, from: UserId, to: UserId): Promise<void> {
    const application = await store.get('applications', applicationId);
    if (!application) return;
    const family = familyOf(application);
    const isPlayer = createAuthorizedCheck(store, family);
    await eachOf(await othersOf(from), async other => {
      const staysFriend = await isPlayer(other);
      // The new account can always play; the full one no longer does.
      const copied = (side: Side) => friendOf(side, family, !staysFriend);
      await hand(other, { from, to, isCopy: true }, ([mine, theirs]) => [
        { full: mine.full?.type === FRIEND && staysFriend ? mine.full : undefined, games: copied(mine) },
        { full: keptOf(theirs.full, staysFriend), games: copied(theirs) },
      ]);
    });
  }

  return {
    async move(applicationId, from, to) {
      const user = await store.get('users', to);
      if (user?.provisional_of == null) await merge(from, to);
      else await copy(applicationId, from, to);
    },

    async endAll(userId) {
      await eachOf(await othersOf(userId), other => endOne(userId, other));
    },

    async removeAll(applicationId) {
      const all = await store.list('game_relationships');
      const pairs = all.filter(one => one.family_id === applicationId && BigInt(one.user_id) < BigInt(one.target_id));
      for (let at = 0; at < pairs.length; at += pairsTogether) {
        await Promise.all(pairs.slice(at, at + pairsTogether).map(pair => removeOne(applicationId, pair)));
      }
    },
  };

  async function removeOne(family: ApplicationId, { user_id, target_id }: GameRelationshipRecord): Promise<void> {
    const { scope, guards } = relationshipScope(user_id, target_id);
    const work = async (transaction: Transaction) => {
      const users = await Promise.all([transaction.get('users', user_id), transaction.get('users', target_id)]);
      const before = await readPair(transaction, user_id, target_id);
      const without = ({ full, games }: Side) => ({
        full,
        games: new Map([...games].filter(([one]) => one !== family)),
      });
      await writePair(transaction, users, before, [without(before[0]), without(before[1])], clock.now());
    };
    await store.transact(scope, work, guards);
  }
}

const nothing: Side = { full: undefined, games: new Map() };

function friendOf({ games }: Side, family: ApplicationId, isHidden: boolean): Side['games'] {
  const game = games.get(family);
  if (game?.type !== FRIEND) return new Map();
  return new Map([[family, hide(game, isHidden)]]);
}

/** What somebody else has to an account that is copied. */
function keptOf(theirs: RelationshipRecord | undefined, staysFriend: boolean): RelationshipRecord | undefined {
  if (theirs?.type === BLOCKED) return theirs;
  return theirs?.type === FRIEND && staysFriend ? theirs : undefined;
}

/** The same with `to` in the place of `from`, which has the first side. */
function renamed([mine, theirs]: PairState, from: UserId, to: UserId): PairState {
  const rename = <Record extends Pick<RelationshipRecord, 'user_id' | 'target_id'>>(record: Record): Record => ({
    ...record,
    user_id: record.user_id === from ? to : record.user_id,
    target_id: record.target_id === from ? to : record.target_id,
  });
  const renameSide = ({ full, games }: Side): Side => ({
    full: full && rename(full),
    games: new Map([...games].map(([family, game]) => [family, withPair(rename(game))])),
  });
  return [renameSide(mine), renameSide(theirs)];
}

function withPair(game: GameRelationshipRecord): GameRelationshipRecord {
  return { ...game, pair: sideOf(game.user_id, game.target_id) };
}

/** What two pairs of sides come to, where both are of the same users. */
function union(a: PairState, b: PairState): PairState {
  const blocks = [blockOf(a[0], b[0]), blockOf(a[1], b[1])] as const;
  if (blocks[0] || blocks[1]) {
    return [
      { full: blocks[0], games: new Map() },
      { full: blocks[1], games: new Map() },
    ];
  }
  const [mine, theirs] = strongest([a[0].full, a[1].full], [b[0].full, b[1].full]);
  const games: [Map<ApplicationId, GameRelationshipRecord>, Map<ApplicationId, GameRelationshipRecord>] = [
    new Map(),
    new Map(),
  ];
  for (const family of new Set([...a[0].games.keys(), ...b[0].games.keys()])) {
    const sides = strongest(
      [a[0].games.get(family), a[1].games.get(family)],
      [b[0].games.get(family), b[1].games.get(family)],
    );
    if (sides[0]) games[0].set(family, sides[0]);
    if (sides[1]) games[1].set(family, sides[1]);
  }
  return [
    { full: mine, games: games[0] },
    { full: theirs, games: games[1] },
  ];
}

function blockOf(...sides: readonly Side[]): RelationshipRecord | undefined {
  return sides.find(({ full }) => full?.type === BLOCKED)?.full;
}

type Both<Record> = readonly [Record | undefined, Record | undefined];

function strongest<Record extends { readonly type: number }>(a: Both<Record>, b: Both<Record>): Both<Record> {
  const [mine, others] = [a[0], b[0]];
  if (!mine || !others) return mine ? a : b;
  if (mine.type === others.type || mine.type === FRIEND) return a;
  if (others.type === FRIEND) return b;
  return [asFriend(a[0]), asFriend(a[1])];
}

function asFriend<Record extends { readonly type: number }>(record: Record | undefined): Record | undefined {
  return record && { ...record, type: FRIEND, ...('note' in record && { note: null }) };
}

async function hasRoom(transaction: Transaction, userId: UserId, [before]: PairState, [after]: PairState) {
  const { friends, pending } = await countedTotalsOf(transaction, userId);
  const gained = after.full?.type === before.full?.type ? undefined : after.full?.type;
  if (gained === FRIEND && friends >= socialLimits.friendsMax) return false;
  if (gained === OUTGOING && pending.sent >= socialLimits.requestsSentMax) return false;
  if (gained === INCOMING && pending.received >= socialLimits.requestsReceivedMax) return false;
  for (const family of after.games.keys()) {
    if (before.games.has(family)) continue;
    const query = { equals: [userId, family], limit: gameRelationshipsMax } as const;
    if ((await transaction.list('game_relationships', query)).length >= gameRelationshipsMax) return false;
  }
  return true;
}
