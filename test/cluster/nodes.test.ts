import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeCodes, intents } from '../../src/model/gateway.ts';
import { type LimitProfile, limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { limits as modelLimits } from '../../src/model/limits/limits.ts';
import type { Service } from '../../src/service/index.ts';
import { codeChallengeOf } from '../../src/wire/oauth/pkce.ts';
import { Browser } from '../service/features/oauth/browser.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { heapBytes } from '../support/heap.ts';
import { needs } from '../support/runs/parts.ts';
import { botHeaders, callApi, starfall } from '../support/service/starfall.ts';
import { playerToken, playerTokens, sessionToken } from '../support/service/tokens.ts';

const engines = await needs('postgres', 'redis');
const [ada, grace] = starfall.users;
const [app] = starfall.applications;
const botToken = app.bot_token;

/** Without ids and secrets, which are then generated. */
const anonymous = {
  applications: [{ name: 'Nameless', redirect_uris: [] }],
  users: [{ username: 'somebody', password: 'correct horse battery' }],
  guilds: [{ name: 'Nowhere', channels: [{ name: 'general' }] }],
} as const;

/** Limits small enough to be reached. */
const limits: LimitProfile = {
  ...limitProfiles.off,
  buckets: {
    'lobby-create': { requests: 20, windowMs: 60_000 },
    'oauth-proof': { requests: 4, windowMs: 60_000 },
  } as LimitProfile['buckets'],
  invalidRequests: { requests: 60, windowMs: 60_000, blockMs: 20_000 },
};

const control = (node: Service, method: string, path: string, body?: unknown) =>
  fetch(node.controlBase + path, {
    method,
    headers: { authorization: `Bearer ${node.controlToken}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

describe.skipIf(engines.missing)(`three nodes on one database${engines.note}`, () => {
  let cluster: TestCluster;
  let nodes: readonly [Service, Service, Service];

  beforeAll(async () => {
    // All of them start at once, on an empty database.
    cluster = await TestCluster.start(3, { fixtures: starfall, limits: 'off' });
    nodes = [cluster.node(0), cluster.node(1), cluster.node(2)];
  });
  afterAll(() => cluster?.close());

  const lobbyAt = async (node: Service, body: unknown = {}) =>
    (await callApi(node, 'POST', '/lobbies', body)).body as { id: string };

  it('read at any node what was written at another', async () => {
    const [a, b, c] = nodes;
    const { id } = await lobbyAt(a, { metadata: { map: 'harbour' } });
    await callApi(b, 'PATCH', `/lobbies/${id}`, { metadata: { map: 'cave' } });
    expect((await callApi(c, 'GET', `/lobbies/${id}`)).body).toMatchObject({ metadata: { map: 'cave' } });
    expect((await callApi(c, 'DELETE', `/lobbies/${id}`)).status).toBe(204);
    expect((await callApi(a, 'GET', `/lobbies/${id}`)).status).toBe(404);
  });

  it('lose no write of two that change one lobby', async () => {
    const [a, b, c] = nodes;
    const { id } = await lobbyAt(a);
    const puts = starfall.users.map(({ id: user }, at) =>
      callApi(nodes[at % 3] ?? a, 'PUT', `/lobbies/${id}/members/${user}`, { metadata: { at: String(at) } }),
    );
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const node of [a, b, c]) {
      const { members } = (await callApi(node, 'GET', `/lobbies/${id}`)).body as { members: { id: string }[] };
      expect(members.map(member => member.id).toSorted()).toEqual(starfall.users.map(user => user.id).toSorted());
    }
  });

  it('send what happens at two nodes to a socket of the third, in the order in which it happened', async () => {
    const [a, b, c] = nodes;
    const { id } = await lobbyAt(a);
    const token = `Bearer ${await playerToken(b, ada.id)}`;
    const client = await GatewayClient.identified(c.gateway, { token, intents: intents.LOBBIES });
    await callApi(b, 'PUT', `/lobbies/${id}/members/${ada.id}`, {});
    const count = 20;
    for (let n = 1; n <= count; n++)
      await callApi(n % 2 ? a : b, 'PATCH', `/lobbies/${id}`, { metadata: { n: String(n) } });
    await client.frame(
      ({ t, d }) => t === 'LOBBY_UPDATE' && (d as { metadata?: { n?: string } }).metadata?.n === String(count),
    );
    const seen = client.frames
      .filter(({ t }) => t === 'LOBBY_UPDATE')
      .map(({ d }) => Number((d as { metadata: { n: string } }).metadata.n));
    expect(seen).toEqual(Array.from({ length: count }, (_, at) => at + 1));
    await client.end();
  });

  it('redeem a code at another node than the one that issued it, and once', async () => {
    const [a, b] = nodes;
    const { access_token } = await playerTokens({ ...a, apiBase: b.apiBase }, grace.id);
    const asPlayer = { authorization: `Bearer ${access_token}` };
    for (const node of nodes) {
      const me = await callApi(node, 'GET', '/users/@me', undefined, asPlayer);
      expect(me).toMatchObject({ status: 200, body: { id: grace.id } });
    }
  });

  it('let one of two refreshes win that are raced at two nodes, and sign nobody out', async () => {
    const [a, b, c] = nodes;
    const { refresh_token } = await playerTokens(a, ada.id);
    const refresh = (node: Service) =>
      fetch(`${node.apiBase}/v10/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', client_id: app.id, refresh_token }),
      });
    const answers = await Promise.all([refresh(a), refresh(b), refresh(c)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    const bodies = (await Promise.all(answers.map(answer => answer.json()))) as { access_token?: string }[];
    const access_token = bodies.find(body => body.access_token !== undefined)?.access_token;
    const me = await callApi(c, 'GET', '/users/@me', undefined, { authorization: `Bearer ${access_token}` });
    expect(me.status).toBe(200);
  });

  it('deliver an interaction from one node to a bot at another, which answers at the third', async () => {
    const [a, b, c] = nodes;
    const path = `/applications/${app.id}/commands`;
    const command = (await callApi(c, 'POST', path, { name: 'ping', description: 'Answers.' })).body as never;
    const bot = await GatewayClient.identified(b.gateway, { token: botToken, intents: 1 });
    const user = await GatewayClient.identified(c.gateway, { token: await sessionToken(a, ada.id) });
    await useCommand(a, command, ada.id);
    const { id, token } = await bot.dispatch<{ id: string; token: string }>('INTERACTION_CREATE');
    const answer = { type: 4, data: { content: 'pong' } };
    expect((await callApi(c, 'POST', `/interactions/${id}/${token}/callback`, answer)).status).toBe(204);
    expect(await user.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'pong' });
    await Promise.all([bot.end(), user.end()]);
  });

  /** Answers an interaction with a file. @returns the path and query of its address */
  async function sendFile(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
    const [a, b] = nodes;
    const path = `/applications/${app.id}/commands`;
    const command = (await callApi(a, 'POST', path, { name: 'file', description: 'Answers.' })).body as never;
    const bot = await GatewayClient.identified(a.gateway, { token: botToken, intents: 1 });
    await useCommand(b, command, ada.id);
    const { id, token } = await bot.dispatch<{ id: string; token: string }>('INTERACTION_CREATE');
    const form = new FormData();
    form.set('payload_json', JSON.stringify({ type: 4, data: { content: 'see', attachments: [{ id: 0 }] } }));
    form.set('files[0]', new Blob([content], { type: 'text/plain' }), 'hello.txt');
    const answered = await fetch(`${b.apiBase}/v10/interactions/${id}/${token}/callback?with_response=true`, {
      method: 'POST',
      body: form,
    });
    const { resource } = (await answered.json()) as { resource: { message: { attachments: { url: string }[] } } };
    await bot.end();
    const { pathname, search } = new URL(resource.message.attachments[0]?.url ?? '');
    return pathname + search;
  }

  it('serve a file at another node than the one that received it', async () => {
    const [a, , c] = nodes;
    const address = await sendFile('hello');
    for (const node of [a, c]) {
      const found = await fetch(new URL(address, node.webBase));
      expect([found.status, found.headers.get('content-type'), await found.text()]).toEqual([
        200,
        'text/plain',
        'hello',
      ]);
    }
  });

  it('keep little of a large file in memory for a client that does not read', async () => {
    const [node] = nodes;
    const size = modelLimits.attachmentBytesMax;
    const address = await sendFile(new Uint8Array(size));
    const { hostname, port } = new URL(node.webBase);
    const before = heapBytes();
    const peers = Array.from({ length: 20 }, () => connect(Number(port), hostname));
    for (const peer of peers) {
      peer.write(`GET ${address} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
      await once(peer, 'readable');
    }
    // By then each answer has filled what the system buffers for a connection.
    for (let n = 0; n < 20; n++) expect((await fetch(`${node.webBase}/healthz`)).status).toBe(200);
    expect(heapBytes() - before).toBeLessThan(5 * size);
    const [reader, ...others] = peers as [Socket, ...Socket[]];
    for (const peer of others) peer.destroy();
    let received = 0;
    for await (const piece of reader) {
      received += (piece as Uint8Array).length;
      if (received > size) break;
    }
    expect(received).toBeGreaterThan(size);
  });

  it('close the sessions of all nodes when one is reset, and begin anew everywhere', async () => {
    const [a, b, c] = nodes;
    const { id } = await lobbyAt(b);
    const client = await GatewayClient.identified(b.gateway, { token: await sessionToken(a, ada.id) });
    expect((await control(a, 'POST', '/reset')).status).toBe(204);
    expect(await client.closed).toMatchObject({ code: closeCodes.SESSION_TIMED_OUT.code });
    for (const node of nodes) expect((await callApi(node, 'GET', `/lobbies/${id}`)).status).toBe(404);
    expect((await callApi(c, 'GET', '/applications/@me')).body).toMatchObject({ id: app.id });
  });

  it('arm a fault at one node, or at all', async () => {
    const [a, b, c] = nodes;
    const fault = { kind: 'status', status: 503, match: { route: 'createLobby' }, count: null };
    const statuses = () => Promise.all([b, c].map(async node => (await callApi(node, 'POST', '/lobbies', {})).status));
    await control(a, 'POST', '/faults', fault);
    expect(await statuses()).toEqual([201, 201]);
    await control(a, 'POST', '/faults', { ...fault, cluster: true });
    await expect.poll(statuses).toEqual([503, 503]);
    await control(b, 'DELETE', '/faults');
    await expect.poll(statuses).toEqual([201, 201]);
    await control(a, 'DELETE', '/faults');
    expect((await callApi(a, 'POST', '/lobbies', {})).status).toBe(201);
  });

  it('are ready, and say who they are', async () => {
    const metrics = await Promise.all(nodes.map(node => node.metrics()));
    const ids = metrics.map(text => /rallypoint_node_info\{id="([^"]+)"/.exec(text)?.[1]);
    expect(new Set(ids).size).toBe(3);
    for (const node of nodes) {
      const ready = await fetch(`${node.webBase}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([200, '{"status":"ready"}']);
    }
    expect(metrics[0]).toContain('rallypoint_engine_up{engine="redis"} 1');
    expect(metrics[0]).toMatch(/rallypoint_events_behind_seconds 0/);
    expect(metrics[0]).toMatch(/rallypoint_events_read_total \d/);
  });
});

describe.skipIf(engines.missing)(`nodes with the same fixtures${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(3, { fixtures: anonymous, limits });
  });
  afterAll(() => cluster?.close());

  it('store them once and show the same ids and secrets, later, too', async () => {
    const [first, ...others] = cluster.nodes.map(({ fixtures }) => fixtures);
    for (const other of others) expect(other).toEqual(first);
    const application = first?.applications[0];
    expect(application).toMatchObject({ bot_token: expect.any(String), client_secret: expect.any(String) });
    const headers = { authorization: `Bot ${application?.bot_token}` };
    await callApi(
      cluster.node(1),
      'PATCH',
      '/applications/@me',
      { description: 'changed' },
      { ...botHeaders, ...headers },
    );
    const late = await cluster.add();
    expect(late.fixtures).toEqual(first);
    // It was stored once: what was changed since stays.
    const me = await callApi(late, 'GET', '/applications/@me', undefined, headers);
    expect(me).toMatchObject({ status: 200, body: { id: application?.id, description: 'changed' } });
    const posted = await control(late, 'POST', '/fixtures', { applications: [{ id: application?.id }] });
    expect(await posted.json()).toMatchObject({ applications: [{ bot_token: application?.bot_token }] });
  });

  it('accept documents after one whose last entries contradict what is stored', async () => {
    const application_id = cluster.node(0).fixtures.applications[0]?.id;
    const users = Array.from({ length: 251 }, (_, at) => ({ id: String(700 + at), username: `crew-${at}` }));
    const profiles = users.map(({ id }) => ({ application_id, user_id: id, external_user_id: `crew/${id}` }));
    const [first, ...others] = profiles;
    const last = { ...profiles.at(-1), external_user_id: first?.external_user_id };
    const known = { users: users.slice(0, 1), application_profiles: [first] };
    expect((await control(cluster.node(0), 'POST', '/fixtures', known)).status).toBe(200);
    const wrong = { users, application_profiles: [...others.slice(0, -1), last] };
    const rejected = await control(cluster.node(0), 'POST', '/fixtures', wrong);
    expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining('the external id')]);
    expect((await control(cluster.node(1), 'POST', '/fixtures', known)).status).toBe(200);
    const right = { users, application_profiles: profiles };
    expect((await control(cluster.node(1), 'POST', '/fixtures', right)).status).toBe(200);
    const present = await (await control(cluster.node(2), 'GET', '/fixtures')).json();
    expect((present as { application_profiles: unknown[] }).application_profiles).toHaveLength(profiles.length);
  });

  it('count calls together, up to the limit exactly', async () => {
    const headers = { ...botHeaders, authorization: `Bot ${cluster.node(0).fixtures.applications[0]?.bot_token}` };
    const calls = Array.from({ length: 30 }, (_, at) => callApi(cluster.node(at % 3), 'POST', '/lobbies', {}, headers));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter(status => status === 201)).toHaveLength(20);
    expect(statuses.filter(status => status === 429)).toHaveLength(10);
  });

  it('report no more wrong secrets than the limit allows, however they are spread', async () => {
    const { id } = cluster.node(0).fixtures.applications[0] ?? {};
    const attempt = async (at: number) => {
      const answer = await fetch(`${cluster.node(at % 3).apiBase}/v10/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:wrong`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'identify' }),
      });
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 18 }, (_, at) => attempt(at)));
    expect(statuses.filter(status => status === 401)).toHaveLength(4);
    expect(statuses.filter(status => status === 429)).toHaveLength(14);
  });
});

describe.skipIf(engines.missing)(`nodes that a stranger asks${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(3, { fixtures: anonymous, limits });
  });
  afterAll(() => cluster?.close());

  it('reject no more requests than the limit, and then block the address, whichever was asked', async () => {
    const attempt = async (at: number) => {
      const wrong = { authorization: 'Bot wrong' };
      return (await callApi(cluster.node(at % 3), 'GET', '/applications/@me', undefined, wrong)).status;
    };
    const statuses = await Promise.all(Array.from({ length: 90 }, (_, at) => attempt(at)));
    expect(statuses.filter(status => status === 401)).toHaveLength(60);
    expect(statuses.filter(status => status === 403)).toHaveLength(30);
    for (const at of [0, 1, 2]) expect(await attempt(at)).toBe(403);
  });
});

describe.skipIf(engines.missing)(`nodes at which somebody guesses a password${engines.note}`, () => {
  const password = 'correct horse battery';
  const addresses = 8;
  const perPair = 5;
  const perName = 20;
  const attempts = {
    'sign-in-user': { requests: perPair, windowMs: 60_000 },
    'sign-in-name': { requests: perName, windowMs: 60_000 },
  };
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(3, {
      fixtures: { applications: [app], users: [{ ...ada, password }] },
      limits: { ...limitProfiles.off, buckets: attempts },
      signIn: 'password',
      trustedProxies: ['127.0.0.1'],
    });
  });
  afterAll(() => cluster?.close());

  /** Signs in at one node after the other. @returns the status */
  async function signIn(at: number, address: string, given: string): Promise<number> {
    const { webBase } = cluster.node(at % 3);
    const browser = new Browser({ 'x-forwarded-for': address });
    const query = new URLSearchParams({
      ...{
        client_id: app.id,
        response_type: 'code',
        scope: 'identify',
        redirect_uri: 'http://127.0.0.1:4321/callback',
      },
      ...{ code_challenge: codeChallengeOf('v'.repeat(43)), code_challenge_method: 'S256' },
    });
    const page = await browser.get(`${webBase}/oauth2/authorize?${query}`);
    return (await browser.submit(page, webBase, '/oauth2/sign-in', { name: ada.username, password: given })).status;
  }

  it('report no more wrong ones for a name than the limit allows, then one for each new address', async () => {
    const guess = (at: number) => signIn(at, `198.51.100.${at % addresses}`, 'nonsense');
    const first = await Promise.all(Array.from({ length: addresses }, (_, at) => guess(at)));
    expect(first).toEqual(first.map(() => 403));
    const more = Array.from({ length: addresses * (perPair - 1) }, (_, at) => guess(at));
    const own = signIn(0, '203.0.113.1', password);
    const statuses = await Promise.all(more);
    expect(statuses.filter(status => status === 403)).toHaveLength(perName - addresses);
    expect(statuses.filter(status => status === 429)).toHaveLength(more.length - (perName - addresses));
    expect(await own).toBe(303);
    const late = await Promise.all(Array.from({ length: 6 }, (_, at) => signIn(at, '203.0.113.66', 'nonsense')));
    expect(late.toSorted()).toEqual([403, 429, 429, 429, 429, 429]);
    expect(await signIn(1, '203.0.113.2', password)).toBe(303);
    // Dozens of slow hashes, whose time depends on what else the machine does.
  }, 120_000);
});
