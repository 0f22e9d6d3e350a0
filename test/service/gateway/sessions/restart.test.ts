import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type GatewayFrame, intents, opcodes } from '../../../../src/model/gateway.ts';
import type { GatewayLobby, LobbyVoiceStateInput } from '../../../../src/model/lobby.ts';
import type { Service } from '../../../../src/service/index.ts';
import { databaseIn } from '../../../../src/service/store/data-folder.ts';
import { copyLive } from '../../../../src/service/store/sqlite/live-copy.ts';
import { runtimeLimits, serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { keptCalls, participant } from '../../../support/gateway/calls.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { LobbyMirror } from '../../../support/gateway/lobby-mirror.ts';
import { patienceMs } from '../../../support/runs/soak.ts';
import { tries } from '../../../support/runs/tries.ts';
import { RestartingService } from '../../../support/service/restarting-service.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const bot = starfall.applications[0].bot_token;
const windowMs = serviceLimits.gatewayResumeWindowMs;
const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;
const [ada, grace, edsger] = starfall.users.map(({ id }) => id);

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A service that restarts, and players of Starfall. */
class World {
  readonly service: RestartingService;
  readonly tokens: ReadonlyMap<string, string>;
  readonly clients: GatewayClient[] = [];

  private constructor(service: RestartingService, tokens: ReadonlyMap<string, string>) {
    this.service = service;
    this.tokens = tokens;
  }

  static async begin(): Promise<World> {
    const service = await RestartingService.start({ fixtures: starfall, limits: 'off' });
    const tokens = new Map<string, string>();
    for (const { id } of starfall.users) tokens.set(id, `Bearer ${await playerToken(service.now, id)}`);
    const world = new World(service, tokens);
    worlds.push(world);
    return world;
  }

  get now(): Service {
    return this.service.now;
  }

  token(user = ''): string {
    return this.tokens.get(user) ?? '';
  }

  async join(user: string | undefined): Promise<GatewayClient> {
    const client = await GatewayClient.identified(this.now.gateway, { token: this.token(user), intents: lobbyIntents });
    this.clients.push(client);
    await client.beat();
    await this.now.clock.advance(0);
    return client;
  }

  async resume(user: string | undefined, former: GatewayClient): Promise<GatewayClient> {
    const client = await GatewayClient.resumed(this.now.gateway, this.token(user), former);
    this.clients.push(client);
    return client;
  }

  async createLobby(...users: (string | undefined)[]): Promise<string> {
    const { body } = await callApi(this.now, 'POST', '/lobbies', { members: users.map(id => ({ id })) });
    return (body as { id: string }).id;
  }

  async edit(id: string, edits: number): Promise<void> {
    await callApi(this.now, 'PATCH', `/lobbies/${id}`, { metadata: { edits: String(edits) } });
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.socket.terminate();
    await this.service.close();
  }
}

async function drop(world: World, client: GatewayClient): Promise<void> {
  client.socket.terminate();
  await client.closed;
  await world.now.clock.advance(0);
}

const invalid = ({ op }: GatewayFrame) => op === opcodes.INVALID_SESSION;
const dispatches = ({ frames }: GatewayClient) => frames.filter(({ op }) => op === opcodes.DISPATCH);

describe.each(['clean', 'killed'] as const)('after a %s end', how => {
  it('a session continues with what was missed before, without a gap', async () => {
    const world = await World.begin();
    const id = await world.createLobby(ada);
    const client = await world.join(ada);
    await world.edit(id, 1);
    await client.dispatch('LOBBY_UPDATE');
    const last = client.sequence;
    client.socket.pause();
    for (let n = 2; n <= 4; n++) await world.edit(id, n);
    await world.service.restart(how);
    const back = await world.resume(ada, client);
    await back.dispatch('RESUMED');
    await world.edit(id, 5);
    await back.until(() => back.sequence === last + 5);
    expect(dispatches(back).map(({ t, s }) => [t, s])).toEqual([
      ['LOBBY_UPDATE', last + 1],
      ['LOBBY_UPDATE', last + 2],
      ['LOBBY_UPDATE', last + 3],
      ['RESUMED', last + 4],
      ['LOBBY_UPDATE', last + 5],
    ]);
    expect(dispatches(back)[2]?.d).toMatchObject({ id, metadata: { edits: '4' } });
  });

  it('it continues a second and a third time', async () => {
    const world = await World.begin();
    const id = await world.createLobby(ada);
    let client = await world.join(ada);
    const mirror = new LobbyMirror();
    const session = client.sessionId;
    for (let round = 1; round <= 3; round++) {
      await world.edit(id, round);
      await client.until(() => client.names.includes('LOBBY_UPDATE'));
      for (const frame of client.frames) mirror.take(frame);
      await world.service.restart(how);
      const back = await GatewayClient.open(world.now.gateway);
      world.clients.push(back);
      back.resume(world.token(ada), session, mirror.sequence);
      await back.dispatch('RESUMED');
      client = back;
    }
    for (const frame of client.frames) mirror.take(frame);
    expect(mirror.lobbies.get(id)?.metadata).toEqual({ edits: '3' });
  });

  it('a number above the last is 4007, an unknown session and one that had just begun are invalid', async () => {
    const world = await World.begin();
    const client = await world.join(ada);
    await world.service.restart(how);
    const ahead = await GatewayClient.open(world.now.gateway);
    ahead.resume(world.token(ada), client.sessionId, client.sequence + 1);
    expect((await ahead.closed).code).toBe(4007);
    const unknown = await GatewayClient.open(world.now.gateway);
    world.clients.push(unknown);
    unknown.resume(world.token(ada), '0'.repeat(32), 1);
    expect(await unknown.frame(invalid)).toMatchObject({ d: false });
  });

  it('a player who comes back was never gone for the others; one who does not is gone after the window', async () => {
    const world = await World.begin();
    await world.createLobby(ada, grace);
    const watcher = await world.join(grace);
    const client = await world.join(ada);
    await watcher.dispatch('LOBBY_MEMBER_CONNECT');
    await world.service.restart(how);
    const watching = await world.resume(grace, watcher);
    await watching.dispatch('RESUMED');
    const back = await world.resume(ada, client);
    await back.dispatch('RESUMED');
    await watching.beat();
    expect(watching.names).toEqual(['RESUMED']);
    await drop(world, back);
    for (let left = windowMs; left > 0; left -= 60_000) {
      expect(watching.names).toEqual(['RESUMED']);
      await watching.beat();
      await world.now.clock.advance(60_000);
    }
    await watching.dispatch('LOBBY_MEMBER_DISCONNECT');
  });

  it('no id is given a second time, although the clock stands still', async () => {
    const world = await World.begin();
    const ids = [await world.createLobby(ada)];
    for (let round = 0; round < 3; round++) {
      await world.service.restart(how);
      ids.push(await world.createLobby(ada), await world.createLobby(ada));
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))).toEqual(ids);
  });

  it('a session that was left before waits no longer than its window', async () => {
    const world = await World.begin();
    const early = await world.join(ada);
    const late = await world.join(ada);
    await drop(world, early);
    await world.now.clock.advance(1000);
    await drop(world, late);
    await world.service.restart(how, windowMs - 1000);
    expect(await (await world.resume(ada, early)).frame(invalid)).toMatchObject({ d: false });
    await (await world.resume(ada, late)).dispatch('RESUMED');
  });

  it('a player whose session had ended meanwhile is announced as disconnected', async () => {
    const world = await World.begin();
    await world.createLobby(ada, grace);
    const watcher = await world.join(grace);
    const client = await world.join(ada);
    await drop(world, client);
    await world.now.clock.advance(1000);
    await watcher.beat();
    await world.service.restart(how, windowMs - 1000);
    const watching = await world.resume(grace, watcher);
    await watching.dispatch('RESUMED');
    expect(watching.names.toSorted()).toEqual(['LOBBY_MEMBER_CONNECT', 'LOBBY_MEMBER_DISCONNECT', 'RESUMED'].slice(1));
  });

  it("a bot's session continues, too, with the guild it came into meanwhile", async () => {
    const world = await World.begin();
    const client = await GatewayClient.identified(world.now.gateway, { token: bot, intents: intents.GUILDS });
    world.clients.push(client);
    await client.dispatch('GUILD_CREATE');
    await world.now.clock.advance(0);
    await drop(world, client);
    await furnish(world, {
      guilds: [{ id: '77', name: 'New', owner_id: ada, applications: [starfall.applications[0].id] }],
    });
    await world.service.restart(how);
    const back = await GatewayClient.resumed(world.now.gateway, bot, client);
    world.clients.push(back);
    await back.dispatch('RESUMED');
    await furnish(world, { guilds: [{ id: '77', name: 'Newer' }] });
    expect(await back.dispatch('GUILD_UPDATE')).toMatchObject({ id: '77', name: 'Newer' });
    expect(back.names).toEqual(['GUILD_CREATE', 'RESUMED', 'GUILD_UPDATE']);
  });
});

async function furnish({ now }: World, document: object): Promise<void> {
  const headers = { authorization: `Bearer ${now.controlToken}`, 'content-type': 'application/json' };
  const answer = await fetch(`${now.controlBase}/fixtures`, {
    method: 'POST',
    headers,
    body: JSON.stringify(document),
  });
  expect(answer.status).toBe(200);
}

it('a session whose client was there at a clean end waits for its window from then on', async () => {
  const world = await World.begin();
  const clients = [await world.join(ada), await world.join(grace)];
  await world.service.restart('clean', windowMs - 1);
  await (await world.resume(ada, clients[0] as GatewayClient)).dispatch('RESUMED');
  await world.now.clock.advance(1);
  expect(await (await world.resume(grace, clients[1] as GatewayClient)).frame(invalid)).toMatchObject({ d: false });
});

describe('what is kept', () => {
  const rows = ({ service }: World, table: string) => {
    const database = new DatabaseSync(join(service.data, 'rallypoint.sqlite'));
    const [{ n } = { n: -1 }] = database.prepare(`SELECT count(*) AS n FROM ${table}`).all() as { n: number }[];
    database.close();
    return n;
  };

  it('is empty while no session listens', async () => {
    const world = await World.begin();
    const id = await world.createLobby(ada);
    for (let n = 1; n <= 20; n++) await world.edit(id, n);
    await world.now.close();
    expect(rows(world, 'gateway_events')).toBe(0);
    expect(rows(world, 'gateway_sessions')).toBe(0);
  });

  it('is removed as time passes, and with its sessions', async () => {
    const world = await World.begin();
    const id = await world.createLobby(ada);
    const client = await world.join(ada);
    for (let n = 1; n <= 100; n++) await world.edit(id, n);
    for (let minutes = 0; minutes < 15; minutes++) {
      await world.now.clock.advance(60_000);
      await client.beat();
    }
    await world.service.restart('clean');
    const back = await world.resume(ada, client);
    await back.dispatch('RESUMED');
    await world.service.restart('clean');
    await world.now.close();
    expect(rows(world, 'gateway_events')).toBeLessThan(10);
    expect(rows(world, 'gateway_sessions')).toBe(1);
    await world.service.restart('killed', windowMs);
    await world.now.clock.advance(60_000);
    await world.now.close();
    expect(rows(world, 'gateway_events')).toBe(0);
    expect(rows(world, 'gateway_sessions')).toBe(0);
  });

  it('is gone after a reset', async () => {
    const world = await World.begin();
    const client = await GatewayClient.identified(world.now.gateway, { token: bot });
    await client.beat();
    await world.now.reset();
    expect((await client.closed).code).toBe(4009);
    await world.service.restart('clean');
    const back = await GatewayClient.resumed(world.now.gateway, bot, client);
    world.clients.push(back);
    expect(await back.frame(invalid)).toMatchObject({ d: false });
  });
});

describe('a lobby with many members', () => {
  const crowd = Array.from({ length: 75 }, (_, n) => ({
    id: String(200_000_000_000_000_000n + BigInt(n)),
    username: `crowd${n}`,
  }));

  async function fill(world: World): Promise<string> {
    await furnish(world, { users: crowd });
    const id = await world.createLobby(ada);
    const { metadata } = { metadata: { about: 'x'.repeat(600) } };
    for (const { id: user } of crowd) await callApi(world.now, 'PUT', `/lobbies/${id}/members/${user}`, { metadata });
    return id;
  }

  it.each(['clean', 'killed'] as const)(
    'is told whole again after a %s end, however little of it is kept',
    async how => {
      const world = await World.begin();
      const id = await fill(world);
      const client = await world.join(ada);
      client.socket.pause();
      const last = client.sequence;

      await world.edit(id, 1);
      const before = await keptBytes(world);
      for (let n = 2; n <= 20; n++) {
        if (n % 5 === 0)
          await callApi(world.now, 'PUT', `/lobbies/${id}/members/${crowd[n]?.id}`, { metadata: { n: String(n) } });
        await world.edit(id, n);
      }
      expect((await keptBytes(world)) - before).toBeLessThan(before);
      const whole = await callApi(world.now, 'GET', `/lobbies/${id}`);
      await world.service.restart(how);
      await world.service.restart('killed');
      const back = await GatewayClient.open(world.now.gateway);
      world.clients.push(back);
      back.resume(world.token(ada), client.sessionId, last);
      await back.dispatch('RESUMED');
      const updates = back.frames.filter(({ t }) => t === 'LOBBY_UPDATE').map(({ d }) => d as GatewayLobby);
      expect(updates.map(({ metadata }) => metadata?.edits)).toEqual(
        Array.from({ length: 20 }, (_, n) => String(n + 1)),
      );
      const shown = updates.at(-1)?.members.map(({ user_id, metadata }) => ({ id: user_id, metadata, flags: 0 }));
      expect(shown).toEqual((whole.body as { members: unknown }).members);
    },
  );
});

it('events leave a bounded number of bytes, however much happens, and sessions continue after a start', async () => {
  const world = await World.begin();
  const id = await world.createLobby(ada, grace);
  const client = await world.join(grace);
  const entry = (n: number, at: number) => [`${n} ${at}`.padStart(1000, '#'), `${at} ${n}`.padStart(1000, '#')];
  const { eventLogBytesMax } = runtimeLimits;
  const messageBytes = 50_000;
  // Few enough that the events of a turn stay below the backlog at which a client is cut off.
  const atOnce = 10;
  const received = () => client.names.filter(name => name === 'LOBBY_MESSAGE_CREATE').length;
  for (let n = 0; n * messageBytes < 1.25 * eventLogBytesMax; n += atOnce) {
    const calls = Array.from({ length: atOnce }, (_, more) => {
      const metadata = Object.fromEntries(Array.from({ length: 25 }, (_, at) => entry(n + more, at)));
      const headers = { authorization: world.token(ada), 'content-type': 'application/json' };
      return callApi(world.now, 'POST', `/lobbies/${id}/messages`, { content: `${n + more}`, metadata }, headers);
    });
    for (const { status } of await Promise.all(calls)) expect(status).toBe(201);
    // A client that falls behind is cut off.
    await client.until(() => received() >= n + atOnce);
  }
  await world.now.clock.advance(0);
  expect(await keptBytes(world)).toBeLessThan(eventLogBytesMax);
  await client.beat();
  const last = client.sequence;
  client.socket.terminate();
  await callApi(world.now, 'PATCH', `/lobbies/${id}`, { metadata: { edits: '1' } });
  await world.service.restart('killed');
  const back = await GatewayClient.open(world.now.gateway);
  world.clients.push(back);
  back.resume(world.token(grace), client.sessionId, last);
  await back.dispatch('RESUMED');
  expect(back.names).toEqual(['LOBBY_UPDATE', 'RESUMED']);
}, 60_000);

/** Reads a consistent copy, because a data folder belongs to the process that has it open. */
async function keptBytes({ service }: World): Promise<number> {
  const copy = `${service.data}-copy`;
  await copyLive(databaseIn(service.data), copy);
  const database = new DatabaseSync(copy);
  const sum = database.prepare('SELECT coalesce(sum(length(body)), 0) AS n FROM gateway_events').get();
  database.close();
  for (const file of [copy, `${copy}-wal`]) await rm(file, { force: true });
  return Number(sum?.n);
}

type Step =
  | { do: 'edit' | 'create'; lobby: number }
  | { do: 'put' | 'take'; lobby: number; user: number }
  | { do: 'drop' | 'beat'; user: number }
  | { do: 'call'; user: number; calls: readonly { lobby: number; mute: boolean }[] }
  | { do: 'wait'; ms: number }
  | { do: 'restart'; how: 'clean' | 'killed' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('edit' as const, 'edit' as const, 'create' as const),
      lobby: fc.nat(2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('put' as const, 'take' as const), lobby: fc.nat(2), user: fc.nat(2) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('drop' as const, 'beat' as const), user: fc.nat(2) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      user: fc.nat(2),
      calls: fc.array(fc.record({ lobby: fc.nat(2), mute: fc.boolean() }), { maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(5_000, 700_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('restart' as const),
      how: fc.constantFrom('clean' as const, 'killed' as const),
    }),
  },
);

/** A player whose client resumes whenever its connection is gone, and identifies only when it must. */
class Player {
  readonly #world: World;
  readonly #user: string | undefined;
  #mirror = new LobbyMirror();
  #client: GatewayClient | undefined;
  #taken = 0;
  #session = '';
  identifies = 0;

  constructor(world: World, user: string | undefined) {
    this.#world = world;
    this.#user = user;
  }

  /** Takes what has come. */
  take(): void {
    const frames = this.#client?.frames ?? [];
    for (; this.#taken < frames.length; this.#taken++) this.#mirror.take(frames[this.#taken] as GatewayFrame);
  }

  async beat(): Promise<void> {
    if (!this.#client) return;
    this.take();
    this.#client.send({ op: opcodes.HEARTBEAT, d: this.#mirror.sequence });
  }

  /** Says which calls it is in from now on. */
  call(d: readonly Pick<LobbyVoiceStateInput, 'lobby_id' | 'self_mute' | 'self_deaf'>[]): void {
    this.#client?.send({ op: opcodes.LOBBY_VOICE_STATES, d });
  }

  /** All that it sent has been heard. */
  async heard(): Promise<void> {
    await this.#client?.beat();
  }

  /** Loses the connection, perhaps with frames under way. */
  drop(): void {
    this.take();
    this.#client?.socket.terminate();
    this.#client = undefined;
  }

  async connect(): Promise<void> {
    if (this.#client) return;
    const client = await GatewayClient.open(this.#world.now.gateway);
    this.#world.clients.push(client);
    this.#client = client;
    this.#taken = 0;
    const token = this.#world.token(this.#user);
    if (this.#session !== '') {
      client.resume(token, this.#session, this.#mirror.sequence);
      await client.until(() => client.names.includes('RESUMED') || client.frames.some(invalid));
      if (!client.frames.some(invalid)) return;
    }
    this.identifies++;
    this.#mirror = new LobbyMirror();
    client.identify({ token, intents: lobbyIntents });
    await client.dispatch('READY');
    this.#session = client.sessionId;
  }

  /** Compares what the client knows with what the service holds. */
  async compare(): Promise<void> {
    await this.#client?.beat();
    await this.#world.now.clock.advance(0);
    await this.#client?.beat();
    this.take();
    const calls = await keptCalls(this.#world.now);
    for (const [id, lobby] of this.#mirror.lobbies) {
      const { body } = await callApi(this.#world.now, 'GET', `/lobbies/${id}`);
      const members = lobby.members.map(({ user_id, flags, metadata, connected }) => {
        expect(connected).toBe(true); // everybody is there, or comes back in time
        return { id: user_id, metadata, flags };
      });
      expect({ id, metadata: lobby.metadata, members }).toEqual({
        ...{ id: (body as { id: string }).id, metadata: (body as typeof lobby).metadata },
        members: (body as typeof lobby).members,
      });
      expect(lobby.voice_states.map(participant)).toEqual(calls.get(id) ?? []);
    }
  }
}

async function runStory(steps: readonly Step[]): Promise<number> {
  const world = await World.begin();
  const users = [ada, grace, edsger];
  const players = users.map(user => new Player(world, user));
  const lobbies = [await world.createLobby(...users)];
  const edits = new Map<string, number>();
  for (const player of players) await player.connect();
  await world.now.clock.advance(0);
  for (const step of steps) {
    const id = 'lobby' in step ? (lobbies[step.lobby % lobbies.length] ?? '') : '';
    switch (step.do) {
      case 'edit':
        edits.set(id, (edits.get(id) ?? 0) + 1);
        await world.edit(id, edits.get(id) ?? 0);
        break;
      case 'create':
        lobbies.push(await world.createLobby(...users));
        break;
      case 'put':
        await callApi(world.now, 'PUT', `/lobbies/${id}/members/${users[step.user]}`, {});
        break;
      case 'take':
        await callApi(world.now, 'DELETE', `/lobbies/${id}/members/${users[step.user]}`);
        break;
      case 'drop':
        players[step.user]?.drop();
        break;
      case 'beat':
        await players[step.user]?.beat();
        break;
      case 'call':
        players[step.user]?.call(
          step.calls.map(({ lobby, mute }) => ({
            lobby_id: lobbies[lobby % lobbies.length] ?? '',
            self_mute: mute,
            self_deaf: false,
          })),
        );
        break;
      case 'wait':
        // Long enough for what is kept to be moved on; with heartbeats, as clients that are there send them.
        for (let left = step.ms; left > 0; left -= 30_000) {
          for (const player of players) await player.connect();
          for (const player of players) await player.beat();
          await world.now.clock.advance(Math.min(left, 30_000));
        }
        break;
      case 'restart':
        // One that is killed goes on in another folder: whatever it would do there, its clients must not hear of.
        for (const player of players) await player.heard();
        await world.now.clock.advance(0);
        await world.service.restart(step.how);
        for (const player of players) player.drop();
    }
    if (step.do !== 'drop' && step.do !== 'restart') for (const player of players) player.take();
    // Some come back at once, some at the next turn.
    if (step.do !== 'drop') for (const player of players) await player.connect();
  }
  for (const player of players) await player.connect();
  for (const player of players) await player.compare();
  const identifies = players.reduce((sum, player) => sum + player.identifies, 0);
  await world.close();
  worlds.splice(worlds.indexOf(world), 1);
  return identifies - players.length;
}

describe('whatever breaks in between', () => {
  it(
    'nothing is missed, nothing comes twice, the order is kept, and no session need be begun anew',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async steps => {
          expect(await runStory(steps)).toBe(0);
        }),
        tries(12, 1_000),
      );
    },
    patienceMs,
  );
});
