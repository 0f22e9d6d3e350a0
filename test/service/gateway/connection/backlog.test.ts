import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capabilities, intents, type Ready } from '../../../../src/model/gateway.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { GatewayLobby } from '../../../../src/model/lobby.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { GatewayClient } from '../../../support/gateway/gateway-client.ts';
import { control } from '../../../support/service/control-client.ts';
import { callApi, starfall } from '../../../support/service/starfall.ts';
import { playerToken } from '../../../support/service/tokens.ts';

const ada: string = starfall.users[0].id;
const crowd = Array.from({ length: 999 }, (_, n) => ({
  id: String(200_000_000_000_000_000n + BigInt(n)),
  username: `crowd${n}`,
}));
// More than the system takes in for a socket whose peer does not read.
const lobbies = 12;

let service: Service;
let token: string;
const ids: string[] = [];
let small: string;
const clients: GatewayClient[] = [];

beforeAll(async () => {
  service = await startService({
    fixtures: { ...starfall, users: [...starfall.users, ...crowd] },
    limits: 'off',
    clock: 'virtual',
  });
  token = `Bearer ${await playerToken(service, ada)}`;
  const member = (id = ada) => ({ id, metadata: { about: 'x'.repeat(990) } });
  const { lobbyMembersPerRequestMax: max } = limits;
  for (let n = 0; n < lobbies; n++) {
    const { body } = await callApi(service, 'POST', '/lobbies', { members: [member(ada)] });
    const { id } = body as { id: string };
    ids.push(id);
    const chunks = Array.from({ length: Math.ceil(crowd.length / max) }, (_, at) =>
      crowd.slice(at * max, (at + 1) * max),
    );
    const calls = chunks.map(chunk =>
      callApi(
        service,
        'POST',
        `/lobbies/${id}/members/bulk`,
        chunk.map(user => member(user.id)),
      ),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  }
  small = ((await callApi(service, 'POST', '/lobbies', { members: [{ id: ada }] })).body as { id: string }).id;
}, 60_000);

afterAll(async () => {
  for (const client of clients) client.socket.terminate();
  await service.close();
});

/** A client that has identified and reads nothing of its READY. */
async function stalled(query?: string): Promise<GatewayClient> {
  const client = await GatewayClient.open(service.gateway, query);
  clients.push(client);
  const begun = async () =>
    (await control(service, 'GET /sessions')).sessions.flatMap(({ id, sequence }) => (sequence > 0 ? id : []));
  const before = await begun();
  client.identify({ token, intents: intents.LOBBIES, capabilities: capabilities.AUTO_LOBBY_CONNECT });
  client.socket.pause();
  await expect.poll(async () => (await begun()).some(id => !before.includes(id))).toBe(true);
  return client;
}

const edit = (id: string, n: number) => callApi(service, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n) } });

describe('a READY of many megabytes', () => {
  it.each(['?v=10&encoding=json', '?v=10&encoding=json&compress=zlib-stream'])(
    'comes whole over a line that is slow, with all that happened behind it (%s)',
    async query => {
      const client = await stalled(query);
      for (let n = 0; n < 30; n++) await edit(small, n);
      client.socket.resume();
      const ready = (await client.dispatch('READY')) as Ready & { lobbies: readonly GatewayLobby[] };
      expect(ready.lobbies.map(({ members }) => members.length).toSorted((a, b) => a - b)).toEqual([
        1,
        ...Array.from({ length: lobbies }, () => 1000),
      ]);
      expect(JSON.stringify(ready).length).toBeGreaterThan(8 * serviceLimits.gatewayBacklogBytesMax);
      await edit(small, 30);
      await client.until(() => client.frames.some(({ d }) => (d as GatewayLobby | null)?.metadata?.n === '30'));
    },
    30_000,
  );

  it('does not let a client that reads nothing fall behind without end', async () => {
    const client = await stalled();
    await edit(small, 0);
    for (let n = 0; n < 3; n++) await edit(ids[n] ?? '', n);
    await edit(small, 1);
    client.socket.resume();
    expect((await client.closed).code).toBe(4000);
  }, 30_000);

  it('is not kept for a client that could not ask for it, and what follows it is', async () => {
    const client = await stalled();
    client.socket.resume();
    await client.dispatch('READY');
    client.socket.terminate();
    await edit(small, 1);
    const early = await GatewayClient.open(service.gateway);
    clients.push(early);
    early.resume(token, client.sessionId, 0);
    expect((await early.frame(({ op }) => op === 9)).d).toBe(false);
    const again = await stalled();
    again.socket.resume();
    await again.dispatch('READY');
    again.socket.terminate();
    await again.closed;
    await edit(small, 2);
    const back = await GatewayClient.open(service.gateway);
    clients.push(back);
    back.resume(token, again.sessionId, 1);
    await back.dispatch('RESUMED');
    expect(back.names).toEqual(['LOBBY_UPDATE', 'RESUMED']);
  }, 30_000);
});
