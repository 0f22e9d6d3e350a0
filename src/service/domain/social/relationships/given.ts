import { relationshipTypes } from '../../../../model/relationship.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { GameRelationshipRecord, RelationshipRecord } from '../../../store/records.ts';
import { familyOf } from '../pair.ts';
import { type PairState, readPair, relationshipScope, type Side, writePair } from './changes.ts';
import { sideOf } from './records.ts';

/** What two users are to be to each other, as fixtures say. */
export interface GivenRelationship {
  /** Of a request: who sent it and who received it; of a block: who blocks whom. */
  readonly users: readonly [UserId, UserId];
  readonly type: 'friend' | 'request' | 'block';
  readonly application_id?: ApplicationId | null;
}

const { FRIEND, BLOCKED, INCOMING, OUTGOING } = relationshipTypes;

/** The types of both sides. */
const types = { friend: [FRIEND, FRIEND], request: [OUTGOING, INCOMING], block: [BLOCKED, undefined] } as const;

/** Makes two users what is given, whatever they are; what is so already stays as it is. */
export async function settleRelationship(
  { store, clock }: Core,
  { users: [a, b], type, application_id: applicationId }: GivenRelationship,
): Promise<void> {
  const application = applicationId == null ? undefined : await store.get('applications', applicationId);
  const family = application && familyOf(application);
  const { scope, guards } = relationshipScope(a, b);
  const since_ms = clock.now();

  function fullSide(user_id: UserId, target_id: UserId, type: RelationshipRecord['type'] | undefined) {
    if (type === undefined) return undefined;
    return { user_id, target_id, type, since_ms, nickname: null, note: null, origin_application_id: null };
  }

  function gameSide(
    user_id: UserId,
    target_id: UserId,
    type: GameRelationshipRecord['type'],
    family_id: ApplicationId,
  ) {
    return { user_id, family_id, target_id, pair: sideOf(user_id, target_id), type, since_ms };
  }

  function given([mine, theirs]: PairState): PairState {
    if (family !== undefined && type !== 'block') {
      const add = ({ full, games }: Side, game: GameRelationshipRecord): Side => {
        const before = games.get(family);
        return { full, games: before?.type === game.type ? games : new Map([...games, [family, game]]) };
      };
      return [add(mine, gameSide(a, b, types[type][0], family)), add(theirs, gameSide(b, a, types[type][1], family))];
    }
    const games: Side['games'] = new Map();
    const keep = (side: Side, full: RelationshipRecord | undefined): Side => {
      const stays = side.full?.type === full?.type;
      return { full: stays ? side.full : full, games: type === 'block' ? games : side.games };
    };
    const [from, to] = types[type];
    // Each of two users can have blocked the other.
    const blocksToo = type === 'block' && theirs.full?.type === BLOCKED;
    return [keep(mine, fullSide(a, b, from)), blocksToo ? theirs : keep(theirs, fullSide(b, a, to))];
  }

  const work = async (transaction: Transaction) => {
    const users = await Promise.all([transaction.get('users', a), transaction.get('users', b)]);
    const before = await readPair(transaction, a, b);
    await writePair(transaction, users, before, given(before), since_ms);
  };
  await store.transact(scope, work, guards);
}
