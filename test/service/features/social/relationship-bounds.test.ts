import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { socialLimits } from '../../../../src/model/limits/social-limits.ts';
import { type RelationshipType, relationshipTypes } from '../../../../src/model/relationship.ts';
import { sideOf } from '../../../../src/service/features/social/relationships/records.ts';
import {
  createRelationships,
  type GameCaller,
  type Relationships,
} from '../../../../src/service/features/social/relationships/relationships.ts';
import { RequestError } from '../../../../src/service/support/request-error.ts';
import { ada, ben, cyn, makeWorld, userRecord, type World } from '../support.ts';

const { FRIEND, INCOMING, OUTGOING } = relationshipTypes;
const { requestsReceivedMax, requestsSentMax, requestsPerApplicationMax } = socialLimits;

let world: World;
let relationships: Relationships;

beforeEach(async () => {
  world = await makeWorld({ limits: limitProfiles.off });
  relationships = createRelationships(world.core);
});
afterEach(() => world.core.store.close());

/** The n-th of many users; all ids sort behind those of Ada, Ben and Cyn. */
function crowdId(n: number): string {
  return String(200_000_000_000_000_000n + BigInt(n));
}

async function addUsers(count: number, provisionalOf: string | null = null, first = 0): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => crowdId(first + n));
  await world.core.store.transact('users', transaction => {
    for (const id of ids) transaction.put('users', { ...userRecord(id), provisional_of: provisionalOf });
  });
  return ids;
}

/** Stores the user's side of relationships with others, as an older version did: without counts. */
async function fill(userId: string, type: Exclude<RelationshipType, 0>, others: readonly string[], through = '1') {
  await world.core.store.transact(`social/${userId}`, transaction => {
    for (const target_id of others) {
      const rest = { since_ms: 0, nickname: null, note: null, origin_application_id: through };
      transaction.put('relationships', { user_id: userId, target_id, type, ...rest });
    }
  });
}

async function fillInGame(userId: string, type: 1 | 3 | 4, others: readonly string[]) {
  await world.core.store.transact(`social/${userId}`, transaction => {
    for (const target_id of others) {
      const pair = sideOf(userId, target_id);
      transaction.put('game_relationships', { user_id: userId, family_id: '1', target_id, pair, type, since_ms: 0 });
    }
  });
}

async function callerOf(userId: string, applicationId = '1'): Promise<GameCaller> {
  const user = await world.core.store.get('users', userId);
  if (!user) throw new Error(`There is no user ${userId}.`);
  return { user, applicationId, familyId: applicationId };
}

async function outcomeOf(request: Promise<void>): Promise<string> {
  try {
    await request;
    return 'sent';
  } catch (error) {
    if (error instanceof RequestError) return error.reason;
    throw error;
  }
}

async function ask(from: string, to: string, through = '1'): Promise<string> {
  return outcomeOf(relationships.put(await callerOf(from, through), to, {}));
}

async function askInGame(from: string, to: string): Promise<string> {
  return outcomeOf(relationships.games.put(await callerOf(from), to, {}));
}

describe('pending friend requests', () => {
  it(`are received up to ${requestsReceivedMax}, and a further one is rejected until one is answered`, async () => {
    await fill(ada, INCOMING, await addUsers(requestsReceivedMax - 1));
    expect(await ask(ben, ada)).toBe('sent');
    expect(await ask(cyn, ada)).toBe('too_many_friends');
    await relationships.remove(await callerOf(ada), ben);
    expect(await ask(cyn, ada)).toBe('sent');
    expect(await ask(ben, ada)).toBe('too_many_friends');
    await relationships.put(await callerOf(ada), cyn, { type: FRIEND });
    expect(await ask(ben, ada)).toBe('sent');
  });

  it(`are sent up to ${requestsSentMax}, and a further one is rejected until one is withdrawn`, async () => {
    await fill(ada, OUTGOING, await addUsers(requestsSentMax - 1));
    expect(await ask(ada, ben)).toBe('sent');
    expect(await ask(ada, cyn)).toBe('too_many_friends');
    // Nothing new is sent.
    expect(await ask(ada, ben)).toBe('sent');
    await relationships.remove(await callerOf(ada), ben);
    expect(await ask(ada, cyn)).toBe('sent');
  });

  it(`of an application's provisional accounts are received up to ${requestsPerApplicationMax}, and leave room for others`, async () => {
    const accounts = await addUsers(requestsPerApplicationMax + 1, '1');
    const others = await addUsers(1, '2', 50_000);
    await fill(ada, INCOMING, accounts.slice(0, -2));
    expect(await ask(accounts.at(-2) ?? '', ada)).toBe('sent');
    expect(await ask(accounts.at(-1) ?? '', ada)).toBe('too_many_friends');
    expect(await ask(others[0] ?? '', ada, '2')).toBe('sent');
    expect(await ask(ben, ada)).toBe('sent');
  });

  it('that are sent at the same time are accepted up to the bound, and not one more', async () => {
    const senders = await addUsers(20, null, 50_000);
    await fill(ada, INCOMING, await addUsers(requestsReceivedMax - 3));
    const results = await Promise.all(senders.map(id => ask(id, ada)));
    expect(results.filter(result => result === 'sent')).toHaveLength(3);
    expect(results.filter(result => result === 'too_many_friends')).toHaveLength(17);
  });

  it('in a game are bounded in the same way', async () => {
    await world.core.store.transact('grants', transaction => {
      for (const user_id of [ada, ben, cyn]) {
        transaction.put('authorizations', { id: `9${user_id}`, application_id: '1', user_id, scopes: [] });
      }
    });
    const crowd = await addUsers(Math.max(requestsReceivedMax, requestsSentMax));
    await fillInGame(ada, INCOMING, crowd.slice(0, requestsReceivedMax - 1));
    expect(await askInGame(ben, ada)).toBe('sent');
    expect(await askInGame(cyn, ada)).toBe('too_many_friends');
    await fillInGame(ben, OUTGOING, crowd.slice(0, requestsSentMax - 1));
    expect(await askInGame(ben, cyn)).toBe('too_many_friends');
  });
});

describe('a store with more requests than the bounds allow', () => {
  it('shows as many requests as allowed, and every friend and block, wherever they are', async () => {
    const crowd = await addUsers(12_000);
    const [friend = '', blocked = ''] = await addUsers(2, null, 50_000);
    await relationships.put(await callerOf(friend), ada, {});
    await relationships.put(await callerOf(ada), friend, { type: FRIEND });
    await relationships.put(await callerOf(ada), blocked, { type: 2 });
    await fill(ada, INCOMING, crowd);
    await world.core.store.transact(`social/${ada}`, transaction => {
      transaction.put('relationship_totals', { user_id: ada, friends: 1, blocks: 1, changes: 9 });
    });
    const listed = await relationships.list(await callerOf(ada));
    expect(listed.filter(({ type }) => type === INCOMING)).toHaveLength(requestsReceivedMax);
    expect(listed.filter(({ type }) => type !== INCOMING).map(({ id }) => id)).toEqual([friend, blocked]);
    expect(await ask(ben, ada)).toBe('too_many_friends');
  });

  it('shows as many of a game as allowed, friends first made first', async () => {
    const crowd = await addUsers(6000);
    await fillInGame(ada, FRIEND, [ben]);
    await fillInGame(ada, INCOMING, crowd);
    const listed = await relationships.games.list(await callerOf(ada));
    const { gameFriendsMax } = socialLimits;
    expect(listed).toHaveLength(gameFriendsMax + requestsReceivedMax + requestsSentMax);
    expect(listed[0]).toMatchObject({ id: ben, type: FRIEND });
  });
});
