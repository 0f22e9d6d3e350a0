import type { Issue } from '../../../../model/errors/issue.ts';
import { socialLimits } from '../../../../model/limits/social-limits.ts';
import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord, RelationshipTotalsRecord } from '../../../store/records.ts';
import { issue } from '../../../support/document-check.ts';
import { familyOf, pairOf } from '../pair.ts';
import { type PairState, readPair, type Side, writePair } from './changes.ts';
import { type CountedTotals, countedTotalsOf, sideOf } from './records.ts';

/** What two users are to be to each other, as fixtures say. */
export interface GivenRelationship {
  /** Of a request: who sent it and who received it; of a block: who blocks whom. */
  readonly users: readonly [UserId, UserId];
  readonly type: 'friend' | 'request' | 'block';
  readonly application_id?: ApplicationId | null;
  /** ISO 8601. Default: now. */
  readonly since?: string;
  /** What each of two friends calls the other one, in the order of `users`. */
  readonly nicknames?: readonly [string | null, string | null];
}

const { FRIEND, BLOCKED, INCOMING, OUTGOING } = relationshipTypes;

/** The types of both sides. */
const types = { friend: [FRIEND, FRIEND], request: [OUTGOING, INCOMING], block: [BLOCKED, undefined] } as const;

/** Pairs that are read together. */
const pairsTogether = 500;

/**
 * Makes users what is given, whatever they are, within one transaction; what is so already stays as it is. Of one pair the later entries
 * prevail.
 *
 * @returns what exceeds the limits of a user: the transaction must be abandoned then
 */
export async function settleRelationships(
  transaction: Transaction,
  relationships: readonly GivenRelationship[],
  nowMs: number,
): Promise<readonly Issue[]> {
  const userIds = [...new Set(relationships.flatMap(({ users }) => users))];
  const before = await Promise.all(userIds.map(id => countedTotalsOf(transaction, id)));
  // Pairs with a common user are written side by side, so that the totals are counted here.
  const totals = new Map(before.map(record => [record.user_id, record]));
  const pairs = [...Map.groupBy(relationships, ({ users }) => pairOf(...users).join('/')).values()];
  for (let at = 0; at < pairs.length; at += pairsTogether) {
    await Promise.all(
      pairs.slice(at, at + pairsTogether).map(async entries => {
        for (const entry of entries) await settleOne(transaction, entry, { nowMs, totals });
      }),
    );
  }
  return before.flatMap(record => excessOf(record, totals.get(record.user_id) ?? record, relationships));
}

async function settleOne(
  transaction: Transaction,
  { users: [a, b], type, application_id: applicationId, since, nicknames }: GivenRelationship,
  { nowMs, totals }: { readonly nowMs: number; readonly totals: Map<UserId, CountedTotals> },
): Promise<void> {
  const application = applicationId == null ? undefined : await transaction.get('applications', applicationId);
  const family = application && familyOf(application);
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  const names = nicknames && new Map([[a, nicknames[0]] as const, [b, nicknames[1]] as const]);

  function fullSide(user_id: UserId, target_id: UserId, type: RelationshipRecord['type'] | undefined) {
    if (type === undefined) return undefined;
    const since_ms = sinceMs ?? nowMs;
    const nickname = names?.get(user_id) ?? null;
    return { user_id, target_id, type, since_ms, nickname, note: null, origin_application_id: null };
  }

  /** What the same relationship is with what is given about it: the same record where that changes nothing. */
  function kept(before: RelationshipRecord): RelationshipRecord {
    const name = names?.get(before.user_id);
    const [since_ms, nickname] = [sinceMs ?? before.since_ms, name === undefined ? before.nickname : name];
    return since_ms === before.since_ms && nickname === before.nickname ? before : { ...before, since_ms, nickname };
  }

  function gameSide(
    user_id: UserId,
    target_id: UserId,
    type: GameRelationshipRecord['type'],
    family_id: ApplicationId,
  ) {
    return { user_id, family_id, target_id, pair: sideOf(user_id, target_id), type, since_ms: sinceMs ?? nowMs };
  }

  function given([mine, theirs]: PairState): PairState {
    if (family !== undefined && type !== 'block') {
      const add = ({ full, games }: Side, game: GameRelationshipRecord): Side => {
        const before = games.get(family);
        const isKept = before?.type === game.type && (sinceMs === undefined || before.since_ms === sinceMs);
        return { full, games: isKept ? games : new Map([...games, [family, { ...before, ...game }]]) };
      };
      return [add(mine, gameSide(a, b, types[type][0], family)), add(theirs, gameSide(b, a, types[type][1], family))];
    }
    const games: Side['games'] = new Map();
    const keep = (side: Side, full: RelationshipRecord | undefined): Side => {
      const stays = side.full && side.full.type === full?.type;
      return { full: stays ? kept(side.full) : full, games: type === 'block' ? games : side.games };
    };
    const [from, to] = types[type];
    // Each of two users can have blocked the other.
    const blocksToo = type === 'block' && theirs.full?.type === BLOCKED;
    return [keep(mine, fullSide(a, b, from)), blocksToo ? theirs : keep(theirs, fullSide(b, a, to))];
  }

  const users = await Promise.all([transaction.get('users', a), transaction.get('users', b)]);
  const before = await readPair(transaction, a, b);
  await writePair(transaction, users, before, given(before), nowMs, totals);
}

/** Issues of a user who has more friends or blocks than allowed, at the last entry that gives them. */
function excessOf(
  before: RelationshipTotalsRecord,
  after: RelationshipTotalsRecord,
  relationships: readonly GivenRelationship[],
): Issue[] {
  const { user_id: id } = after;
  const last = (gives: (entry: GivenRelationship) => boolean) => {
    const index = relationships.findLastIndex(entry => entry.application_id == null && gives(entry));
    return ['relationships', String(index)];
  };
  const issues: Issue[] = [];
  if (after.friends > Math.max(before.friends, socialLimits.friendsMax)) {
    const path = last(({ users, type }) => type === 'friend' && users.includes(id));
    issues.push(issue('too_many', path, socialLimits.friendsMax));
  }
  if (after.blocks > Math.max(before.blocks, socialLimits.blocksMax)) {
    const path = last(({ users, type }) => type === 'block' && users[0] === id);
    issues.push(issue('too_many', path, socialLimits.blocksMax));
  }
  return issues;
}
