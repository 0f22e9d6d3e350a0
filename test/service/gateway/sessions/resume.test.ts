import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayFrame, intents, opcodes } from '../../../../src/model/gateway.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken, playerTokens, refreshTokens, sessionToken } from '../../../support/service/tokens.ts';

const bot = starfall.applications[0].bot_token;
const [ada, grace] = starfall.users;
const windowMs = serviceLimits.gatewayResumeWindowMs;
const lobbyIntents = intents.LOBBIES | intents.LOBBY_DELETE;

let service: Service;
let tokens: { ada: string; grace: string };
const clients: GatewayClient[] = [];
const lobbies: string[] = [];

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  const tokenOf = async (id: string) => `Bearer ${await playerToken(service, id)}`;
  tokens = { ada: await tokenOf(ada.id), grace: await tokenOf(grace.id) };
});
afterEach(async () => {
  for (const client of clients.splice(0)) if (client.socket.readyState === client.socket.OPEN) await client.end();
  for (const id of lobbies.splice(0)) await callApi(service, 'DELETE', `/lobbies/${id}`);
  await service.clock.advance(windowMs);
});
afterAll(() => service.close());

async function join(token: string): Promise<GatewayClient> {
  const client = await GatewayClient.identified(service.gateway, { token, intents: lobbyIntents });
  await client.beat();
  clients.push(client);
  return client;
}

async function resume(token: string, former: GatewayClient): Promise<GatewayClient> {
  const client = await GatewayClient.resumed(service.gateway, token, former);
  clients.push(client);
  return client;
}

async function createLobby(...members: readonly { id: string }[]): Promise<string> {
  const { body } = await callApi(service, 'POST', '/lobbies', { members: members.map(({ id }) => ({ id })) });
  const { id } = body as { id: string };
  lobbies.push(id);
  return id;
}

const edit = (id: string, n: number) => callApi(service, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n) } });

/** The network goes, and the service has noticed. */
async function drop(client: GatewayClient): Promise<void> {
  client.socket.terminate();
  await client.closed;
  await service.clock.advance(0);
}

const invalid = ({ op }: GatewayFrame) => op === opcodes.INVALID_SESSION;
const dispatches = ({ frames }: GatewayClient) => frames.filter(({ op }) => op === opcodes.DISPATCH);

describe('a resume', () => {
  it('replays exactly what was missed, in order and with its numbers, and then says RESUMED', async () => {
    const client = await join(tokens.ada);
    const id = await createLobby(ada);
    await edit(id, 1);
    await client.dispatch('LOBBY_UPDATE');
    const last = client.sequence;
    await drop(client);
    for (let n = 2; n <= 6; n++) await edit(id, n);
    const back = await resume(tokens.ada, client);
    await back.dispatch('RESUMED');
    const seen = dispatches(back);
    expect(seen.map(({ t }) => t)).toEqual([...Array(5).fill('LOBBY_UPDATE'), 'RESUMED']);
    expect(seen.map(({ s }) => s)).toEqual([1, 2, 3, 4, 5, 6].map(by => last + by));
    expect(seen.slice(0, 5).map(({ d }) => (d as { metadata: object }).metadata)).toEqual(
      [2, 3, 4, 5, 6].map(n => ({ n: String(n) })),
    );
    await edit(id, 7);
    await back.until(() => back.sequence === last + 7);
  });

  it('ends with RESUMED on every shard', async () => {
    const ofShard = async (shard: [number, number]) => {
      const client = await GatewayClient.identified(service.gateway, { token: bot, shard });
      clients.push(client);
      return client;
    };
    for (const client of [await ofShard([0, 2]), await ofShard([1, 2])]) {
      await drop(client);
      const back = await resume(bot, client);
      await back.dispatch('RESUMED');
      expect(back.names).toEqual(['RESUMED']);
    }
  });

  it('may be done again and again, also when the answer to the last one got lost', async () => {
    const client = await join(tokens.ada);
    const id = await createLobby(ada);
    await client.dispatch('LOBBY_CREATE');
    await drop(client);
    await edit(id, 1);
    for (let round = 0; round < 3; round++) {
      const back = await resume(tokens.ada, client);
      await back.dispatch('RESUMED');
      expect(back.names[0]).toBe('LOBBY_UPDATE');
      await drop(back);
    }
  });

  it('works until the window ends, and not at its end', async () => {
    const [first, second] = [await join(tokens.ada), await join(tokens.ada)];
    await drop(first);
    await drop(second);
    await service.clock.advance(windowMs - 1);
    await (await resume(tokens.ada, first)).dispatch('RESUMED');
    await service.clock.advance(1);
    expect(await (await resume(tokens.ada, second)).frame(invalid)).toMatchObject({ d: false });
  });

  it('takes the number of the last event and closes one above it with 4007', async () => {
    const client = await join(tokens.ada);
    await drop(client);
    const ahead = await GatewayClient.open(service.gateway);
    ahead.resume(tokens.ada, client.sessionId, client.sequence + 1);
    expect((await ahead.closed).code).toBe(4007);
    // Its client was told to begin anew, so nobody waits for it any more.
    expect(await (await resume(tokens.ada, client)).frame(invalid)).toMatchObject({ d: false });
  });

  it("is rejected for a session that is unknown or somebody else's, and leaves that alone", async () => {
    const client = await join(tokens.ada);
    await drop(client);
    for (const token of [tokens.grace, bot, await sessionToken(service, ada.id)]) {
      expect(await (await resume(token, client)).frame(invalid)).toMatchObject({ d: false });
    }
    const guess = await GatewayClient.open(service.gateway);
    clients.push(guess);
    guess.resume(tokens.ada, 'f'.repeat(32), 0);
    expect(await guess.frame(invalid)).toMatchObject({ d: false });
    guess.identify({ token: tokens.ada, intents: 0 });
    await guess.dispatch('READY');
    await (await resume(tokens.ada, client)).dispatch('RESUMED');
  });

  it('is rejected for a token without a scope with which the session began, and leaves that alone', async () => {
    const watcher = await join(tokens.grace);
    const client = await join(tokens.ada);
    const fewer = `Bearer ${await playerToken(service, ada.id, 'identify gateway.connect')}`;
    expect(await (await resume(fewer, client)).frame(invalid)).toMatchObject({ d: false });
    await createLobby(ada, grace);
    await client.dispatch('LOBBY_CREATE');
    expect(watcher.names).not.toContain('LOBBY_MEMBER_UPDATE');
    // With more scopes, and with the same ones by other names, it is resumed.
    const least = await join(fewer);
    await drop(least);
    await (await resume(tokens.ada, least)).dispatch('RESUMED');
  });

  it('closes with 4004 for an invalid token, and with 4001 for a malformed resume', async () => {
    const client = await join(tokens.ada);
    const codeAfter = async (d: unknown) => {
      const other = await GatewayClient.open(service.gateway);
      other.send({ op: opcodes.RESUME, d });
      return (await other.closed).code;
    };
    const good = { token: tokens.ada, session_id: client.sessionId, seq: 1 };
    expect(await codeAfter({ ...good, token: 'Bearer nobody' })).toBe(4004);
    for (const bad of [null, {}, { ...good, seq: null }, { ...good, seq: -1 }, { ...good, session_id: 5 }]) {
      expect(await codeAfter(bad), JSON.stringify(bad)).toBe(4001);
    }
  });

  it('takes over from a connection that is still open, which ends with 4003', async () => {
    const watcher = await join(tokens.grace);
    const client = await join(tokens.ada);
    await createLobby(ada, grace);
    await client.dispatch('LOBBY_CREATE');
    const back = await resume(tokens.ada, client);
    await back.dispatch('RESUMED');
    expect((await client.closed).code).toBe(4003);
    await service.clock.advance(0);
    await watcher.beat();
    expect(watcher.names).toEqual(['READY', 'LOBBY_CREATE']);
  });

  it('is rejected when what was missed is not kept any more because the client had acknowledged it', async () => {
    const client = await join(tokens.ada);
    const before = client.sequence;
    await createLobby(ada);
    await client.dispatch('LOBBY_CREATE');
    client.send({ op: opcodes.HEARTBEAT, d: client.sequence });
    await client.beat();
    await drop(client);
    const stale = await GatewayClient.open(service.gateway);
    clients.push(stale);
    stale.resume(tokens.ada, client.sessionId, before);
    expect(await stale.frame(invalid)).toMatchObject({ d: false });
  });

  it("continues with a bot's session and with that of a user's own client", async () => {
    const ownToken = await sessionToken(service, ada.id);
    for (const token of [bot, ownToken]) {
      const client = await GatewayClient.identified(service.gateway, { token });
      await client.beat();
      await drop(client);
      const back = await resume(token, client);
      await back.dispatch('RESUMED');
      expect(back.names).not.toContain('READY');
    }
  });
});

describe('how a connection ends', () => {
  it.each([1000, 1001])('ends the session when the client closes with %i', async code => {
    const client = await join(tokens.ada);
    await client.end(code);
    await service.clock.advance(0);
    expect(await (await resume(tokens.ada, client)).frame(invalid)).toMatchObject({ d: false });
  });

  it.each([1005, 1011, 3000, 4000, 4999])('keeps the session when the client closes with %i', async code => {
    const client = await join(tokens.ada);
    client.socket.close(...(code === 1005 ? [] : [code]));
    await client.closed;
    const back = await resume(tokens.ada, client);
    await back.dispatch('RESUMED');
    expect(back.names).not.toContain('READY');
  });

  it('keeps the session when the service closes for a mistake, and for silence', async () => {
    const wrong = await join(tokens.ada);
    wrong.send({ op: 99 });
    expect((await wrong.closed).code).toBe(4001);
    await (await resume(tokens.ada, wrong)).dispatch('RESUMED');
    const silent = await join(tokens.ada);
    await service.clock.advance(serviceLimits.gatewayHeartbeatIntervalMs * 1.5);
    expect((await silent.closed).code).toBe(4009);
    await (await resume(tokens.ada, silent)).dispatch('RESUMED');
  });

  it('counts the player as connected until the window ends, and then notifies the others', async () => {
    const watcher = await join(tokens.grace);
    const client = await join(tokens.ada);
    await createLobby(ada, grace);
    await client.dispatch('LOBBY_CREATE');
    await drop(client);
    for (let beats = 0; beats * 60_000 < windowMs - 60_000; beats++) {
      await service.clock.advance(60_000);
      await watcher.beat();
    }
    await service.clock.advance(59_999);
    await watcher.beat();
    expect(watcher.names).toEqual(['READY', 'LOBBY_CREATE']);
    await service.clock.advance(1);
    await watcher.dispatch('LOBBY_MEMBER_DISCONNECT');
  });
});

describe('what a session was opened with', () => {
  it('ends it with 4003 when it is revoked, also one that waits to be resumed', async () => {
    const token = await playerToken(service, ada.id);
    const [live, waiting] = [await join(`Bearer ${token}`), await join(`Bearer ${token}`)];
    const other = await join(tokens.grace);
    await drop(waiting);
    const [{ id: client_id }] = starfall.applications;
    const form = new URLSearchParams({ token, client_id });
    expect((await fetch(`${service.apiBase}/v10/oauth2/token/revoke`, { method: 'POST', body: form })).status).toBe(
      200,
    );
    expect((await live.closed).code).toBe(4003);
    await other.beat();
    tokens.ada = `Bearer ${await playerToken(service, ada.id)}`;
    expect(await (await resume(tokens.ada, waiting)).frame(invalid)).toMatchObject({ d: false });
  });

  it('may be refreshed under it', async () => {
    const first = await playerTokens(service, ada.id);
    const client = await join(`Bearer ${first.access_token}`);
    const { access_token } = await refreshTokens(service, first.refresh_token);
    await service.clock.advance(0);
    await client.beat();
    await drop(client);
    const back = await resume(`Bearer ${access_token}`, client);
    await back.dispatch('RESUMED');
    expect(back.names).not.toContain('READY');
  });

  it('ends it with 4003 when the newest token of its grant expires, and not a millisecond before', async () => {
    const own = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
    const kept = await playerTokens(own, ada.id);
    const renewed = await playerTokens(own, grace.id);
    await own.clock.advance(limits.accessTokenLifeMs - 30_000);
    const identified = ({ access_token }: { access_token: string }) =>
      GatewayClient.identified(own.gateway, { token: `Bearer ${access_token}` });
    const [ends, goesOn] = [await identified(kept), await identified(renewed)];
    await refreshTokens(own, renewed.refresh_token);
    await own.clock.advance(29_999);
    await ends.beat();
    await own.clock.advance(1);
    expect((await ends.closed).code).toBe(4003);
    await goesOn.beat();
    await own.close();
  });
});
