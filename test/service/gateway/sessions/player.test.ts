import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { capabilities, intents } from '../../../../src/model/gateway.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { GatewayLobby } from '../../../../src/model/lobby.ts';
import type { Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import type { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { LobbyMirror } from '../../../support/gateway/lobby-mirror.ts';
import { tries } from '../../../support/runs/tries.ts';
import { makeCore } from '../../control/support.ts';
import { ada, ben, cyn } from '../../features/support.ts';
import { makeRig, type Rig } from '../rig.ts';

const rigs: Rig[] = [];
afterEach(() => Promise.all(rigs.splice(0).map(rig => rig.close())));

async function rigged(...parameters: Parameters<typeof makeRig>): Promise<Rig> {
  const rig = await makeRig(...parameters);
  rigs.push(rig);
  return rig;
}

async function createLobby(rig: Rig, ...members: string[]): Promise<string> {
  const text = await rig.lobbies.create(rig.world.starfall, { members: members.map(id => ({ id })) });
  return (JSON.parse(text) as { id: string }).id;
}

describe('a player who connects', () => {
  it('gets READY and then each of its lobbies, itself connected', async () => {
    const rig = await rigged();
    const lobbies = [await createLobby(rig, ada, ben), await createLobby(rig, ada)];
    await createLobby(rig, ben);
    const client = await rig.join(ada);
    await client.until(() => client.names.length === 3);
    expect(client.names).toEqual(['READY', 'LOBBY_CREATE', 'LOBBY_CREATE']);
    const created = client.frames.slice(-2).map(({ d }) => d as GatewayLobby);
    expect(created.map(({ id }) => id)).toEqual(lobbies);
    expect(created[0]?.members.map(({ user_id, connected }) => [user_id, connected])).toEqual([
      [ada, true],
      [ben, false],
    ]);
  });

  it('gets its lobbies within READY when it asks for that', async () => {
    const rig = await rigged();
    const id = await createLobby(rig, ada);
    const client = await rig.join(ada, { capabilities: capabilities.AUTO_LOBBY_CONNECT });
    expect(await client.dispatch('READY')).toMatchObject({ lobbies: [{ id }] });
    await client.beat();
    expect(client.names).toEqual(['READY']);
  });

  it('gets in READY what it may do and, of all that is not here, empty lists', async () => {
    const client = await (await rigged()).join(ada);
    expect(await client.dispatch('READY')).toMatchObject({
      scopes: ['sdk.social_layer'],
      session_type: 'oauth',
      feature_flags: { disabled_functions: [], disabled_gateway_events: [] },
      user_application_profiles: {},
      relationships: [],
      game_relationships: [],
      private_channels: [],
    });
  });

  it('receives what its intents name and nothing else', async () => {
    const rig = await rigged();
    const deaf = await rig.join(ada, { intents: 0 });
    const told = await rig.join(ada, { intents: intents.LOBBIES });
    const warned = await rig.join(ada, { intents: intents.LOBBY_DELETE });
    const clients = [deaf, told, warned];
    await Promise.all(clients.map(client => client.dispatch('READY')));
    await rig.lobbies.remove(rig.world.starfall, await createLobby(rig, ada));
    await Promise.all(clients.map(client => client.beat()));
    expect(clients.map(({ names }) => names.slice(1))).toEqual([[], ['LOBBY_CREATE'], ['LOBBY_DELETE']]);
  });

  it('is announced to the others when its first session begins and when its last one ends', async () => {
    const rig = await rigged();
    await createLobby(rig, ada, ben);
    const watcher = await rig.join(ben);
    await watcher.dispatch('LOBBY_CREATE');
    const first = await rig.join(ada);
    const second = await rig.join(ada);
    await Promise.all([first.dispatch('LOBBY_CREATE'), second.dispatch('LOBBY_CREATE')]);
    await first.end();
    await rig.world.core.store.transact('quiet', () => {});
    await watcher.beat();
    expect(watcher.names.slice(2)).toEqual(['LOBBY_MEMBER_CONNECT']);
    await second.end();
    await watcher.dispatch('LOBBY_MEMBER_DISCONNECT');
    expect(first.names).not.toContain('LOBBY_MEMBER_CONNECT');
  });

  it('may have as many sessions as the limit and not one more', async () => {
    const rig = await rigged();
    const max = serviceLimits.gatewaySessionsPerUserMax;
    const clients = await Promise.all(Array.from({ length: max }, () => rig.join(ada)));
    await Promise.all(clients.map(client => client.dispatch('READY')));
    expect(rig.gateway.sessionCount).toBe(max);
    const refused = await rig.join(ada);
    expect((await refused.closed).code).toBe(4008);
    await clients[0]?.end();
    await expect.poll(() => rig.gateway.sessionCount).toBe(max - 1);
    const admitted = await rig.join(ada);
    await admitted.dispatch('READY');
  });

  it('leaves nothing behind when it goes while it is being started', async () => {
    const rig = await rigged();
    await createLobby(rig, ada, ben);
    for (let i = 0; i < 20; i++) {
      const client = await rig.join(ada);
      client.socket.terminate();
      await client.closed;
    }
    await expect.poll(() => rig.gateway.connectionCount).toBe(0);
    await rig.world.core.clock.advance(serviceLimits.gatewayResumeWindowMs);
    expect(rig.gateway.sessionCount).toBe(0);
    await expect.poll(() => rig.world.core.bus.present(`player/${rig.world.starfall.id}/${ada}`)).toBe(0);
  });
});

describe('a client that reads too slowly', () => {
  it('is closed before more than the limit waits for it', async () => {
    const rig = await rigged();
    const id = await createLobby(rig, ada);
    const client = await rig.join(ada);
    await client.dispatch('LOBBY_CREATE');
    client.socket.pause();
    const metadata = { map: 'x'.repeat(limits.lobbyMetadataLengthMax - 3) };
    for (let i = 0; i < 20_000 && rig.gateway.connectionCount > 0; i++) {
      await rig.lobbies.edit(rig.world.starfall, id, { metadata: i % 2 === 0 ? metadata : {} });
    }
    expect(rig.gateway.connectionCount).toBe(0);
    const { entries } = rig.world.core.journal.read(0);
    expect(entries.findLast(({ event }) => event === 'closed')).toMatchObject({ kind: 'connection', code: 4000 });
    client.socket.resume();
    expect((await client.closed).code).toBe(4000);
  });
});

interface Step {
  do: 'create' | 'join' | 'leave' | 'put' | 'take' | 'edit' | 'end';
  lobby: number;
  user: string;
  value: string;
}

const users = [ada, ben, cyn];
const kinds = ['create', 'join', 'join', 'leave', 'put', 'put', 'put', 'take', 'edit', 'end'] as const;
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...kinds),
  lobby: fc.nat(2),
  user: fc.constantFrom(...users),
  value: fc.constantFrom('a', 'b'),
});

/** Runs the steps, as many at once as each group holds, and compares every client with the service at the end. */
async function runStory(rig: Rig, groups: readonly (readonly Step[])[]): Promise<void> {
  const { starfall } = rig.world;
  const ids: string[] = [await createLobby(rig, ada, ben)];
  const clients: { user: string; client: GatewayClient }[] = [];
  const act = async ({ do: what, lobby, user, value }: Step): Promise<unknown> => {
    const id = ids[lobby % ids.length] ?? '';
    const metadata = { is: value };
    switch (what) {
      case 'create':
        return ids.push(await createLobby(rig, user));
      case 'join':
        return clients.push({ user, client: await rig.join(user) });
      case 'leave':
        return clients
          .splice(0, clients.length, ...clients.filter(joined => joined.user !== user))
          .find(joined => joined.user === user)
          ?.client.end();
      case 'put':
        return rig.lobbies.putMember(starfall, id, user, { metadata });
      case 'take':
        return rig.lobbies.removeMember(starfall, id, user);
      case 'edit':
        return rig.lobbies.edit(starfall, id, { metadata, members: [{ id: user }, { id: ada }] });
      case 'end':
        return rig.lobbies.remove(starfall, id);
    }
  };
  // The lobby may be gone, which is as good a step as any.
  for (const group of groups) await Promise.all(group.map(step => act(step).catch(() => {})));
  await Promise.all(clients.map(({ client }) => client.dispatch('READY')));
  await quiet(clients.map(({ client }) => client));

  for (const { user, client } of clients) {
    const mirror = new LobbyMirror();
    for (const frame of client.frames) mirror.take(frame);
    const truth = await rig.lobbies.ofPlayer(starfall.id, user);
    expect(Object.fromEntries(mirror.lobbies)).toEqual(
      Object.fromEntries(truth.map(({ id, text }) => [id, JSON.parse(text)])),
    );
  }
}

async function quiet(clients: readonly GatewayClient[]): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await elapse(20);
    await Promise.all(clients.map(client => client.beat()));
  }
}

const story = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 8 });

describe('whenever clients connect and lobbies change', () => {
  it('every client ends with the state of the service, nothing missed, nothing sent twice', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.nat(3), async (groups, turns) => {
        const rig = await makeRig({}, lobbies => slowToRead(lobbies, turns));
        await runStory(rig, groups).finally(() => rig.close());
      }),
      tries(40, 2_000),
    );
  });

  it('so it is where a subscription takes time, as on a bus of many nodes', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.integer({ min: 1, max: 4 }), async (groups, turns) => {
        const { bus, store } = await slowToSubscribe(turns);
        const rig = await makeRig({ bus, store });
        await runStory(rig, groups).finally(() => rig.close());
      }),
      tries(40, 2_000),
    );
  });
});

/** What is read is some turns old before it is used. */
function slowToRead(lobbies: Lobbies, turns: number): Lobbies {
  return {
    ...lobbies,
    async ofPlayer(applicationId, userId) {
      const read = await lobbies.ofPlayer(applicationId, userId);
      await elapse(turns);
      return read;
    },
  };
}

/** A bus on which a subscription begins some turns after it was asked for. */
async function slowToSubscribe(turns: number) {
  const core = await makeCore();
  const subscribe = core.bus.subscribe.bind(core.bus);
  core.bus.subscribe = async (topic, listener) => {
    await elapse(turns);
    return subscribe(topic, listener);
  };
  return core;
}

async function elapse(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
}
