import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { capabilities, intents, opcodes } from '../../../../src/model/gateway.ts';
import type { GatewayLobby, LobbyVoiceServer, LobbyVoiceState } from '../../../../src/model/lobby.ts';
import { type Service, type ServiceOptions, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { RestartingService } from '../../../support/service/restarting-service.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const [ada, grace, edsger] = starfall.users.map(({ id }) => id) as [string, string, string];
const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;
const windowMs = serviceLimits.gatewayResumeWindowMs;
const silentFrame = { self_mute: false, self_deaf: false };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A service in which a lobby has Ada and Grace as members, and clients of theirs. */
class World {
  service: Service;
  lobbyId = '';

  private constructor(service: Service) {
    this.service = service;
  }

  static async begin(options: ServiceOptions = {}): Promise<World> {
    const service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual', ...options });
    closing.push(() => service.close());
    return World.of(service);
  }

  static async of(service: Service): Promise<World> {
    const world = new World(service);
    world.lobbyId = await world.createLobby(ada, grace);
    return world;
  }

  async createLobby(...users: string[]): Promise<string> {
    const { body } = await this.call('POST', '/lobbies', { members: users.map(id => ({ id })) });
    return (body as { id: string }).id;
  }

  call(method: string, path: string, body?: unknown) {
    return callApi(this.service, method, path, body);
  }

  async join(user: string, scope?: string, fields: object = {}): Promise<Player> {
    const token = `Bearer ${await playerToken(this.service, user, scope)}`;
    const client = await GatewayClient.open(this.service.gateway);
    closing.push(async () => client.socket.terminate());
    client.identify({ token, intents: lobbyIntents, capabilities: capabilities.AUTO_LOBBY_CONNECT, ...fields });
    await client.dispatch('READY');
    await client.beat();
    await this.service.clock.advance(0);
    return new Player(this, client, token);
  }

  /** The lobby as a client sees it that has just come. */
  async seen(user = edsger, lobbyId = this.lobbyId): Promise<GatewayLobby | undefined> {
    if (user === edsger) await this.call('PUT', `/lobbies/${lobbyId}/members/${edsger}`, {});
    const { client } = await this.join(user);
    const { lobbies } = await client.dispatch<{ lobbies: GatewayLobby[] }>('READY');
    return lobbies.find(({ id }) => id === lobbyId);
  }
}

class Player {
  readonly #world: World;
  readonly client: GatewayClient;
  readonly token: string;

  constructor(world: World, client: GatewayClient, token: string) {
    this.#world = world;
    this.client = client;
    this.token = token;
  }

  /** Says by op 17 which calls the client is in; resolves once that is dealt with. */
  async calls(...calls: readonly (string | (Partial<LobbyVoiceState> & { lobby_id: string }))[]): Promise<void> {
    const d = calls.map(call => ({ ...silentFrame, ...(typeof call === 'string' ? { lobby_id: call } : call) }));
    await this.send(opcodes.LOBBY_VOICE_STATES, d);
  }

  async ping(lobby_id: string): Promise<void> {
    await this.send(opcodes.LOBBY_VOICE_SERVER_PING, { lobby_id });
  }

  async send(op: number, d: unknown): Promise<void> {
    this.client.send({ op, d });
    await this.settled();
  }

  async settled(): Promise<void> {
    await this.client.beat();
    await this.#world.service.clock.advance(0);
    await this.client.beat();
  }

  get states(): LobbyVoiceState[] {
    return this.#dispatched('LOBBY_VOICE_STATE_UPDATE') as LobbyVoiceState[];
  }

  get servers(): LobbyVoiceServer[] {
    return this.#dispatched('LOBBY_VOICE_SERVER_UPDATE') as LobbyVoiceServer[];
  }

  /** Names of the dispatches after READY. */
  get heard(): string[] {
    return this.client.names.slice(1);
  }

  #dispatched(name: string): unknown[] {
    return this.client.frames.filter(({ t }) => t === name).map(({ d }) => d);
  }
}

const inCall = ({ states }: Player) => states.map(({ user_id, channel_id }) => [user_id, channel_id !== null]);

describe('a member who comes into the call', () => {
  it('is shown to all connected members, and to itself, before it receives the voice server', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    const stranger = await world.join(edsger);
    await caller.calls({ lobby_id: world.lobbyId, self_mute: true });
    await other.settled();
    const state = {
      lobby_id: world.lobbyId,
      channel_id: world.lobbyId,
      user_id: ada,
      session_id: caller.client.sessionId,
      ...{ deaf: false, mute: false, self_deaf: false, self_mute: true, self_video: false },
      ...{ suppress: false, request_to_speak_timestamp: null },
    };
    expect(other.states).toEqual([state]);
    expect(caller.states).toEqual([state]);
    expect(caller.heard.slice(-2)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_VOICE_SERVER_UPDATE']);
    expect(caller.servers).toEqual([{ lobby_id: world.lobbyId, endpoint: null, token: expect.any(String) }]);
    expect(other.servers).toEqual([]);
    expect(stranger.heard).toEqual([]);
  });

  it('is in the lobby as READY, LOBBY_CREATE and LOBBY_UPDATE show it', async () => {
    const world = await World.begin();
    const caller = await world.join(ada);
    await caller.calls({ lobby_id: world.lobbyId, self_deaf: true, self_video: true });
    const [state] = caller.states;
    expect((await world.seen())?.voice_states).toEqual([state]);
    const plain = await world.join(grace, undefined, { capabilities: 0 });
    expect(await plain.client.dispatch('LOBBY_CREATE')).toMatchObject({ region: 'local', voice_states: [state] });
    await world.call('PATCH', `/lobbies/${world.lobbyId}`, { metadata: { map: 'reef' } });
    expect(await plain.client.dispatch('LOBBY_UPDATE')).toMatchObject({ voice_states: [state] });
    const { body } = await world.call('GET', `/lobbies/${world.lobbyId}`);
    expect(Object.keys(body as object)).not.toContain('voice_states');
  });

  it('may update its state; an update without a change sends no event', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await caller.calls(world.lobbyId);
    await caller.calls({ lobby_id: world.lobbyId, self_mute: true });
    await caller.calls({ lobby_id: world.lobbyId, self_mute: true });
    await other.settled();
    expect(other.states.map(({ self_mute }) => self_mute)).toEqual([false, true]);
    expect(caller.servers).toHaveLength(1);
  });

  it('keeps its part when a server writes its membership again', async () => {
    const world = await World.begin();
    const caller = await world.join(ada);
    await caller.calls(world.lobbyId);
    await world.call('PUT', `/lobbies/${world.lobbyId}/members/${ada}`, { metadata: { team: 'red' } });
    await world.call('PATCH', `/lobbies/${world.lobbyId}`, { members: [{ id: ada }, { id: grace }] });
    expect((await world.seen())?.voice_states).toHaveLength(1);
    expect(caller.states).toHaveLength(1);
  });

  it('is announced in the order of the requests, however fast they come', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    const said = Array.from({ length: 20 }, (_, n) => n % 3 === 0);
    for (const self_mute of said) {
      caller.client.send({ op: 17, d: [{ ...silentFrame, lobby_id: world.lobbyId, self_mute }] });
    }
    await caller.settled();
    await other.settled();
    const changes = said.filter((mute, n) => n === 0 || mute !== said[n - 1]);
    expect(other.states.map(({ self_mute }) => self_mute)).toEqual(changes);
  });

  it.each(['?encoding=etf', '?encoding=json&compress=zlib-stream', '?encoding=etf&compress=zstd-stream'])(
    'is shown the same over %s',
    async query => {
      const world = await World.begin();
      const token = `Bearer ${await playerToken(world.service, ada)}`;
      const client = await GatewayClient.open(world.service.gateway, query);
      closing.push(async () => client.socket.terminate());
      client.identify({ token, intents: lobbyIntents });
      await client.dispatch('LOBBY_CREATE');
      const caller = new Player(world, client, token);
      await caller.calls({ lobby_id: world.lobbyId, self_mute: true });
      expect(caller.states).toMatchObject([{ lobby_id: world.lobbyId, user_id: ada, self_mute: true }]);
      expect((await world.seen())?.voice_states).toEqual(caller.states);
      expect(caller.servers).toMatchObject([{ lobby_id: world.lobbyId, endpoint: null }]);
    },
  );

  it('needs the intent LOBBIES for events of calls', async () => {
    const world = await World.begin();
    const caller = await world.join(ada, undefined, { intents: intents.LOBBY_DELETE });
    await caller.calls(world.lobbyId);
    expect(caller.heard).toEqual([]);
    expect((await world.seen())?.voice_states).toHaveLength(1);
  });
});

describe('the list of calls', () => {
  it('is complete: the session leaves calls that are missing from it', async () => {
    const world = await World.begin();
    const second = await world.createLobby(ada, grace);
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId, second);
    await caller.calls(second);
    await caller.calls();
    await other.settled();
    expect(other.states.map(({ lobby_id, channel_id }) => [lobby_id, channel_id])).toEqual([
      [world.lobbyId, world.lobbyId],
      [second, second],
      [world.lobbyId, null],
      [second, null],
    ]);
    expect((await world.seen())?.voice_states).toEqual([]);
  });

  it('counts what it says last of a lobby', async () => {
    const world = await World.begin();
    const caller = await world.join(ada);
    await caller.calls({ lobby_id: world.lobbyId, self_mute: true }, { lobby_id: world.lobbyId, self_deaf: true });
    expect(caller.states).toMatchObject([{ self_mute: false, self_deaf: true }]);
  });

  it('has no effect in a lobby that its user is not in, or that does not exist', async () => {
    const world = await World.begin();
    const foreign = await world.createLobby(grace);
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(foreign, '7', world.lobbyId);
    await other.settled();
    expect(inCall(other)).toEqual([[ada, true]]);
    expect(other.states[0]?.lobby_id).toBe(world.lobbyId);
    expect(caller.servers).toHaveLength(1);
  });

  it.each([undefined, null, {}, [{}], [{ lobby_id: '1' }], [{ ...silentFrame, lobby_id: 'x' }], 'x'])(
    'that is malformed (%j) closes with 4001',
    async d => {
      const { client } = await (await World.begin()).join(ada);
      client.send({ op: opcodes.LOBBY_VOICE_STATES, d });
      expect((await client.closed).code).toBe(4001);
    },
  );

  it('has an effect for players only, and for those only who may write lobbies', async () => {
    const world = await World.begin();
    const caller = await world.join(ada, 'identify gateway.connect');
    await caller.calls(world.lobbyId);
    const bot = await GatewayClient.identified(world.service.gateway, { token: starfall.applications[0].bot_token });
    bot.send({ op: opcodes.LOBBY_VOICE_STATES, d: [{ ...silentFrame, lobby_id: world.lobbyId }] });
    bot.send({ op: opcodes.LOBBY_VOICE_SERVER_PING, d: { lobby_id: world.lobbyId } });
    await bot.beat();
    expect(caller.heard).toEqual([]);
    expect((await world.seen())?.voice_states).toEqual([]);
  });

  it('has an effect from when the session continues with a token that may', async () => {
    const world = await World.begin();
    const { client } = await world.join(ada, 'identify gateway.connect');
    client.socket.terminate();
    await client.closed;
    const token = `Bearer ${await playerToken(world.service, ada)}`;
    const back = await GatewayClient.resumed(world.service.gateway, token, client);
    closing.push(async () => back.socket.terminate());
    await back.dispatch('RESUMED');
    const caller = new Player(world, back, token);
    await caller.calls(world.lobbyId);
    expect(caller.states).toMatchObject([{ session_id: client.sessionId }]);
  });
});

describe('a part in a call ends', () => {
  const ended = { user_id: ada, channel_id: null };

  it('with the session that its client ends, before the others receive its disconnection', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls({ lobby_id: world.lobbyId, self_mute: true });
    await caller.client.end();
    await other.client.dispatch('LOBBY_MEMBER_DISCONNECT');
    expect(other.states[1]).toMatchObject({ ...ended, self_mute: true, session_id: caller.client.sessionId });
    expect(other.heard.slice(-2)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_MEMBER_DISCONNECT']);
  });

  it('with a session that is not resumed, not with the connection', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    caller.client.socket.terminate();
    await caller.client.closed;
    await world.service.clock.advance(0);
    for (let left = windowMs; left > 60_000; left -= 60_000) {
      await other.client.beat();
      await world.service.clock.advance(60_000);
    }
    await other.client.beat();
    await world.service.clock.advance(59_999);
    await other.settled();
    expect(inCall(other)).toEqual([[ada, true]]);
    await world.service.clock.advance(1);
    await other.settled();
    expect(other.states[1]).toMatchObject(ended);
  });

  it('not when the session continues', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    caller.client.socket.terminate();
    await caller.client.closed;
    const back = await GatewayClient.resumed(world.service.gateway, caller.token, caller.client);
    closing.push(async () => back.socket.terminate());
    await back.dispatch('RESUMED');
    const again = new Player(world, back, caller.token);
    await again.calls({ lobby_id: world.lobbyId, self_mute: true });
    await other.settled();
    expect(other.states.map(({ channel_id, self_mute }) => [channel_id, self_mute])).toEqual([
      [world.lobbyId, false],
      [world.lobbyId, true],
    ]);
  });

  it('when a member is removed: the others receive that first', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await world.call('DELETE', `/lobbies/${world.lobbyId}/members/${ada}`);
    await other.settled();
    await caller.settled();
    expect(other.heard.slice(-2)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_MEMBER_REMOVE']);
    expect(other.states[1]).toMatchObject(ended);
    expect(caller.heard.slice(-2)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_DELETE']);
    await world.call('PUT', `/lobbies/${world.lobbyId}/members/${ada}`, {});
    expect((await world.seen())?.voice_states).toEqual([]);
  });

  it('when a list of members leaves one out, and the lobby shown with it has it no more', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await world.call('PATCH', `/lobbies/${world.lobbyId}`, { members: [{ id: grace }] });
    await other.settled();
    expect(other.heard.slice(-3)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_MEMBER_REMOVE', 'LOBBY_UPDATE']);
    expect(await other.client.dispatch('LOBBY_UPDATE')).toMatchObject({ voice_states: [] });
  });

  it('with the lobby, for which only LOBBY_DELETE is sent', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await world.call('DELETE', `/lobbies/${world.lobbyId}`);
    await other.settled();
    expect(other.heard.slice(-2)).toEqual(['LOBBY_VOICE_STATE_UPDATE', 'LOBBY_DELETE']);
    await caller.calls(world.lobbyId);
    expect(caller.states).toHaveLength(1);
  });

  it('for a session whose user is in the call by another, which takes its part over', async () => {
    const world = await World.begin();
    const [first, second, other] = [await world.join(ada), await world.join(ada), await world.join(grace)];
    await first.calls(world.lobbyId);
    await second.calls(world.lobbyId);
    await first.calls();
    await first.ping(world.lobbyId);
    await first.client.end();
    await other.settled();
    const sessions = [first.client.sessionId, second.client.sessionId];
    expect(other.states.map(({ session_id, channel_id }) => [session_id, channel_id])).toEqual(
      sessions.map(id => [id, world.lobbyId]),
    );
    expect([first.servers.length, second.servers.length]).toEqual([1, 1]);
    await second.client.end();
    await other.client.dispatch('LOBBY_MEMBER_DISCONNECT');
    expect(other.states[2]).toMatchObject({ ...ended, session_id: sessions[1] });
  });

  it('when several members change concurrently', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await world.call('POST', `/lobbies/${world.lobbyId}/members/bulk`, [{ id: ada, remove_member: true }]);
    await other.settled();
    expect(inCall(other)).toEqual([
      [ada, true],
      [ada, false],
    ]);
  });

  it('when all sessions are closed, be it that the state is put in place of another', async () => {
    const world = await World.begin();
    const caller = await world.join(ada);
    await caller.calls(world.lobbyId);
    const headers = { authorization: `Bearer ${world.service.controlToken}`, 'content-type': 'application/json' };
    const snapshot = await (await fetch(`${world.service.controlBase}/snapshot`, { headers })).text();
    const heir = await World.begin();
    const authorization = `Bearer ${heir.service.controlToken}`;
    const put = await fetch(`${heir.service.controlBase}/snapshot`, {
      method: 'PUT',
      headers: { ...headers, authorization },
      body: snapshot,
    });
    expect(put.status).toBe(204);
    expect((await heir.seen(edsger, world.lobbyId))?.voice_states).toEqual([]);
  });
});

describe('op 42', () => {
  it('sends another token to the session in the call, and nothing to others', async () => {
    const world = await World.begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await caller.ping(world.lobbyId);
    await other.ping(world.lobbyId);
    await caller.ping('7');
    const tokens = caller.servers.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
    expect(other.servers).toEqual([]);
  });

  it.each([undefined, null, {}, [], { lobby_id: 'x' }])('that is malformed (%j) closes with 4001', async d => {
    const { client } = await (await World.begin()).join(ada);
    client.send({ op: opcodes.LOBBY_VOICE_SERVER_PING, d });
    expect((await client.closed).code).toBe(4001);
  });
});

describe.each(['clean', 'killed'] as const)('after a %s restart of the service', how => {
  async function begin(options: ServiceOptions = {}): Promise<{ restarting: RestartingService; world: World }> {
    const restarting = await RestartingService.start({ fixtures: starfall, limits: 'off', ...options });
    closing.push(() => restarting.close());
    return { restarting, world: await World.of(restarting.now) };
  }

  async function back(world: World, { client, token }: Player): Promise<Player> {
    const next = await GatewayClient.resumed(world.service.gateway, token, client);
    closing.push(async () => next.socket.terminate());
    await next.dispatch('RESUMED');
    return new Player(world, next, token);
  }

  it('who comes back is still in the call, for all to see', async () => {
    const { restarting, world } = await begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await other.settled();
    world.service = await restarting.restart(how);
    const [again, watching] = [await back(world, caller), await back(world, other)];
    expect(watching.client.names).toEqual(['RESUMED']);
    expect((await world.seen())?.voice_states).toEqual(caller.states);
    await again.calls();
    await watching.settled();
    expect(watching.states).toMatchObject([{ user_id: ada, channel_id: null, session_id: caller.client.sessionId }]);
  });

  it('who has been away for too long is not, and those who come back receive that', async () => {
    const { restarting, world } = await begin();
    const [caller, other] = [await world.join(ada), await world.join(grace)];
    await caller.calls(world.lobbyId);
    await other.settled();
    caller.client.socket.terminate();
    await caller.client.closed;
    await world.service.clock.advance(1000);
    await other.client.beat();
    world.service = await restarting.restart(how, windowMs - 1000);
    const watching = await back(world, other);
    await watching.settled();
    expect(watching.client.names.filter(name => name.includes('VOICE'))).toEqual(['LOBBY_VOICE_STATE_UPDATE']);
    expect(watching.states).toMatchObject([{ user_id: ada, channel_id: null }]);
    expect((await world.seen())?.voice_states).toEqual([]);
  });

  it('what was said in between is replayed, the voice server included', async () => {
    const { restarting, world } = await begin();
    const caller = await world.join(ada);
    caller.client.socket.pause();
    caller.client.send({ op: 17, d: [{ ...silentFrame, lobby_id: world.lobbyId }] });
    const watcher = await world.join(grace);
    await watcher.client.until(() => watcher.states.length > 0 || watcher.client.frames.length > 0);
    await world.service.clock.advance(0);
    await watcher.settled();
    world.service = await restarting.restart(how);
    const again = await back(world, caller);
    expect(again.states).toMatchObject([{ user_id: ada, channel_id: world.lobbyId }]);
    expect(again.servers).toHaveLength(1);
  });
});

describe('the voice server that an operator names', () => {
  const endpoint = 'voice.example:4433';

  it('is sent with a token that the published keys verify, for this call, user and session, for five minutes', async () => {
    const world = await World.begin({ voice: { endpoint } });
    const caller = await world.join(ada);
    await caller.calls(world.lobbyId);
    await caller.client.dispatch('LOBBY_VOICE_SERVER_UPDATE');
    await caller.ping(world.lobbyId);
    await caller.client.until(() => caller.servers.length === 2);
    expect(caller.servers.map(server => server.endpoint)).toEqual([endpoint, endpoint]);
    const keys = (await (await fetch(`${world.service.apiBase}/oauth2/keys`)).json()) as JSONWebKeySet;
    const verify = (token = '', atMs = world.service.clock.now()) =>
      jwtVerify(token, createLocalJWKSet(keys), {
        issuer: world.service.webBase,
        audience: 'lobby-voice',
        typ: 'voice+jwt',
        currentDate: new Date(atMs),
      });
    const [first, again] = await Promise.all(caller.servers.map(({ token }) => verify(token)));
    expect(first?.payload).toMatchObject({
      sub: ada,
      lobby_id: world.lobbyId,
      session_id: caller.client.sessionId,
      application_id: starfall.applications[0].id,
    });
    const { exp = 0, iat = 0, jti } = first?.payload ?? {};
    expect(exp - iat).toBe(serviceLimits.voiceTokenLifeMs / 1000);
    expect(again?.payload.jti).not.toBe(jti);
    const after = world.service.clock.now() + serviceLimits.voiceTokenLifeMs;
    await expect(verify(caller.servers[0]?.token, after)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('is sent to those in a call when the service starts with another one', async () => {
    const restarting = await RestartingService.start({ fixtures: starfall, limits: 'off' });
    closing.push(() => restarting.close());
    const world = await World.of(restarting.now);
    const caller = await world.join(ada);
    await caller.calls(world.lobbyId);
    expect(caller.servers).toMatchObject([{ endpoint: null }]);
    const { port } = new URL(world.service.apiBase);
    await restarting.now.close();
    const clock = { virtualFromMs: world.service.clock.now() };
    const options = { fixtures: starfall, limits: 'off', clock, data: restarting.data, port: Number(port) } as const;
    const starts = [
      [{ voice: { endpoint } }, [endpoint]],
      [{ voice: { endpoint } }, [endpoint]],
      [{}, [endpoint, null]],
    ] as const;
    for (const [voice, told] of starts) {
      const service = await startService({ ...options, ...voice });
      const client = await GatewayClient.resumed(service.gateway, caller.token, caller.client);
      await client.dispatch('RESUMED');
      const updates = client.frames.filter(({ t }) => t === 'LOBBY_VOICE_SERVER_UPDATE').map(({ d }) => d);
      expect(updates).toMatchObject(told.map(one => ({ endpoint: one, lobby_id: world.lobbyId })));
      client.socket.terminate();
      await client.closed;
      await service.close();
    }
  });

  it.each([
    '',
    'https://voice.example',
    'voice.example/path',
    'a b',
    'user@voice.example',
    'voice.example:99999',
    ':80',
  ])('is a host, with a port or without, not %j', async wrong => {
    await expect(startService({ voice: { endpoint: wrong } })).rejects.toMatchObject({
      code: 'invalid_voice_endpoint',
    });
  });

  it.each(['voice.example', 'voice.example:4433', '10.0.0.4:80', '[::1]:4433', 'localhost'])(
    'may be %j',
    async right => {
      const service = await startService({ voice: { endpoint: right } });
      await expect(service.close()).resolves.toBeUndefined();
    },
  );
});

it('tokens without a voice server are long, random and never the same', async () => {
  const world = await World.begin();
  const caller = await world.join(ada);
  for (let times = 0; times < 5; times++) {
    await caller.calls(world.lobbyId);
    await caller.calls();
  }
  const tokens = caller.servers.map(({ token }) => token);
  expect(tokens).toHaveLength(5);
  expect(new Set(tokens.map(token => createHash('sha256').update(token).digest('hex'))).size).toBe(5);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
});
