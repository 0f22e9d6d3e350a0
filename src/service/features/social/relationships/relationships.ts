import { socialLimits } from '../../../../model/limits/social-limits.ts';
import { type GameRelationship, type Relationship, relationshipTypes } from '../../../../model/relationship.ts';
import {
  checkGameRelationshipPut,
  checkRelationshipEdit,
  checkRelationshipPut,
  checkRelationshipRequest,
} from '../../../../model/rules/social/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord, UserRecord } from '../../../store/records.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { type PairState, readPair, relationshipScope, type Side, writePair } from './changes.ts';
import {
  countedTotalsOf,
  createPlayedCheck,
  gameRelationshipsMax,
  gameRelationshipsOf,
  hasAuthorized,
  relationshipsOf,
  sideOf,
  totalsOf,
} from './records.ts';
import { gameRelationshipView, relationshipView } from './view.ts';

/** Who asks, and through what. */
export interface Caller {
  readonly user: UserRecord;
  /** Null: by the user's own client. */
  readonly applicationId: ApplicationId | null;
  /** What the application shares relationships by; null: as above. */
  readonly familyId: ApplicationId | null;
}

/**
 * Relationships of users with each other. What a pair is to each other changes for both in one transaction.
 *
 * @see docs/spec/social.md#relationships
 */
export interface Relationships {
  /** All of the user's, by the other's id. */
  list(caller: Caller): Promise<readonly Relationship[]>;
  /** Sends a request, or accepts the other's. @throws RequestError `unknown_username`, those of {@link Relationships.put} */
  request(caller: Caller, input: unknown): Promise<void>;
  /**
   * Sends a request, accepts one or blocks. A request that was sent before, and a block, may be repeated.
   *
   * @throws RequestError `invalid_form_body`, `unknown_user`, `bots_have_no_friends`, `friend_request_to_self`,
   *   `friend_request_blocked`, `friend_requests_disabled`, `already_friends`, `no_friend_request`, `too_many_friends`,
   *   `too_many_blocks`, `rate_limited`
   */
  put(caller: Caller, targetId: UserId, input: unknown): Promise<void>;
  /** Ends whatever the user is to the other: a friendship, a request of either, the user's own block. Idempotent. */
  remove(caller: Caller, targetId: UserId): Promise<void>;
  /** Gives a friend a nickname. @throws RequestError `invalid_form_body`, `not_friends` */
  edit(caller: Caller, targetId: UserId, input: unknown): Promise<void>;
  readonly games: GameRelationships;
}

/** The same within a family of games. @see docs/spec/social.md#relationships */
export interface GameRelationships {
  list(caller: GameCaller): Promise<readonly GameRelationship[]>;
  /** @throws RequestError as {@link Relationships.request}, and `no_common_application`, `application_not_authorized` */
  request(caller: GameCaller, input: unknown): Promise<void>;
  /** @throws as {@link GameRelationships.request} */
  put(caller: GameCaller, targetId: UserId, input: unknown): Promise<void>;
  remove(caller: GameCaller, targetId: UserId): Promise<void>;
}

export type GameCaller = Caller & { readonly familyId: ApplicationId };

const { FRIEND, BLOCKED, INCOMING, OUTGOING } = relationshipTypes;

/** What is asked for of a pair; the caller's side is the first. */
interface Ask {
  readonly transaction: Transaction;
  readonly caller: Caller;
  readonly target: UserRecord;
  readonly before: PairState;
}

export function createRelationships(core: Core): Relationships {
  const { store, clock, bus, limits } = core;

  /** @throws RequestError `rate_limited` */
  async function count({ id }: UserRecord): Promise<void> {
    const limit = limits.buckets['friend-request'];
    if (!limit) return;
    const { allowed, resetAtMs } = await bus.count(`friend-request/user/${id}`, limit);
    if (allowed) return;
    const retry_after = Math.max(0, resetAtMs - clock.now()) / 1000;
    throw new RequestError('rate_limited', { retry_after, global: false });
  }

  /** @param decide what the two are to each other from now on; undefined: as before */
  async function change(
    caller: Caller,
    targetId: UserId,
    decide: (ask: Ask) => Promise<PairState | undefined>,
  ): Promise<void> {
    const { id } = caller.user;
    const { scope, guards } = relationshipScope(id, targetId);
    const work = async (transaction: Transaction) => {
      const [user, target] = await Promise.all([transaction.get('users', id), findUser(transaction, targetId)]);
      // The account was merged meanwhile.
      if (!user) throw new RequestError('unauthorized');
      const before = await readPair(transaction, id, targetId);
      const after = await decide({ transaction, caller, target, before });
      if (after) await writePair(transaction, [user, target], before, after, clock.now());
    };
    await store.transact(scope, work, guards);
  }

  async function ask(caller: Caller, targetId: UserId, note: string | null): Promise<void> {
    rejectSelf(caller, targetId);
    await count(caller.user);
    await change(caller, targetId, async ask => {
      const [mine, theirs] = ask.before;
      if (mine.full?.type === FRIEND) throw new RequestError('already_friends');
      if (isBlocked(ask.before)) throw new RequestError('friend_request_blocked');
      if (mine.full?.type === OUTGOING) return undefined;
      if (mine.full?.type === INCOMING) return befriend(ask);
      await requireRoom(ask.transaction, caller.user.id);
      await requireOpen(ask);
      await requireRoomForRequest(ask);
      const fresh = { since_ms: clock.now(), nickname: null, origin_application_id: caller.applicationId };
      const [from, to] = endsOf(ask);
      return [
        { ...mine, full: { ...fresh, ...from, type: OUTGOING, note: null } },
        { ...theirs, full: { ...fresh, ...to, type: INCOMING, note } },
      ];
    });
  }

  async function accept(caller: Caller, targetId: UserId): Promise<void> {
    rejectSelf(caller, targetId);
    await change(caller, targetId, async ask => {
      if (ask.before[0].full?.type !== INCOMING) throw new RequestError('no_friend_request');
      return befriend(ask);
    });
  }

  async function block(caller: Caller, targetId: UserId): Promise<void> {
    rejectSelf(caller, targetId);
    await change(caller, targetId, async ask => {
      const { transaction, before } = ask;
      if (before[0].full?.type === BLOCKED) return undefined;
      const { blocks } = await totalsOf(transaction, caller.user.id);
      if (blocks >= socialLimits.blocksMax) throw new RequestError('too_many_blocks');
      const [from] = endsOf(ask);
      const full = { ...from, type: BLOCKED, since_ms: clock.now(), ...nothingMore };
      return [{ full, games: none }, blocksOnly(before[1])];
    });
  }

  async function askInGame(caller: GameCaller, targetId: UserId): Promise<void> {
    rejectSelf(caller, targetId);
    await count(caller.user);
    await change(caller, targetId, async ask => {
      const mine = ask.before[0].games.get(caller.familyId);
      if (isBlocked(ask.before)) throw new RequestError('friend_request_blocked');
      if (mine?.type !== FRIEND || mine.is_hidden) await requireAuthorized(ask, caller, 'no_common_application');
      if (mine?.type === FRIEND) throw new RequestError('already_friends');
      if (mine?.type === OUTGOING) return undefined;
      if (mine?.type === INCOMING) return befriendInGame(ask, caller);
      await requireRoomInGame(ask.transaction, caller.familyId, caller.user.id, OUTGOING);
      await requireRoomInGame(ask.transaction, caller.familyId, targetId, INCOMING);
      await requireOpen(ask);
      return inGame(ask, caller, { since_ms: clock.now(), types: [OUTGOING, INCOMING] });
    });
  }

  async function acceptInGame(caller: GameCaller, targetId: UserId): Promise<void> {
    rejectSelf(caller, targetId);
    await change(caller, targetId, async ask => {
      const mine = ask.before[0].games.get(caller.familyId);
      if (mine?.type !== INCOMING) throw new RequestError('no_friend_request');
      await requireAuthorized(ask, caller, 'application_not_authorized');
      return befriendInGame(ask, caller);
    });
  }

  /** The id of the user with the name in the body. */
  async function readTarget(input: unknown): Promise<{ readonly targetId: UserId; readonly note: string | null }> {
    rejectIssues(checkRelationshipRequest(input));
    const { username, note } = input as { username: string; note?: string | null };
    const targetId = await idOfName(store, username);
    if (targetId === undefined) throw new RequestError('unknown_username');
    return { targetId, note: note || null };
  }

  return {
    list: ({ user, familyId }) => listRelationships(store, user.id, familyId),

    async request(caller, input) {
      const { targetId, note } = await readTarget(input);
      await ask(caller, targetId, note);
    },

    async put(caller, targetId, input) {
      rejectIssues(checkRelationshipPut(input));
      const { type, note } = input as { type?: number | null; note?: string | null };
      if (type === BLOCKED) await block(caller, targetId);
      else if (type === FRIEND) await accept(caller, targetId);
      else await ask(caller, targetId, note || null);
    },

    async remove(caller, targetId) {
      if (targetId === caller.user.id) return;
      if (!(await store.get('relationships', caller.user.id, targetId))) return;
      await change(caller, targetId, async ({ before: [mine, theirs] }) => {
        if (!mine.full) return undefined;
        const ended = { ...mine, full: undefined };
        return [ended, mine.full.type === BLOCKED ? theirs : { ...theirs, full: undefined }];
      });
    },

    async edit(caller, targetId, input) {
      rejectIssues(checkRelationshipEdit(input));
      const { nickname } = input as { nickname?: string | null };
      rejectSelf(caller, targetId);
      await change(caller, targetId, async ({ before: [mine, theirs] }) => {
        if (mine.full?.type !== FRIEND) throw new RequestError('not_friends');
        if (nickname === undefined || nickname === mine.full.nickname) return undefined;
        return [{ ...mine, full: { ...mine.full, nickname } }, theirs];
      });
    },

    games: {
      list: async ({ user, familyId }) => {
        const records = await gameRelationshipsOf(store, user.id, familyId);
        return records.map(record => gameRelationshipView(record));
      },

      async request(caller, input) {
        await askInGame(caller, (await readTarget(input)).targetId);
      },

      async put(caller, targetId, input) {
        rejectIssues(checkGameRelationshipPut(input));
        const { type } = input as { type?: number | null };
        await (type === FRIEND ? acceptInGame(caller, targetId) : askInGame(caller, targetId));
      },

      async remove(caller, targetId) {
        if (targetId === caller.user.id) return;
        if (!(await store.get('game_relationships', caller.user.id, caller.familyId, targetId))) return;
        await change(caller, targetId, async ({ before: [mine, theirs] }) => [
          { ...mine, games: without(mine.games, caller.familyId) },
          { ...theirs, games: without(theirs.games, caller.familyId) },
        ]);
      },
    },
  };
}

/** @param familyId whose players have `has_played_game`; null: nobody */
async function listRelationships(
  view: StoreView,
  userId: UserId,
  familyId: ApplicationId | null,
): Promise<readonly Relationship[]> {
  const records = await relationshipsOf(view, userId);
  const users = await Promise.all(records.map(({ target_id }) => view.get('users', target_id)));
  const hasPlayed = familyId === null ? undefined : createPlayedCheck(view, familyId);
  const played = hasPlayed && (await Promise.all(records.map(({ target_id }) => hasPlayed(target_id))));
  return records.flatMap((record, at) => {
    const user = users[at];
    return user ? { ...relationshipView(record, user), ...(played && { has_played_game: played[at] === true }) } : [];
  });
}

const none: Side['games'] = new Map();
const nothingMore = { nickname: null, note: null, origin_application_id: null } as const;

function rejectSelf({ user }: Caller, targetId: UserId): void {
  if (user.id === targetId) throw new RequestError('friend_request_to_self');
}

/** @throws RequestError `unknown_user`, `bots_have_no_friends` */
async function findUser(view: StoreView, id: UserId): Promise<UserRecord> {
  const user = await view.get('users', id);
  if (user) return user;
  throw new RequestError((await view.get('applications', id)) ? 'bots_have_no_friends' : 'unknown_user');
}

/** Unspecified: names are found as they are written or, if nobody has that, in small letters. */
async function idOfName(view: StoreView, username: string): Promise<UserId | undefined> {
  for (const name of new Set([username, username.toLowerCase()])) {
    const [user] = await view.list('users', { index: 'byUsername', equals: [name], limit: 1 });
    if (user) return user.id;
  }
  return undefined;
}

function endsOf({ caller, target }: Ask): [from: Ends, to: Ends] {
  const { id } = caller.user;
  return [
    { user_id: id, target_id: target.id },
    { user_id: target.id, target_id: id },
  ];
}

type Ends = Pick<RelationshipRecord, 'user_id' | 'target_id'>;

function isBlocked([mine, theirs]: PairState): boolean {
  return mine.full?.type === BLOCKED || theirs.full?.type === BLOCKED;
}

/** A block stays when the other one blocks as well; everything else between the two ends. */
function blocksOnly({ full }: Side): Side {
  return { full: full?.type === BLOCKED ? full : undefined, games: none };
}

async function befriend({ transaction, before: [mine, theirs] }: Ask): Promise<PairState> {
  if (!mine.full || !theirs.full) throw new Error('A request has two sides.');
  await requireRoom(transaction, mine.full.user_id);
  await requireRoom(transaction, theirs.full.user_id);
  return [
    { ...mine, full: { ...mine.full, type: FRIEND, note: null } },
    { ...theirs, full: { ...theirs.full, type: FRIEND, note: null } },
  ];
}

async function befriendInGame(ask: Ask, { familyId }: GameCaller): Promise<PairState> {
  const since_ms = ask.before[0].games.get(familyId)?.since_ms ?? 0;
  await requireRoomInGame(ask.transaction, familyId, ask.caller.user.id, FRIEND);
  await requireRoomInGame(ask.transaction, familyId, ask.target.id, FRIEND);
  return inGame(ask, { familyId }, { since_ms, types: [FRIEND, FRIEND] });
}

type GameType = GameRelationshipRecord['type'];

function inGame(
  ask: Ask,
  { familyId }: Pick<GameCaller, 'familyId'>,
  { since_ms, types }: { readonly since_ms: number; readonly types: readonly [GameType, GameType] },
): PairState {
  const [mine, theirs] = ask.before;
  const [from, to] = endsOf(ask);
  const game = { family_id: familyId, since_ms };
  return [
    { ...mine, games: new Map([...mine.games, [familyId, gameSide({ ...from, ...game, type: types[0] })]]) },
    { ...theirs, games: new Map([...theirs.games, [familyId, gameSide({ ...to, ...game, type: types[1] })]]) },
  ];
}

function gameSide(side: Omit<GameRelationshipRecord, 'pair'>): GameRelationshipRecord {
  return { ...side, pair: sideOf(side.user_id, side.target_id) };
}

function without(games: Side['games'], familyId: ApplicationId): Side['games'] {
  return new Map([...games].filter(([family]) => family !== familyId));
}

/** @throws RequestError `too_many_friends` */
async function requireRoom(view: StoreView, userId: UserId): Promise<void> {
  if ((await totalsOf(view, userId)).friends >= socialLimits.friendsMax) throw new RequestError('too_many_friends');
}

/**
 * Unspecified: the sources name no number and no error. Requests of an application's provisional accounts, of which it makes any number,
 * leave room for those of others.
 *
 * @throws RequestError `too_many_friends`
 */
async function requireRoomForRequest({ transaction, caller, target }: Ask): Promise<void> {
  const { requestsSentMax, requestsReceivedMax, requestsPerApplicationMax } = socialLimits;
  const [{ pending: mine }, { pending: theirs }] = await Promise.all([
    countedTotalsOf(transaction, caller.user.id),
    countedTotalsOf(transaction, target.id),
  ]);
  if (mine.sent >= requestsSentMax) throw tooManyRequests('sent');
  const through = caller.user.provisional_of === null ? 0 : (theirs.received_through[caller.applicationId ?? ''] ?? 0);
  if (theirs.received >= requestsReceivedMax || through >= requestsPerApplicationMax) throw tooManyRequests('received');
}

function tooManyRequests(what: 'sent' | 'received'): RequestError {
  const message =
    what === 'sent'
      ? `Maximum number of pending friend requests reached (${socialLimits.requestsSentMax})`
      : 'This user has too many pending friend requests';
  return new RequestError('too_many_friends', { message });
}

/**
 * @param type what the user has one more of: a friend, or a request of either kind
 * @throws RequestError `too_many_friends`
 */
async function requireRoomInGame(
  view: StoreView,
  familyId: ApplicationId,
  userId: UserId,
  type: GameType,
): Promise<void> {
  // Hidden ones count, too.
  const records = await view.list('game_relationships', { equals: [userId, familyId], limit: gameRelationshipsMax });
  const has = (wanted: GameType) => records.filter(record => record.type === wanted).length;
  if (type !== INCOMING && has(FRIEND) >= socialLimits.gameFriendsMax) throw new RequestError('too_many_friends');
  const isFull = records.length >= gameRelationshipsMax;
  if (type === OUTGOING && (isFull || has(type) >= socialLimits.requestsSentMax)) throw tooManyRequests('sent');
  if (type === INCOMING && (isFull || has(type) >= socialLimits.requestsReceivedMax)) throw tooManyRequests('received');
}

/** @throws RequestError `friend_requests_disabled` when the target has set so */
async function requireOpen({ transaction, target }: Ask): Promise<void> {
  const settings = await transaction.get('social_settings', target.id);
  if (settings?.accept_friend_requests === false) throw new RequestError('friend_requests_disabled');
}

async function requireAuthorized(
  { transaction, target }: Ask,
  { familyId }: GameCaller,
  reason: 'no_common_application' | 'application_not_authorized',
): Promise<void> {
  if (!(await hasAuthorized(transaction, familyId, target.id))) throw new RequestError(reason);
}
