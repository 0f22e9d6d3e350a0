import { afterEach, expect, it } from 'vitest';
import { capabilities, type PlayerReady, type Ready } from '../../../../src/model/gateway.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { socialLimits } from '../../../../src/model/limits/social-limits.ts';
import { type RelationshipType, relationshipTypes } from '../../../../src/model/relationship.ts';
import { sideOf } from '../../../../src/service/features/social/relationships/records.ts';
import type { Transaction } from '../../../../src/service/store/contract.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { encodeFrame, parseFrame } from '../../../../src/wire/gateway/frames.ts';
import { ada, userRecord } from '../../features/support.ts';
import { makeRig, type Rig } from '../rig.ts';

const { FRIEND, BLOCKED, INCOMING, OUTGOING } = relationshipTypes;
const { friendsMax, blocksMax, gameFriendsMax, requestsReceivedMax, requestsSentMax } = socialLimits;

/** What our own client accepts of a frame: see src/wire/gateway/socket.ts. */
const clientFrameBytesMax = 32 * 1024 * 1024;

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** The n-th of many users. */
function crowdId(n: number): string {
  return String(200_000_000_000_000_000n + BigInt(n));
}

/** The largest relationship of each kind. */
function relate(transaction: Transaction, n: number, type: Exclude<RelationshipType, 0>): void {
  const nickname = type === FRIEND ? '☄'.repeat(socialLimits.nicknameLengthMax) : null;
  const note = type === INCOMING ? '☄'.repeat(socialLimits.relationshipNoteLengthMax) : null;
  const rest = { since_ms: 0, nickname, note, origin_application_id: '1' };
  transaction.put('relationships', { user_id: ada, target_id: crowdId(n), type, ...rest });
}

function relateInGame(transaction: Transaction, n: number, type: 1 | 3 | 4): void {
  const [user_id, target_id] = [ada, crowdId(n)];
  const record = { user_id, family_id: '1', target_id, pair: sideOf(user_id, target_id), type, since_ms: 0 };
  transaction.put('game_relationships', record);
}

function showActivities(transaction: Transaction, n: number): void {
  const text = '☄'.repeat(128);
  const activity = { name: text, type: 0, state: text, details: text, application_id: '1', id: 'a' };
  transaction.put('social_presences', {
    user_id: crowdId(n),
    revision: transaction.revision,
    sessions: [
      {
        ...{ id: `session-${n}`, application_id: '1', family_id: '1', status: 'online', status_set_at: 0 },
        client: { client: 'desktop', os: 'linux', version: 0 },
        activities: Array.from({ length: 10 }, () => ({ family_id: '1', activity })),
      },
    ],
  });
}

function describeUser(transaction: Transaction, n: number): void {
  const metadata = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`key ${at}`, 'x'.repeat(1024)]));
  transaction.put('application_profiles', {
    ...{ user_id: crowdId(n), application_id: '1', authorization_id: null, identity_hash: `hash ${n}` },
    identity: {
      provider_type: 'NONE',
      provider_issued_user_id: `u${n}`,
      provider_id: null,
      preferred_global_name: null,
    },
    ...{ username: null, metadata, data: null },
  });
}

function talk(transaction: Transaction, n: number): void {
  const [channel_id, other_id] = [String(300_000_000_000_000_000n + BigInt(n)), crowdId(n)];
  const pair = `${ada}/${other_id}`;
  const channel = { id: channel_id, pair, user_ids: [ada, other_id] as const, last_message_id: null, message_count: 0 };
  transaction.put('direct_channels', channel);
  transaction.put('direct_recipients', { user_id: ada, channel_id, other_id });
}

/** Puts so many users of each kind, in transactions of a size that each engine commits in time. */
async function fill({ world: { core } }: Rig, kinds: readonly Kind[]) {
  let first = 0;
  for (const [count, put] of kinds) {
    for (let from = first; from < first + count; from += 250) {
      await core.store.transact('world', transaction => {
        for (let n = from; n < Math.min(from + 250, first + count); n++) {
          transaction.put('users', { ...userRecord(crowdId(n)), global_name: '☄'.repeat(32) });
          put(transaction, n);
        }
      });
    }
    first += count;
  }
}

type Kind = readonly [count: number, put: (transaction: Transaction, n: number) => void];

/** A lobby of Ada and many others. */
async function addLobby({ world, lobbies }: Rig, metadata: Record<string, string>) {
  const { id } = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }] })) as { id: string };
  await world.core.store.transact(`lobby/${id}`, async transaction => {
    const lobby = await transaction.get('lobbies', id);
    if (lobby) transaction.put('lobbies', { ...lobby, member_count: limits.lobbyMembersMax });
    for (let n = 1; n < limits.lobbyMembersMax; n++) {
      const fields = { flags: 0, additional_name: null, voice: null, voice_session_id: null };
      const names = { lobby_id: id, user_id: crowdId(n), application_id: '1' };
      transaction.put('lobby_members', { ...names, metadata, ...fields });
    }
  });
}

const own = capabilities.AUTO_LOBBY_CONNECT | capabilities.DEDUPE_USER_OBJECTS | capabilities.PRIORITIZED_READY_PAYLOAD;

it.each([
  { kind: 'apart', bits: own },
  { kind: 'in their entries', bits: capabilities.AUTO_LOBBY_CONNECT },
])(
  'READY with users $kind is a frame that clients accept when everything in the store is beyond its bounds',
  async ({ bits }) => {
    rig = await makeRig();
    await fill(rig, [
      [
        friendsMax + 100,
        (transaction, n) => {
          relate(transaction, n, FRIEND);
          if (n < 300) showActivities(transaction, n);
          if (n < 200) describeUser(transaction, n);
          talk(transaction, n);
        },
      ],
      [blocksMax + 100, (transaction, n) => relate(transaction, n, BLOCKED)],
      [requestsReceivedMax + 10_000, (transaction, n) => relate(transaction, n, INCOMING)],
      [requestsSentMax + 100, (transaction, n) => relate(transaction, n, OUTGOING)],
      [gameFriendsMax, (transaction, n) => relateInGame(transaction, n, 1)],
      [requestsReceivedMax + 5000, (transaction, n) => relateInGame(transaction, n, 3)],
      [requestsSentMax, (transaction, n) => relateInGame(transaction, n, 4)],
    ]);
    const client = await rig.join(ada, { capabilities: bits });
    const ready = (await client.dispatch('READY')) as unknown as Ready;
    const text = encodeFrame({ op: 0, t: 'READY', s: 1, d: ready });
    expect(Buffer.byteLength(text)).toBeLessThan(clientFrameBytesMax / 2);
    expect(parseFrame(text)).toBeDefined();
    const typesOf = (type: number) => ready.relationships?.filter(one => one.type === type).length;
    expect([typesOf(FRIEND), typesOf(INCOMING)]).toEqual([friendsMax, requestsReceivedMax]);
    expect(ready.private_channels).toHaveLength(socialLimits.conversationsListedMax);
  },
  120_000,
);

it('lobbies that do not fit into READY follow as events, and no lobby is missing', async () => {
  rig = await makeRig();
  await fill(rig, [[limits.lobbyMembersMax, () => {}]]);
  const metadata = { state: '☄'.repeat(limits.lobbyMetadataLengthMax - 5) };
  for (let n = 0; n < 9; n++) await addLobby(rig, metadata);
  const expected = await rig.lobbies.idsOfPlayer('1', ada);
  const client = await rig.join(ada, { capabilities: own });
  const ready = (await client.dispatch('READY')) as unknown as PlayerReady;
  await client.until(() => client.names.filter(name => name === 'LOBBY_CREATE').length > 0);
  await client.beat();
  const inReady = ready.lobbies?.map(({ id }) => id) ?? [];
  const text = encodeFrame({ op: 0, t: 'READY', s: 1, d: ready });
  expect(Buffer.byteLength(text)).toBeLessThan(serviceLimits.readyWithLobbiesBytesMax + 1024);
  expect(parseFrame(text)).toBeDefined();
  expect(inReady.length).toBeGreaterThan(1);
  const later = client.frames.filter(({ t }) => t === 'LOBBY_CREATE').map(({ d }) => (d as { id: string }).id);
  expect([...inReady, ...later]).toEqual(expected);
}, 120_000);
