import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../src/model/command.ts';
import { capabilities, intents, opcodes, type PlayerReady } from '../../src/model/gateway.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { databaseIn } from '../../src/service/store/data-folder.ts';
import { hashSecret } from '../../src/service/support/secret.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { type LogLine, recordingLog } from '../support/recording-log.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken, playerTokens, sessionToken } from '../support/service/tokens.ts';

const [ada, grace] = starfall.users.map(({ id }) => id);
const application = starfall.applications[0].id;
const idleSeconds = 300;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let lines: LogLine[];
const clients: GatewayClient[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  service = await start();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
  await service.close();
  await folder.remove();
});

async function start(virtualFromMs?: number): Promise<Service> {
  const recorded = recordingLog();
  lines = recorded.lines;
  const clock = virtualFromMs === undefined ? 'virtual' : { virtualFromMs };
  // The document of the fixtures would make anew what cannot be read.
  const fixtures = virtualFromMs === undefined ? { fixtures: starfall } : {};
  return startService({ ...fixtures, limits: 'off', clock, data: folder.path, log: recorded.log });
}

/** Ends the service, changes its database by hand, and starts it again. */
async function restartAfter(...statements: readonly (readonly [sql: string, ...values: string[]])[]): Promise<void> {
  const nowMs = service.clock.now();
  for (const client of clients.splice(0)) client.socket.terminate();
  await service.close();
  const database = new DatabaseSync(databaseIn(folder.path));
  for (const [sql, ...values] of statements) expect(database.prepare(sql).run(...values).changes).toBe(1);
  database.close();
  service = await start(nowMs);
}

async function createLobby(...users: (string | undefined)[]): Promise<string> {
  const members = users.map(id => ({ id }));
  const { body } = await callApi(service, 'POST', '/lobbies', { members, idle_timeout_seconds: idleSeconds });
  return (body as { id: string }).id;
}

async function connect(user = ''): Promise<GatewayClient> {
  const token = `Bearer ${await playerToken(service, user)}`;
  const client = await GatewayClient.identified(service.gateway, {
    token,
    capabilities: capabilities.AUTO_LOBBY_CONNECT,
    intents: intents.LOBBIES,
  });
  clients.push(client);
  return client;
}

const errors = () => lines.filter(({ level }) => level === 'error');
const statusOf = async (path: string) => (await callApi(service, 'GET', path)).status;

// Readable as JSON and by its keys, but nothing can be made of it.
const hollow = (id: string, expiresAtMs: number) =>
  JSON.stringify({
    ...{ id, application_id: application, secret_hash: null, secret_expires_at_ms: null },
    ...{
      linked_guild_id: null,
      linked_channel_id: null,
      expires_at_ms: expiresAtMs,
      link: 5,
      metadata: 7,
      attended: 0,
    },
  });

describe('a lobby whose record cannot be decoded', () => {
  it('does not keep the other lobbies from ending, nor its members from connecting, and is named in the log', async () => {
    const broken = await createLobby(ada, grace);
    const others = [await createLobby(ada), await createLobby(grace), await createLobby()];
    await restartAfter(['UPDATE lobbies SET body = ? WHERE id = ?', '{"id":', broken]);

    const client = await connect(ada);
    const { lobbies } = await client.dispatch<PlayerReady>('READY');
    expect(lobbies?.map(({ id }) => id)).toEqual([others[0]]);
    expect(await statusOf(`/lobbies/${broken}`)).toBe(404);
    client.socket.terminate();
    await client.closed;
    await service.clock.advance(2 * idleSeconds * 1000 + 5000);
    for (const id of others) expect(await statusOf(`/lobbies/${id}`)).toBe(404);
    expect(errors()).toMatchObject([{ code: 'record_unreadable', collection: 'lobbies', id: broken }]);
  });

  it('does neither when nothing but its keys can be read', async () => {
    const broken = await createLobby(ada, grace);
    const others = [await createLobby(ada), await createLobby(grace), await createLobby()];
    const body = hollow(broken, service.clock.now());
    const time = String(service.clock.now());
    await restartAfter([`UPDATE lobbies SET body = ?, expires_at_ms = ${time} WHERE id = ?`, body, broken]);
    const client = await connect(ada);
    expect(client.names).toContain('READY');
    client.socket.terminate();
    await client.closed;
    await service.clock.advance(2 * idleSeconds * 1000 + 5000);
    for (const id of others) expect(await statusOf(`/lobbies/${id}`)).toBe(404);
  });
});

describe('other records that cannot be decoded', () => {
  it('of a member leave its lobby to the others', async () => {
    const lobby = await createLobby(ada, grace);
    await restartAfter(['UPDATE lobby_members SET body = ? WHERE user_id = ?', 'x', String(grace)]);
    const { lobbies } = await (await connect(ada)).dispatch<PlayerReady>('READY');
    expect(lobbies?.map(({ id }) => id)).toEqual([lobby]);
    expect(errors()).toMatchObject([{ collection: 'lobby_members', id: `${lobby}/${grace}` }]);
  });

  it('of a user, a guild and a guild member leave the others what they have', async () => {
    const lobby = await createLobby(ada, grace);
    await restartAfter(
      ['UPDATE users SET body = ? WHERE id = ?', 'x', String(grace)],
      ['UPDATE guilds SET body = ? WHERE id = ?', 'x', starfall.guilds[0].id],
      ['UPDATE guild_members SET body = ? WHERE user_id = ?', 'x', String(grace)],
    );
    const { lobbies } = await (await connect(ada)).dispatch<PlayerReady>('READY');
    expect(lobbies?.map(({ id }) => id)).toEqual([lobby]);
    expect(await statusOf(`/lobbies/${lobby}`)).toBe(200);
    const bot = await GatewayClient.identified(service.gateway, {
      token: starfall.applications[0].bot_token,
      intents: intents.GUILDS,
    });
    clients.push(bot);
    await bot.beat();
    expect(await statusOf(`/guilds/${starfall.guilds[0].id}`)).toBe(404);
    expect(errors().map(({ collection }) => collection)).toEqual(expect.arrayContaining(['users', 'guilds']));
    expect(errors().filter(({ code }) => code !== 'record_unreadable')).toEqual([]);
  });

  it('of a token rejects that token, and of a session makes its client identify again', async () => {
    const token = `Bearer ${await playerToken(service, String(ada))}`;
    const client = await connect(grace);
    const other = await connect(ada);
    const session = other.sessionId;
    client.socket.terminate();
    await restartAfter(
      ['UPDATE gateway_sessions SET body = ? WHERE id = ?', '[]', session],
      ['UPDATE tokens SET body = ? WHERE hash = ?', '', hashSecret(token.replace('Bearer ', ''))],
    );
    const { status } = await callApi(service, 'GET', '/users/@me', undefined, { authorization: token });
    expect(status).toBe(401);
    const resumed = await GatewayClient.open(service.gateway);
    clients.push(resumed);
    resumed.resume(`Bearer ${await playerToken(service, String(ada))}`, session, 1);
    await resumed.frame(({ op }) => op === opcodes.INVALID_SESSION);
    expect(errors().map(({ collection }) => collection)).toContain('gateway_sessions');
  });

  it('of an event that a session needs end the session, because it would miss the event', async () => {
    const lobby = await createLobby(ada);
    const token = `Bearer ${await playerToken(service, String(ada))}`;
    const client = await GatewayClient.identified(service.gateway, { token, intents: intents.LOBBIES });
    clients.push(client);
    await client.beat();
    const { sessionId, sequence } = client;
    await callApi(service, 'PATCH', `/lobbies/${lobby}`, { metadata: { edit: '1' } });
    await callApi(service, 'PATCH', `/lobbies/${lobby}`, { metadata: { edit: '2' } });
    await client.until(() => client.names.filter(name => name === 'LOBBY_UPDATE').length === 2);
    await restartAfter([
      `UPDATE gateway_events SET body = ? WHERE (revision, number) = (
         SELECT revision, number FROM gateway_events WHERE body LIKE ? ORDER BY revision LIMIT 1)`,
      'x',
      '%LOBBY_UPDATE%',
    ]);
    const resumed = await GatewayClient.open(service.gateway);
    clients.push(resumed);
    resumed.resume(token, sessionId, sequence);
    await resumed.frame(({ op }) => op === opcodes.INVALID_SESSION);
    expect(lines.map(({ message }) => message)).toContain(
      'Not all stored events can be read; these sessions are closed, and their clients identify again.',
    );
  });

  it('of the key that signs ID tokens make way for a new key', async () => {
    const before = await (await fetch(`${service.apiBase}/oauth2/keys`)).json();
    await restartAfter(["UPDATE settings SET body = ? WHERE name = 'oauth_signing_key'", 'x']);
    const after = (await (await fetch(`${service.apiBase}/oauth2/keys`)).json()) as { keys: unknown[] };
    expect(after.keys).toHaveLength(1);
    expect(after).not.toEqual(before);
    await restartAfter([
      "UPDATE settings SET body = ? WHERE name = 'oauth_signing_key'",
      '{"name":"oauth_signing_key","value":{"kty":"RSA"}}',
    ]);
    const again = (await (await fetch(`${service.apiBase}/oauth2/keys`)).json()) as { keys: { n: string }[] };
    expect(again.keys[0]?.n).toBeTypeOf('string');
    expect(errors()).toMatchObject([{ code: 'record_unreadable', collection: 'settings', id: 'oauth_signing_key' }]);
  });

  it('of an application that cannot sign any more fail what is sent to it, and nothing else', async () => {
    const { body } = await callApi(service, 'POST', `/applications/${application}/commands`, {
      ...{ name: 'rally', description: 'Calls your party together' },
    });
    const endpoint = 'http://127.0.0.1:9/interactions';
    await restartAfter([
      "UPDATE applications SET body = json_set(body, '$.signing_key', ?, '$.interactions_endpoint_url', ?)",
      'x',
      endpoint,
    ]);
    const player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, String(ada)) });
    clients.push(player);
    await useCommand(service, body as Command, String(ada));
    await player.dispatch('INTERACTION_FAILURE');
    expect(errors()).toMatchObject([{ application, message: 'An interaction could not be sent.' }]);
    expect(await statusOf(`/applications/${application}/commands`)).toBe(200);
  });
});

describe('records of another shape', () => {
  const guild = starfall.guilds[0].id;

  /** The statement that replaces a field; the values of `where` are the first record's. */
  function setField(collection: string, field: string, value: unknown, where: string) {
    const json = JSON.stringify(value);
    return [`UPDATE ${collection} SET body = json_set(body, '$.${field}', json(?)) WHERE ${where}`, json] as const;
  }

  it.each([
    ['applications', { 1: 2 }],
    ['applications', [5]],
    ['roles', null],
    ['roles', [null]],
    ['channels', 'general'],
  ])('of a guild (%s: %j) leave its members and its bot what they have elsewhere', async (field, value) => {
    const lobby = await createLobby(ada, grace);
    await restartAfter(setField('guilds', field, value, `id = '${guild}'`));
    const { lobbies } = await (await connect(ada)).dispatch<PlayerReady>('READY');
    expect(lobbies?.map(({ id }) => id)).toEqual([lobby]);
    const { bot_token: token } = starfall.applications[0];
    const bot = await GatewayClient.identified(service.gateway, { token, intents: intents.GUILDS });
    clients.push(bot);
    await bot.beat();
    expect(await statusOf(`/guilds/${guild}`)).toBe(404);
    expect(errors()).toMatchObject([{ code: 'record_unreadable', collection: 'guilds', id: guild }]);
  });

  it('of a guild member leave the others in the list', async () => {
    await restartAfter(setField('guild_members', 'joined_at_ms', 'long ago', `user_id = '${grace}'`));
    const { status, body } = await callApi(service, 'GET', `/guilds/${guild}/members?limit=100`);
    expect({ status, ids: (body as { user: { id: string } }[]).map(({ user }) => user.id) }).toMatchObject({
      ...{ status: 200, ids: expect.arrayContaining([ada]) },
    });
    expect(errors()).toMatchObject([{ collection: 'guild_members', id: `${guild}/${grace}` }]);
  });

  it.each([
    ['contexts', 5],
    ['integration_types', {}],
    ['options', [null]],
  ])('of a command (%s: %j) leave the others in the list and in the index', async (field, value) => {
    const commands = `/applications/${application}/commands`;
    const create = (name: string) => callApi(service, 'POST', commands, { name, description: 'Calls your party' });
    const { id } = (await create('rally')).body as { id: string };
    await create('scout');
    await restartAfter(setField('commands', field, value, `id = '${id}'`));
    const { body } = await callApi(service, 'GET', commands);
    expect((body as { name: string }[]).map(({ name }) => name)).toEqual(['Launch', 'scout']);
    const session = { authorization: await sessionToken(service, String(ada)) };
    const index = await callApi(service, 'GET', `/guilds/${guild}/application-command-index`, undefined, session);
    expect(index.status).toBe(200);
    expect(errors()).toMatchObject([{ collection: 'commands', id }]);
  });

  it.each([
    ['username', null],
    ['global_name', 5],
  ])('of a user (%s: %j) leave the others on the page on which one signs in', async (field, value) => {
    await restartAfter(setField('users', field, value, `id = '${grace}'`));
    const redirect = encodeURIComponent(starfall.applications[0].redirect_uris[0]);
    const query = `response_type=code&client_id=${application}&redirect_uri=${redirect}&scope=identify`;
    const challenge = `code_challenge_method=S256&code_challenge=${'a'.repeat(43)}`;
    const page = await fetch(`${service.webBase}/oauth2/authorize?${query}&${challenge}&state=x`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Ada');
    expect(errors()).toMatchObject([{ collection: 'users', id: grace }]);
  });

  it('of a message leave the lobby the others', async () => {
    const lobby = await createLobby(ada);
    const authorization = `Bearer ${await playerToken(service, String(ada))}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const send = (content: string) => callApi(service, 'POST', `/lobbies/${lobby}/messages`, { content }, headers);
    await send('first');
    const { id } = (await send('second')).body as { id: string };
    await restartAfter(setField('lobby_messages', 'message', null, `id = '${id}'`));
    const { body } = await callApi(service, 'GET', `/lobbies/${lobby}/messages`, undefined, headers);
    expect(body).toMatchObject([{ content: 'first' }]);
  });

  it.each([
    ['scopes', {}],
    ['application_id', 5],
  ])('of a token (%s: %j) reject it, so that its owner signs in again', async (field, value) => {
    const token = await playerToken(service, String(ada));
    await restartAfter(setField('tokens', field, value, `hash = '${hashSecret(token)}'`));
    const authorization = `Bearer ${token}`;
    expect((await callApi(service, 'GET', '/users/@me', undefined, { authorization })).status).toBe(401);
    expect(errors()).toMatchObject([{ code: 'record_unreadable', collection: 'tokens' }]);
  });

  it('of an authorization leave the application the others', async () => {
    await playerToken(service, String(ada));
    await playerToken(service, String(grace));
    await restartAfter(setField('authorizations', 'scopes', {}, `user_id = '${grace}'`));
    expect(await statusOf('/applications/@me')).toBe(200);
    expect(errors()).toMatchObject([{ collection: 'authorizations' }]);
  });

  it.each([
    ['name', 5],
    ['owner_id', null],
    ['redirect_uris', [null]],
    ['integration_types', {}],
    ['event_webhooks_url', {}],
  ])(
    'of an application (%s: %j) are set aside, so that its calls are rejected instead of failing',
    async (field, value) => {
      await restartAfter(setField('applications', field, value, `id = '${application}'`));
      expect(await statusOf(`/applications/${application}/commands`)).toBe(401);
      const authorize = `${service.webBase}/oauth2/authorize?client_id=${application}&response_type=code`;
      expect((await fetch(authorize)).status).toBe(400);
      expect(errors()).toMatchObject([{ code: 'record_unreadable', collection: 'applications', id: application }]);
    },
  );

  it.each([
    ['token_hash', 5],
    ['owners', null],
    ['owners', { 0: {} }],
    ['channel_id', {}],
    ['source', {}],
    ['modal', 'open'],
  ])('of an interaction (%s: %j) end it, so that its calls are rejected instead of failing', async (field, value) => {
    const { body } = await callApi(service, 'POST', `/applications/${application}/commands`, {
      ...{ name: 'rally', description: 'Calls your party together' },
    });
    const { bot_token: token } = starfall.applications[0];
    const bot = await GatewayClient.identified(service.gateway, { token, intents: 0 });
    clients.push(bot);
    await useCommand(service, body as Command, String(ada));
    const interaction = await bot.dispatch<{ id: string; token: string }>('INTERACTION_CREATE');
    await restartAfter(setField('interactions', field, value, `id = '${interaction.id}'`));
    const callback = `/interactions/${interaction.id}/${interaction.token}/callback`;
    const { status } = await callApi(service, 'POST', callback, { type: 4, data: { content: 'On the way!' } });
    expect(status).toBe(404);
    expect(await statusOf(`/webhooks/${application}/${interaction.token}/messages/@original`)).toBe(401);
    expect(errors()).toMatchObject([{ collection: 'interactions', id: interaction.id }]);
  });

  it.each([
    ['link', {}],
    ['link', 5],
    ['link', { by: '9', at_ms: 'yesterday', channel: {} }],
    ['idle_timeout_seconds', 'long'],
  ])('of a lobby (%s: %j) leave its members the others', async (field, value) => {
    const broken = await createLobby(ada);
    const whole = await createLobby(ada);
    await restartAfter(setField('lobbies', field, value, `id = '${broken}'`));
    expect((await callApi(service, 'PATCH', `/lobbies/${broken}`, { flags: 1 })).status).toBe(404);
    const { lobbies } = await (await connect(ada)).dispatch<PlayerReady>('READY');
    expect(lobbies?.map(({ id }) => id)).toEqual([whole]);
    expect(errors()).toMatchObject([{ collection: 'lobbies', id: broken }]);
  });

  it.each([
    ['current_hash', 5],
    ['previous', {}],
  ])('of a refresh token (%s: %j) reject it, so that its owner signs in again', async (field, value) => {
    const { refresh_token } = await playerTokens(service, String(ada));
    await restartAfter(setField('tokens', field, value, "json_extract(body, '$.kind') = 'refresh'"));
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: application, refresh_token });
    const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, { method: 'POST', body });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      ...{ status: 400, body: { error: 'invalid_grant' } },
    });
    expect(errors()).toMatchObject([{ collection: 'tokens' }]);
  });

  it.each([
    ['base', {}],
    ['client', null],
    ['detached_at_ms', 'yesterday'],
  ])('of a gateway session (%s: %j) make its client identify again', async (field, value) => {
    const client = await connect(ada);
    const { sessionId } = client;
    await restartAfter(setField('gateway_sessions', field, value, `id = '${sessionId}'`));
    const resumed = await GatewayClient.open(service.gateway);
    clients.push(resumed);
    resumed.resume(`Bearer ${await playerToken(service, String(ada))}`, sessionId, 1);
    await resumed.frame(({ op }) => op === opcodes.INVALID_SESSION);
    expect(errors()).toMatchObject([{ collection: 'gateway_sessions', id: sessionId }]);
  });

  it("of a command's permissions leave the command without them", async () => {
    const insert = `INSERT INTO command_overwrites (guild_id, application_id, target_id, body) VALUES (?, ?, ?, ?)`;
    const record = { guild_id: guild, application_id: application, target_id: application, permissions: [null] };
    await restartAfter([insert, guild, application, application, JSON.stringify(record)]);
    const path = `/applications/${application}/guilds/${guild}/commands/permissions`;
    expect(await callApi(service, 'GET', path)).toMatchObject({ status: 200, body: [] });
    expect(errors()).toMatchObject([{ collection: 'command_overwrites' }]);
  });

  it('of an authorization code reject it', async () => {
    const insert = 'INSERT INTO codes (hash, expires_at_ms, body) VALUES (?, ?, ?)';
    const [redirect_uri] = starfall.applications[0].redirect_uris;
    const expires_at_ms = service.clock.now() + 60_000;
    const record = {
      ...{ hash: hashSecret('code'), authorization_id: '1', application_id: application, user_id: ada, redirect_uri },
      ...{ scopes: ['identify'], code_challenge: 5, nonce: null, guild_id: null, expires_at_ms, used: false },
    };
    await restartAfter([insert, record.hash, String(expires_at_ms), JSON.stringify(record)]);
    const proof = { redirect_uri, code_verifier: 'v'.repeat(64) };
    const form = { grant_type: 'authorization_code', client_id: application, code: 'code', ...proof };
    const answer = await fetch(`${service.apiBase}/v10/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      ...{ status: 400, body: { error: 'invalid_grant' } },
    });
    expect(errors()).toMatchObject([{ collection: 'codes' }]);
  });
});
