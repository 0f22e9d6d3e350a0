import { afterEach, describe, expect, it } from 'vitest';
import { type GatewayFrame, intents, opcodes } from '../../../../src/model/gateway.ts';
import { type LimitProfile, limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { hashSecret } from '../../../../src/service/support/secret.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { MemoryCluster, type MemoryNode, playerToken } from '../../../support/cluster/memory-cluster.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { ada, ben, cyn, guildRecord, putGuild } from '../../features/support.ts';

const windowMs = serviceLimits.gatewayResumeWindowMs;
const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;
const clusters: MemoryCluster[] = [];
const clients: GatewayClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  for (const cluster of clusters.splice(0)) await cluster.close();
});

/** A cluster with two nodes and a lobby of Ada and Ben. */
async function begin(limits?: LimitProfile) {
  const cluster = await MemoryCluster.begin(limits);
  clusters.push(cluster);
  const [one, two] = [await cluster.start(), await cluster.start()];
  const lobby = await createLobby(one, ada, ben);
  return { cluster, one, two, lobby };
}

async function createLobby(node: MemoryNode, ...members: string[]): Promise<string> {
  const { starfall } = node.cluster.world;
  const text = await node.lobbies.create(starfall, { members: members.map(id => ({ id })) });
  return (JSON.parse(text) as { id: string }).id;
}

function edit(node: MemoryNode, id: string, text: string): Promise<string> {
  return node.lobbies.edit(node.cluster.world.starfall, id, { metadata: { text } });
}

async function open(node: MemoryNode): Promise<GatewayClient> {
  const client = await GatewayClient.open(node.url);
  clients.push(client);
  return client;
}

async function join(node: MemoryNode, user: string): Promise<GatewayClient> {
  const client = await open(node);
  client.identify({ token: await playerToken(node.cluster.world, user), intents: lobbyIntents });
  await client.dispatch('READY');
  await stored(node, client.sessionId);
  return client;
}

/** Waits until the session can be resumed elsewhere. */
async function stored(node: MemoryNode, id: string): Promise<void> {
  while (!(await node.cluster.store.get('gateway_sessions', id))?.base) await turns(1);
}

async function resume(node: MemoryNode, user: string, former: GatewayClient, seq = former.sequence) {
  const client = await open(node);
  client.resume(await playerToken(node.cluster.world, user), former.sessionId, seq);
  return client;
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(resolve => setImmediate(resolve));
}

async function settled({ pendingWork, nodes, head }: MemoryCluster): Promise<void> {
  await pendingWork.settled();
  await turns(3 * nodes.length + head);
  await pendingWork.settled();
}

const invalid = ({ op, d }: GatewayFrame) => op === opcodes.INVALID_SESSION && d === false;
const dispatches = ({ frames }: GatewayClient) =>
  frames.filter(({ op }) => op === opcodes.DISPATCH).map(({ t, s }) => [t, s]);

describe('a session resumed at another node', () => {
  it.each(['killed', 'drained', 'alive'] as const)('has the same numbers when the former node is %s', async how => {
    const { cluster, one, two, lobby } = await begin();
    const client = await join(one, ada);
    await edit(two, lobby, '1');
    await client.dispatch('LOBBY_UPDATE');
    const last = client.sequence;
    if (how === 'killed') one.kill();
    if (how === 'drained') await one.drain();
    await edit(two, lobby, '2');
    await edit(two, lobby, '3');
    if (how === 'alive') await client.until(() => client.sequence === last + 2);
    const back = await resume(two, ada, client, last);
    await back.dispatch('RESUMED');
    await edit(two, lobby, '4');
    await back.until(() => back.sequence === last + 4);
    expect(dispatches(back)).toEqual([
      ['LOBBY_UPDATE', last + 1],
      ['LOBBY_UPDATE', last + 2],
      ['RESUMED', last + 3],
      ['LOBBY_UPDATE', last + 4],
    ]);
    if (how === 'alive') expect((await client.closed).code).toBe(4003);
    await settled(cluster);
    expect(one.gateway.sessionCount).toBe(how === 'alive' ? 0 : 1);
    expect(await cluster.shared.present(topics.player('1', ada))).toBe(0);
    expect(await two.core.bus.present(topics.player('1', ada))).toBe(1);
    expect([...one.notified, ...two.notified]).toEqual([`+${ada}`]);
  });

  it.each(['killed', 'alive'] as const)(
    'shows the presence that waited for its turn when the former node is %s',
    async how => {
      const { cluster, one, two } = await begin(limitProfiles.standard);
      const client = await join(one, ada);
      const names = Array.from({ length: 8 }, (_, at) => `number ${at + 1}`);
      for (const name of names) {
        const d = { since: null, afk: false, status: 'online', activities: [{ name, type: 0 }] };
        client.send({ op: opcodes.PRESENCE_UPDATE, d });
      }
      const shown = async () => {
        const presence = await cluster.store.get('social_presences', ada);
        return presence?.sessions.flatMap(({ activities }) => activities.map(({ activity }) => activity.name));
      };
      await client.beat();
      await settled(cluster);
      expect(await shown()).toEqual(['number 5']);
      if (how === 'killed') one.kill();
      const back = await resume(two, ada, client);
      await back.dispatch('RESUMED');
      await settled(cluster);
      expect(await shown()).toEqual(['number 5']);
      await cluster.clock.advance(20_000);
      await settled(cluster);
      expect(await shown()).toEqual(['number 8']);
      expect(await cluster.store.get('gateway_sessions', client.sessionId)).not.toHaveProperty('waiting_presence');
    },
  );

  it('goes on and on, and back to a node that it was at', async () => {
    const { one, two, lobby } = await begin();
    let client = await join(one, ada);
    const { sessionId } = client;
    let { sequence } = client;
    for (let round = 1; round <= 6; round++) {
      const node = round % 2 === 0 ? one : two;
      await edit(one, lobby, String(round));
      const back = await open(node);
      back.resume(await playerToken(node.cluster.world, ada), sessionId, sequence);
      await back.dispatch('RESUMED');
      expect(dispatches(back).map(([, s]) => s)).toEqual([sequence + 1, sequence + 2]);
      sequence = back.sequence;
      expect((await client.closed).code).toBe(4003);
      client = back;
    }
    const record = await one.core.store.get('gateway_sessions', sessionId);
    expect(record).toMatchObject({ node: 'node-1', claim: 7 });
  });

  it('has followed the lobbies that were joined meanwhile, with all that happened in them', async () => {
    const { one, two, lobby } = await begin();
    const client = await join(one, ada);
    const last = client.sequence;
    one.kill();
    const other = await createLobby(two, ada, cyn);
    await edit(two, other, '1');
    await two.lobbies.remove(two.cluster.world.starfall, lobby);
    const third = await createLobby(two, ada);
    await edit(two, third, '2');
    await edit(two, other, '3');
    const back = await resume(two, ada, client);
    await back.dispatch('RESUMED');
    await edit(two, third, '4');
    await back.until(() => back.sequence === last + 8);
    expect(dispatches(back).map(([t]) => t)).toEqual([
      ...['LOBBY_CREATE', 'LOBBY_UPDATE', 'LOBBY_DELETE', 'LOBBY_CREATE', 'LOBBY_UPDATE', 'LOBBY_UPDATE'],
      ...['RESUMED', 'LOBBY_UPDATE'],
    ]);
  });

  it('is not doubled or lost by two clients that resume it at once', async () => {
    const { cluster, one, two } = await begin();
    const three = await cluster.start();
    const client = await join(one, ada);
    one.kill();
    const [a, b, c] = await Promise.all([
      resume(two, ada, client),
      resume(three, ada, client),
      resume(two, ada, client),
    ]);
    await settled(cluster);
    await settled(cluster);
    // The others were closed, or told to identify.
    const live = [a, b, c].filter(
      ({ socket, names }) => socket.readyState === socket.OPEN && names.includes('RESUMED'),
    );
    expect(live).toHaveLength(1);
    expect(two.gateway.sessionCount + three.gateway.sessionCount).toBe(1);
  });

  it('is refused to another user, who does not end it, and after its window', async () => {
    const { cluster, one, two } = await begin();
    const client = await join(one, ada);
    one.kill();
    const stranger = await resume(two, ben, client);
    expect(await stranger.frame(invalid)).toMatchObject({ d: false });
    await cluster.clock.advance(windowMs - 1);
    const back = await resume(two, ada, client);
    await back.dispatch('RESUMED');
    two.kill();
    const three = await cluster.start();
    await cluster.clock.advance(windowMs);
    const late = await open(three);
    late.resume(await playerToken(cluster.world, ada), client.sessionId, back.sequence);
    await late.frame(invalid);
  });

  it('is refused when its events were deleted, and ends', async () => {
    const { cluster, one, two, lobby } = await begin();
    const client = await join(one, ada);
    one.kill();
    await edit(two, lobby, '1');
    await settled(cluster);
    cluster.deleteEvents();
    const back = await resume(two, ada, client);
    await back.frame(invalid);
    await settled(cluster);
    expect(await two.core.store.list('gateway_sessions')).toEqual([]);
    expect(two.notified).toEqual([`-${ada}`]);
  });

  it('is refused when its base is ahead of all events, as after a restored backup', async () => {
    const { cluster, one, two } = await begin();
    const client = await join(one, ada);
    one.kill();
    await cluster.store.transact('test', async work => {
      const record = await work.get('gateway_sessions', client.sessionId);
      const base = record?.base && { ...record.base, position: record.base.position + 1000 };
      if (record && base) work.put('gateway_sessions', { ...record, base });
    });
    const back = await resume(two, ada, client);
    expect(await back.frame(invalid)).toMatchObject({ d: false });
    await settled(cluster);
    expect(await cluster.store.list('gateway_sessions')).toEqual([]);
  });

  it('is closed with 4007 for a number that it never had', async () => {
    const { one, two } = await begin();
    const client = await join(one, ada);
    one.kill();
    const back = await resume(two, ada, client, client.sequence + 1);
    expect((await back.closed).code).toBe(4007);
  });

  it('has no event twice that was in the state its node had read before the event came', async () => {
    const { cluster, one, two, lobby } = await begin();
    await settled(cluster);
    one.freeze();
    await edit(two, lobby, 'before');
    const client = await open(one);
    client.identify({ token: await playerToken(cluster.world, ada), intents: lobbyIntents });
    await client.dispatch('LOBBY_CREATE');
    one.thaw();
    await stored(one, client.sessionId);
    await edit(two, lobby, 'after');
    await client.until(() => client.names.includes('LOBBY_UPDATE'));
    expect(client.frames.find(({ t }) => t === 'LOBBY_UPDATE')?.d).toMatchObject({ metadata: { text: 'after' } });
    one.kill();
    const back = await resume(two, ada, client, client.sequence - 1);
    await back.dispatch('RESUMED');
    expect(back.frames.find(({ t }) => t === 'LOBBY_UPDATE')?.d).toMatchObject({ metadata: { text: 'after' } });
    expect(back.sequence).toBe(client.sequence + 1);
  });
});

describe('a node that is behind', () => {
  it('does nothing to a session that was taken over, whatever its client does', async () => {
    const { cluster, one, two, lobby } = await begin();
    const client = await join(one, ada);
    one.freeze();
    const back = await resume(two, ada, client);
    await back.dispatch('RESUMED');
    client.send({ op: opcodes.LOBBY_VOICE_STATES, d: [{ lobby_id: lobby, self_mute: false, self_deaf: false }] });
    client.send({ op: opcodes.PRESENCE_UPDATE, d: { since: null, status: 'online', afk: false, activities: [] } });
    await client.beat();
    await client.end();
    await settled(cluster);
    one.thaw();
    await settled(cluster);
    expect(one.gateway.sessionCount).toBe(0);
    expect(await cluster.store.list('presences')).toEqual([]);
    expect(await cluster.store.list('lobby_members', { index: 'byVoice' })).toEqual([]);
    expect(await cluster.store.get('gateway_sessions', client.sessionId)).toMatchObject({ node: 'node-2', claim: 2 });
    expect([...one.notified, ...two.notified]).toEqual([`+${ada}`]);
    await edit(two, lobby, '1');
    await back.dispatch('LOBBY_UPDATE');
  });

  it('does nothing to a session that was ended', async () => {
    const { cluster, one, two, lobby } = await begin();
    const client = await join(one, ada);
    one.freeze();
    cluster.departedAt.set(one.node, cluster.clock.now() - windowMs);
    await two.sessions.sweep();
    client.send({ op: opcodes.LOBBY_VOICE_STATES, d: [{ lobby_id: lobby, self_mute: false, self_deaf: false }] });
    await client.beat();
    await settled(cluster);
    one.thaw();
    expect((await client.closed).code).toBe(4003);
    await settled(cluster);
    expect(await cluster.store.list('gateway_sessions')).toEqual([]);
    expect(await cluster.store.list('lobby_members', { index: 'byVoice' })).toEqual([]);
    expect([...one.notified, ...two.notified]).toEqual([`+${ada}`, `-${ada}`]);
  });

  it('ends all its sessions when it missed events', async () => {
    const { cluster, one, two, lobby } = await begin();
    const client = await join(one, ada);
    one.freeze();
    await edit(two, lobby, '1');
    await settled(cluster);
    cluster.deleteEvents();
    await edit(two, lobby, '2');
    one.thaw();
    expect((await client.closed).code).toBe(4009);
    await settled(cluster);
    expect(await cluster.store.list('gateway_sessions')).toEqual([]);
    const again = await join(one, ada);
    await edit(two, lobby, '3');
    await again.dispatch('LOBBY_UPDATE');
  });
});

describe('while the store is away', () => {
  it('a session loses its connection at most, and goes on afterwards', async () => {
    const { cluster, one, lobby } = await begin();
    const client = await join(one, ada);
    one.isCutOff = true;
    client.send({ op: opcodes.LOBBY_VOICE_STATES, d: [{ lobby_id: lobby, self_mute: false, self_deaf: false }] });
    expect((await client.closed).code).toBe(4000);
    const early = await resume(one, ada, client);
    expect((await early.closed).code).toBe(4000);
    one.isCutOff = false;
    await edit(one, lobby, '1');
    const back = await resume(one, ada, client);
    await back.dispatch('RESUMED');
    expect(dispatches(back)).toEqual([
      ['LOBBY_UPDATE', client.sequence + 1],
      ['RESUMED', client.sequence + 2],
    ]);
    await settled(cluster);
    expect(one.notified).toEqual([`+${ada}`]);
  });

  it('the end of a session waits, and is not lost', async () => {
    const { cluster, one } = await begin();
    const client = await join(one, ada);
    // Its credential is checked once more after READY.
    await settled(cluster);
    one.isCutOff = true;
    await client.end();
    await settled(cluster);
    expect(one.gateway.sessionCount).toBe(0);
    one.isCutOff = false;
    expect(await one.core.bus.present(topics.player('1', ada))).toBe(1);
    await one.sessions.sweep();
    await settled(cluster);
    expect(one.notified).toEqual([`+${ada}`, `-${ada}`]);
    expect(await cluster.store.list('gateway_sessions')).toEqual([]);
    expect(await one.core.bus.present(topics.player('1', ada))).toBe(0);
  });
});

describe('the sessions of a dead node', () => {
  it('end once, 180 s after it was last alive, with their calls and presences', async () => {
    const { cluster, one, two, lobby } = await begin();
    const three = await cluster.start();
    const player = await join(one, ada);
    player.send({ op: opcodes.LOBBY_VOICE_STATES, d: [{ lobby_id: lobby, self_mute: false, self_deaf: false }] });
    player.send({ op: opcodes.PRESENCE_UPDATE, d: { since: null, status: 'online', afk: false, activities: [] } });
    await player.beat();
    await settled(cluster);
    expect(await cluster.store.list('lobby_members', { index: 'byVoice' })).toHaveLength(1);
    expect(await cluster.store.list('presences')).toHaveLength(1);
    one.kill();
    await cluster.clock.advance(windowMs - 1);
    await Promise.all([two.sessions.sweep(), three.sessions.sweep()]);
    expect(await cluster.store.get('gateway_sessions', player.sessionId)).toBeDefined();
    await cluster.clock.advance(10_000);
    const watcher = await join(two, ben);
    await Promise.all([two.sessions.sweep(), three.sessions.sweep()]);
    await settled(cluster);
    expect([...two.notified, ...three.notified].filter(text => text.endsWith(ada))).toEqual([`-${ada}`]);
    expect(await cluster.store.get('gateway_sessions', player.sessionId)).toBeUndefined();
    expect(await two.core.bus.present(topics.player('1', ada))).toBe(0);
    expect(await cluster.store.list('lobby_members', { index: 'byVoice' })).toEqual([]);
    expect(await cluster.store.list('presences')).toEqual([]);
    expect(watcher.names.slice(-2)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_MEMBER_DISCONNECT']);
    await cluster.clock.advance(10_000);
    await two.sessions.sweep();
    expect(cluster.departedAt.has(one.node)).toBe(false);
  });

  it('end at once when they were being ended or started', async () => {
    const { cluster, one, two } = await begin();
    const client = await join(one, ada);
    const record = await cluster.store.get('gateway_sessions', client.sessionId);
    one.kill();
    await cluster.store.transact('test', work => {
      if (record) work.put('gateway_sessions', { ...record, base: null });
    });
    await two.sessions.sweep();
    await settled(cluster);
    expect(await cluster.store.list('gateway_sessions')).toEqual([]);
    expect(two.notified).toEqual([`-${ada}`]);
  });

  it('end 180 s after their clients were gone, if that is earlier', async () => {
    const { cluster, one, two } = await begin();
    const client = await join(one, ada);
    client.socket.terminate();
    await client.closed;
    await settled(cluster);
    await cluster.clock.advance(windowMs - 1000);
    one.kill();
    await two.sessions.sweep();
    expect(await cluster.store.list('gateway_sessions')).toHaveLength(1);
    await cluster.clock.advance(11_000);
    await two.sessions.sweep();
    await settled(cluster);
    expect(await cluster.store.list('gateway_sessions')).toEqual([]);
  });
});

describe('over all nodes', () => {
  it('a player connects with the first session and disconnects with the last', async () => {
    const { cluster, one, two } = await begin();
    const [a, b] = await Promise.all([join(one, ada), join(two, ada)]);
    await a.end();
    await settled(cluster);
    expect([...one.notified, ...two.notified]).toEqual([`+${ada}`]);
    await b.end();
    await settled(cluster);
    expect([...one.notified, ...two.notified].toSorted()).toEqual([`+${ada}`, `-${ada}`]);
  });

  it('presences are shown, the last update counts, and they stay when a session goes on elsewhere', async () => {
    const { cluster, one, two } = await begin();
    await putGuild(cluster.world.core, guildRecord(), ada);
    await cluster.store.transact('guild', work =>
      work.put('installations', { application_id: '1', guild_id: guildRecord().id }),
    );
    const here = await join(one, ada);
    const there = await join(two, ada);
    const show = async (client: GatewayClient, status: string) => {
      client.send({ op: opcodes.PRESENCE_UPDATE, d: { since: null, status, afk: false, activities: [] } });
      await client.beat();
      await settled(cluster);
    };
    await show(here, 'online');
    await show(there, 'dnd');
    expect(await shownAt(one)).toEqual(['dnd']);
    await show(here, 'idle');
    expect(await shownAt(two)).toEqual(['idle']);
    one.kill();
    const back = await resume(two, ada, here);
    await back.dispatch('RESUMED');
    expect(await shownAt(two)).toEqual(['idle']);
    await back.end();
    await settled(cluster);
    expect(await shownAt(two)).toEqual(['dnd']);
    await there.end();
    await settled(cluster);
    expect(await shownAt(two)).toEqual([]);
    expect(await cluster.store.list('presences')).toEqual([]);
  });

  it('a new session replaces one without a client when the user has too many', async () => {
    const { cluster, one, two } = await begin();
    const former: GatewayClient[] = [];
    for (let n = 0; n < serviceLimits.gatewaySessionsPerUserMax; n++) former.push(await join(one, ada));
    const refused = await open(two);
    refused.identify({ token: await playerToken(cluster.world, ada), intents: lobbyIntents });
    expect((await refused.closed).code).toBe(4008);
    former[0]?.socket.terminate();
    await former[0]?.closed;
    await settled(cluster);
    await join(two, ada);
    await settled(cluster);
    expect(await cluster.store.get('gateway_sessions', former[0]?.sessionId ?? '')).toBeUndefined();
    expect(await two.core.bus.present(topics.player('1', ada))).toBe(serviceLimits.gatewaySessionsPerUserMax);
  });
});

/** The presences in the guild as a new bot session at the node gets them. */
async function shownAt(node: MemoryNode): Promise<string[]> {
  const { core, starfall } = node.cluster.world;
  await core.store.transact('bot', work =>
    work.put('applications', { ...starfall, bot_token_hash: hashSecret('bot token') }),
  );
  const bot = await open(node);
  bot.identify({ token: 'bot token', intents: intents.GUILDS | intents.GUILD_PRESENCES | intents.GUILD_MEMBERS });
  const { presences } = await bot.dispatch<{ presences: { status: string }[] }>('GUILD_CREATE');
  await bot.end();
  return presences.map(({ status }) => status);
}
