import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type SpecData, Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { allIntents } from '../../../src/model/gateway.ts';
import { type Fixtures, type Service, startService } from '../../../src/service/index.ts';
import { consoleLimits } from '../../../src/service/support/service-limits.ts';
import { readRecording } from '../../../src/testing/recording/recording.ts';
import type { ActAs } from '../../../src/wire/control/act.ts';
import type { TrafficEntry } from '../../../src/wire/control/traffic.ts';
import { isShared } from '../../support/engines/is-shared.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { startLoopbackServer } from '../../support/http/loopback-server.ts';
import { ControlStream, control, sendControl } from '../../support/service/control-client.ts';
import { callApi, starfall } from '../../support/service/starfall.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const [guild] = starfall.guilds;
const bot: ActAs = { kind: 'bot', application_id: application.id };
const adasGame: ActAs = { kind: 'user', application_id: application.id, user_id: ada.id };

interface ControlDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ControlOperation>>>>;
}

interface ControlOperation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: unknown }>> }>
  >;
}

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, clock: 'virtual', limits: 'off', console: true });
});
afterAll(() => service.close());

/** Acts as somebody; the answer's body. */
async function act<Body>(as: ActAs, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await control(service, 'POST /call', {}, { as, method, path, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body as Body;
}

const createLobby = (input: object = {}) => act<{ id: string }>(bot, 'POST', '/lobbies', input);

describe('the control API for the console', () => {
  it('says what runs, counts it, and names what is wrong', async () => {
    const { version } = service.readyLine;
    expect(await control(service, 'GET /status')).toMatchObject({
      ...{ version, pid: process.pid, sign_in: 'developer', limits: { name: 'off' } },
      cluster: isShared ? { node: expect.any(String) } : null,
      clock: { kind: 'virtual', now_ms: service.clock.now() },
      addresses: { control_base: service.controlBase },
      counts: { users: { count: starfall.users.length, is_more: false }, guilds: { count: 1, is_more: false } },
    });
    service.faults.add({ kind: 'status', status: 503, count: null });
    onTestFinished(() => service.faults.clear());
    await callApi(service, 'GET', '/gateway/bot');
    const { problems } = await control(service, 'GET /status');
    expect(problems.map(({ severity, code, link }) => [severity, code, link])).toEqual(
      expect.arrayContaining([
        ['error', 'server_errors', '#/traffic?status=5xx'],
        ['warning', 'faults_armed', '#/time'],
      ]),
    );
  });

  it('lets every kind of caller act through the API with its checks and its limits', async () => {
    const { id } = await createLobby({ members: [{ id: ada.id }] });
    const said = await act<{ author: { id: string } }>(adasGame, 'POST', `/lobbies/${id}/messages`, {
      content: 'Ahoy',
    });
    expect(said.author.id).toBe(ada.id);
    const client: ActAs = { kind: 'session', user_id: ada.id };
    const index = await act<{ application_commands: { name: string }[] }>(
      client,
      'GET',
      `/guilds/${guild.id}/application-command-index`,
    );
    expect(index.application_commands.map(({ name }) => name)).toEqual(['Launch']);
    // Someone who is no member may not.
    const stranger: ActAs = { ...adasGame, user_id: edsger.id } as ActAs;
    const call = { as: stranger, method: 'POST', path: `/lobbies/${id}/messages`, body: { content: 'Boo' } };
    const refused = await control(service, 'POST /call', {}, call);
    expect(refused).toMatchObject({ status: 403, body: { code: expect.any(Number) } });
    const entry = await control(service, 'GET /traffic/{id}', { id: String(refused.traffic_id) });
    expect(entry.entry).toMatchObject({ kind: 'request', status: 403, is_acted: true, user_id: edsger.id });
    expect(entry.request?.headers.authorization).toBe('Bearer masked');
  });

  it('ends what it acts with as soon as the call is over, and accepts no such credential otherwise', async () => {
    const answer = await callApi(service, 'GET', '/gateway/bot', undefined, { authorization: 'Bot acting.guess' });
    expect(answer.status).toBe(401);
  });

  it('rejects acting as nobody, and says what is wrong in a body and where', async () => {
    const call = { as: bot, method: 'GET', path: '/gateway/bot' };
    expect(
      await sendControl(service, 'POST', '/call', { ...call, as: { kind: 'bot', application_id: '404' } }),
    ).toMatchObject({ status: 404, body: { message: 'There is no application 404.' } });
    const wrong = await sendControl(service, 'POST', '/call', { ...call, path: 'gateway' });
    expect(wrong).toMatchObject({ status: 400, body: { issues: [{ path: ['path'], code: 'unreadable' }] } });
    const plain = await sendControl(service, 'POST', '/call', { ...call, path: 'gateway' }, { prefer: '' });
    expect(plain.body).toEqual({ message: expect.any(String) });
  });

  it('sends the files of a call as a form, as clients do', async () => {
    const content = Buffer.from('a file').toString('base64');
    const answer = await control(
      service,
      'POST /call',
      {},
      {
        as: { kind: 'session', user_id: ada.id },
        ...{ method: 'POST', path: '/interactions' },
        body: { type: 2, application_id: application.id, channel_id: guild.channels[0].id },
        files: [{ filename: 'a.txt', content, content_type: 'text/plain' }],
      },
    );
    // It is read as a form: what is missing in it is found by the rules of interactions.
    expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: expect.any(Object) } });
    const details = await control(service, 'GET /traffic/{id}', { id: String(answer.traffic_id) });
    expect(JSON.stringify(details.request?.body)).not.toContain('a file');
  });

  it('finds lobbies by id, metadata, member and application, page by page', async () => {
    const map = 'hangar of lists';
    const made = [];
    for (const n of [1, 2, 3])
      made.push(await createLobby({ metadata: { map, n: String(n) }, members: [{ id: grace.id }] }));
    const ids = made.map(({ id }) => id).sort();
    const find = async (query: Record<string, string>) => {
      const found = await control(service, 'GET /lobbies', query);
      return found.lobbies.map(({ id }) => id);
    };
    expect(await find({ search: 'HANGAR of' })).toEqual(ids);
    expect(await find({ search: ids[1] ?? '' })).toEqual([ids[1]]);
    expect(await find({ search: grace.id })).toEqual(expect.arrayContaining(ids));
    expect(await find({ user_id: grace.id, search: 'hangar' })).toEqual(expect.arrayContaining(ids));
    expect(await find({ application_id: '404' })).toEqual([]);
    const first = await control(service, 'GET /lobbies', { search: 'hangar of', limit: '2' });
    expect(first).toMatchObject({ searched: expect.any(Number), truncated: false, total: expect.any(Number) });
    const second = await control(service, 'GET /lobbies', { search: 'hangar of', after: first.next ?? '' });
    expect([...first.lobbies, ...second.lobbies].map(({ id }) => id)).toEqual(ids);
    expect(await sendControl(service, 'GET', '/lobbies', undefined, { prefer: '' })).toMatchObject({
      body: { lobbies: expect.arrayContaining([expect.not.objectContaining({ message_count: 0 })]) },
    });
  });

  it('looks at a bounded number of records for one page of a search', async () => {
    const users = Array.from({ length: consoleLimits.searchedRecordsMax + 300 }, (_, n) => ({
      username: `crowd-${n}`,
    }));
    await control(service, 'POST /fixtures', {}, { users: [...users, { username: 'needle' }] });
    const names: string[] = [];
    let query: Record<string, string> = { search: 'needle' };
    let pages = 0;
    for (;;) {
      const { users: found, next, searched = 0, truncated } = await control(service, 'GET /users', query);
      pages++;
      names.push(...found.map(({ username }) => username));
      expect(searched).toBeLessThanOrEqual(consoleLimits.searchedRecordsMax + 250);
      if (next === null) break;
      expect(truncated).toBe(true);
      query = { ...query, after: next };
    }
    expect(names).toEqual(['needle']);
    expect(pages).toBe(2);
  });

  it('shows one lobby with its members, presence, call, messages and timers', async () => {
    const { id } = await createLobby({
      members: [{ id: ada.id, metadata: { team: 'red' } }],
      idle_timeout_seconds: 60,
    });
    await act(adasGame, 'POST', `/lobbies/${id}/messages`, { content: '<b>Ahoy</b>' });
    const { token } = await control(
      service,
      'POST /users/{id}/session',
      { id: ada.id },
      { application_id: application.id },
    );
    const client = await GatewayClient.identified(service.gateway, { token: `Bearer ${token}` });
    onTestFinished(() => client.socket.close());
    const lobby = await control(service, 'GET /lobbies/{id}', { id });
    expect(lobby).toMatchObject({
      ...{ id, application_id: application.id, connected_count: 1, message_count: 1, link: null, call: [] },
      members: [{ id: ada.id, username: 'ada', metadata: { team: 'red' }, connected: true }],
      messages: [{ content: '<b>Ahoy</b>', author: { id: ada.id } }],
      timers: [{ kind: 'idle_end', is_running: false }],
    });
    expect(await sendControl(service, 'GET', '/lobbies/404')).toMatchObject({ status: 404 });
  });

  it('shows applications without their secrets, and shows a new one once', async () => {
    const details = await control(service, 'GET /applications/{id}', { id: application.id });
    expect(details).toMatchObject({ name: 'Starfall', has_bot: true, has_client_secret: true, guild_ids: [guild.id] });
    expect(JSON.stringify(details)).not.toMatch(/_hash|signing_key/);
    const { client_secret, ...rest } = await control(
      service,
      'POST /applications/{id}/rotate',
      { id: application.id },
      {
        credential: 'client_secret',
      },
    );
    expect(client_secret?.length).toBeGreaterThan(20);
    expect(rest).toEqual({});
    const log = JSON.stringify(await control(service, 'GET /traffic', { limit: '1000' }));
    expect(log).toContain('/rotate');
    expect(log).not.toContain(client_secret);
  });

  it('shows what a user granted, and ends it', async () => {
    const { token } = await control(
      service,
      'POST /users/{id}/session',
      { id: grace.id },
      {
        ...{ application_id: application.id, scopes: ['identify', 'lobbies.write'] },
      },
    );
    const asGrace = { authorization: `Bearer ${token}` };
    expect(await callApi(service, 'GET', '/users/@me', undefined, asGrace)).toMatchObject({ status: 200 });
    const { authorizations } = await control(service, 'GET /users/{id}/authorizations', { id: grace.id });
    expect(authorizations).toMatchObject([
      { application_name: 'Starfall', scopes: ['identify', 'lobbies.write'], tokens: [{ kind: 'access' }] },
    ]);
    const id = authorizations[0]?.id ?? '';
    await control(service, 'DELETE /authorizations/{id}', { id });
    expect(await callApi(service, 'GET', '/users/@me', undefined, asGrace)).toMatchObject({ status: 401 });
    expect(await sendControl(service, 'DELETE', `/authorizations/${id}`)).toMatchObject({ status: 404 });
  });

  it('shows guilds with their channels and members, who can be searched', async () => {
    expect(await control(service, 'GET /guilds/{id}', { id: guild.id })).toMatchObject({
      roles: [{ id: guild.id, name: '@everyone' }],
      channels: [{ id: guild.channels[0].id, linked_lobby_id: null }],
    });
    const { members } = await control(service, 'GET /guilds/{id}/members', { id: guild.id });
    expect(members.map(({ username, is_bot }) => [username, is_bot])).toEqual([
      ['Starfall', true],
      ['ada', false],
      ['grace', false],
    ]);
    const found = await control(service, 'GET /guilds/{id}/members', { id: guild.id, search: 'GRA' });
    expect(found.members.map(({ user_id }) => user_id)).toEqual([grace.id]);
  });

  it('gives the world as a fixtures document without secrets, which a service accepts', async () => {
    const document = await control(service, 'GET /fixtures');
    expect(JSON.stringify(document)).not.toMatch(/starfall-bot-token|bot_token"|signing_key/);
    const other = await startService({ fixtures: document as unknown as Fixtures });
    onTestFinished(() => other.close());
    const { guilds = [], applications = [] } = await control(other, 'GET /fixtures');
    expect(guilds).toEqual(document.guilds);
    expect(applications).toEqual(document.applications);
  });

  it('shows commands by scope with their former versions, and explains who may use one', async () => {
    const path = `/applications/${application.id}/commands`;
    const duel = { name: 'duel', description: 'Duel', default_member_permissions: '8' };
    const { id } = await act<{ id: string }>(bot, 'POST', path, duel);
    await act(bot, 'PATCH', `${path}/${id}`, { description: 'Duel somebody' });
    const { scopes } = await control(service, 'GET /commands', { application_id: application.id });
    expect(scopes).toMatchObject([{ guild_id: null, creates_left: null }]);
    expect(scopes[0]?.commands.map(({ name }) => name)).toContain('duel');
    const { versions } = await control(service, 'GET /commands/{id}/versions', { id });
    expect(versions.map(({ command }) => command?.description)).toEqual(['Duel somebody', 'Duel']);
    const cause = await control(service, 'GET /traffic/{id}', { id: String(versions[0]?.cause) });
    expect(cause.entry).toMatchObject({ route: 'editGlobalCommand' });

    const explain = (user_id: string, channel_id: string | null = guild.channels[0].id) =>
      control(service, 'POST /permissions/explain', {}, { command_id: id, guild_id: guild.id, channel_id, user_id });
    expect(await explain(ada.id)).toMatchObject({ allowed: true, decided_by: 'administrator' });
    const denied = await explain(grace.id);
    expect(denied).toMatchObject({ allowed: false, decided_by: 'default' });
    expect(denied.steps.map(({ outcome }) => outcome)).toEqual([...Array(9).fill('next'), 'deny']);
    expect(denied.steps.at(-1)).toMatchObject({ missing: ['ADMINISTRATOR'], rule: expect.any(String) });
    expect(await explain(edsger.id, null)).toMatchObject({ allowed: false, decided_by: 'membership' });
  });

  it('lists gateway sessions, and breaks them on request', async () => {
    const { token } = await control(service, 'POST /users/{id}/session', { id: ada.id });
    const client = await GatewayClient.identified(service.gateway, { token });
    const find = async () => {
      const { sessions } = await control(service, 'GET /sessions', { user_id: ada.id });
      return sessions.find(({ kind }) => kind === 'session');
    };
    const session = await find();
    expect(session).toMatchObject({
      sequence: 1,
      username: 'ada',
      replay: { events: 0 },
      connection: { encoding: 'json' },
    });
    const id = session?.id ?? '';
    expect(await sendControl(service, 'POST', `/sessions/${id}`, { action: 'explode' })).toMatchObject({ status: 400 });
    await control(service, 'POST /sessions/{id}', { id }, { action: 'drop' });
    await client.closed;
    expect(await control(service, 'GET /sessions/{id}', { id })).toMatchObject({
      ...{ connection: null, resumable_until_ms: expect.any(Number) },
    });
    expect(await sendControl(service, 'POST', `/sessions/${id}`, { action: 'freeze' })).toMatchObject({ status: 409 });
    const { timers } = await control(service, 'GET /timers', { kind: 'session_resume' });
    expect(timers).toContainEqual(expect.objectContaining({ kind: 'session_resume', user_id: ada.id, id }));
    await control(service, 'POST /sessions/{id}', { id }, { action: 'end' });
    expect(await find()).toBeUndefined();
    expect(await sendControl(service, 'GET', `/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { message: `There is no gateway session ${id} at this node.` },
    });
  });

  it('moves the clock to what is due next, and shows what that caused', async () => {
    const { id } = await createLobby({ idle_timeout_seconds: 5 });
    const moved = await control(service, 'POST /clock', {}, { to_next: true, kinds: ['lobby_idle'] });
    expect(moved).toMatchObject({ timer: { kind: 'lobby_idle', lobby_id: id }, now_ms: service.clock.now() });
    const { entries } = await control(service, 'GET /traffic', { kind: 'timer', lobby_id: id });
    expect(entries).toHaveLength(1);
    const { entries: chain } = await control(service, 'GET /traffic', { chain: String(entries[0]?.id) });
    expect(chain.map(({ kind }) => kind).sort()).toEqual(['dispatch', 'timer']);
    expect(await sendControl(service, 'POST', '/clock', { to_ms: 1 })).toMatchObject({ status: 400 });
  });

  it('tells faults apart: how often each was injected, and disarms one', async () => {
    const [first] = service.faults.add([
      { kind: 'status', status: 503, count: null, match: { route: 'getGatewayBot' } },
      { kind: 'status', status: 503, count: null, match: { route: 'getLobby' } },
    ]);
    onTestFinished(() => service.faults.clear());
    await callApi(service, 'GET', '/gateway/bot');
    const { faults } = await control(service, 'GET /faults');
    expect(faults.map(({ struck }) => struck)).toEqual([1, 0]);
    await control(service, 'DELETE /faults/{id}', { id: first?.id ?? '' });
    expect(service.faults.armed).toHaveLength(1);
    const { entries } = await control(service, 'GET /traffic', { kind: 'fault' });
    expect(entries.at(-1)).toMatchObject({ fault: 'status', route: 'getGatewayBot', fault_id: first?.id });
  });
});

describe('the documentation', () => {
  it('names every control call', async () => {
    const { body } = await sendControl(service, 'GET', '/nothing');
    const [, list = ''] = /Calls: (.*)\.$/.exec((body as { message: string }).message) ?? [];
    const calls = list.split(', ').map(call => call.split(' '));
    expect(calls.length).toBeGreaterThan(40);
    const text = readFileSync('docs/service.md', 'utf8');
    const rows = text.split('\n').filter(line => line.startsWith('| `') || line.startsWith('`GET /control/stream`'));
    const isNamed = ([method = '', path = '']: readonly string[]) =>
      rows.some(row => row.includes(method) && new RegExp(`${path.replace(/[{}]/g, '\\$&')}[\`?]`).test(row));
    expect(calls.filter(call => !isNamed(call)).map(call => call.join(' '))).toEqual([]);
  });

  it('is also an OpenAPI document of the calls that are mounted, whose answers are as it says', async () => {
    const { body } = await sendControl(service, 'GET', '/openapi.json');
    const document = body as ControlDocument;
    const { valid, errors } = await new Validator().validate(structuredClone(document) as object as SpecData);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    const unknown = await sendControl(service, 'GET', '/nothing');
    const [, list = ''] = /Calls: (.*)\.$/.exec((unknown.body as { message: string }).message) ?? [];
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} /control${path}`),
    );
    expect(described.sort()).toEqual(list.split(', ').sort());
    const ids = Object.values(document.paths).flatMap(methods => Object.values(methods).map(one => one.operationId));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [path, { get }] of Object.entries(document.paths)) {
      const schema = get?.responses['200']?.content?.['application/json']?.schema;
      if (!schema || path.includes('{') || ['/commands', '/openapi.json'].includes(path)) continue;
      const answer = await sendControl(service, 'GET', path);
      const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema as object);
      expect([validate(answer.body), validate.errors], path).toEqual([true, null]);
    }
  });
});

describe('the traffic', () => {
  it('connects a request with the events and the webhook that it caused', async () => {
    const server = await startLoopbackServer((_request, response) => response.writeHead(204).end());
    onTestFinished(() => server.close());
    await control(
      service,
      'POST /fixtures',
      { keep_secrets: 'true' },
      {
        applications: [{ id: application.id, event_webhooks_url: server.baseUrl }],
      },
    );
    const { token } = await control(
      service,
      'POST /users/{id}/session',
      { id: ada.id },
      { application_id: application.id },
    );
    const client = await GatewayClient.identified(service.gateway, { token: `Bearer ${token}`, intents: allIntents });
    onTestFinished(() => client.socket.close());
    const { id } = await createLobby({ members: [{ id: ada.id }] });
    const said = await control(
      service,
      'POST /call',
      {},
      {
        ...{ as: adasGame, method: 'POST', path: `/lobbies/${id}/messages`, body: { content: 'a secret place' } },
      },
    );
    await client.dispatch('LOBBY_MESSAGE_CREATE');
    const chainOf = () => control(service, 'GET /traffic', { chain: String(said.traffic_id) });
    await expect
      .poll(async () => (await chainOf()).entries.map(({ kind }) => kind).sort())
      .toEqual([...['delivery', 'dispatch', 'request']]);
    const { entries } = await chainOf();
    expect(entries.find(({ kind }) => kind === 'dispatch')).toMatchObject({
      ...{ event: 'LOBBY_MESSAGE_CREATE', sessions: expect.any(Number), lobby_id: id, cause: said.traffic_id },
    });
    expect(entries.find(({ kind }) => kind === 'delivery')).toMatchObject({
      ...{ delivery: 'webhook_event', status: 204, application_id: application.id, url: server.baseUrl },
    });
    const found = await control(service, 'GET /traffic', { search: 'A SECRET place', kind: 'dispatch' });
    expect(found.entries.map(({ lobby_id }) => lobby_id)).toEqual([id]);
  });

  it('shows an event once, also where a session has only just begun to follow its lobby', async () => {
    const game = { application_id: application.id };
    const { token } = await control(service, 'POST /users/{id}/session', { id: ada.id }, game);
    const client = await GatewayClient.identified(service.gateway, { token: `Bearer ${token}`, intents: allIntents });
    onTestFinished(() => client.socket.close());
    const shown: number[] = [];
    for (let round = 0; round < 20; round++) {
      const { id } = await createLobby({ members: [{ id: ada.id }] });
      const edited = await control(
        service,
        'POST /call',
        {},
        { as: bot, method: 'PATCH', path: `/lobbies/${id}`, body: { metadata: { round: String(round) } } },
      );
      await client.until(() =>
        client.frames.some(({ t, d }) => t === 'LOBBY_UPDATE' && (d as { id: string }).id === id),
      );
      const { entries } = await control(service, 'GET /traffic', {
        chain: String(edited.traffic_id),
        kind: 'dispatch',
      });
      shown.push(entries.length);
    }
    expect(shown).toEqual(shown.map(() => 1));
  });

  it('masks every secret: of headers, bodies, answers, paths and events', async () => {
    const form = new URLSearchParams({
      ...{ grant_type: 'client_credentials', scope: 'identify' },
      ...{ client_id: application.id, client_secret: 'a-wrong-secret-of-the-client' },
    });
    await fetch(`${service.apiBase}/oauth2/token`, { method: 'POST', body: form });
    await callApi(service, 'POST', '/interactions/1/an-interaction-token/callback', { type: 1 });
    const { token } = await control(service, 'POST /users/{id}/session', { id: ada.id });
    const client = await GatewayClient.identified(service.gateway, { token });
    client.socket.close();
    await client.closed;
    const { entries } = await control(service, 'GET /traffic', { limit: '1000' });
    const shown = await Promise.all(entries.map(({ id }) => control(service, 'GET /traffic/{id}', { id: String(id) })));
    const all = JSON.stringify([entries, shown, await control(service, 'GET /traffic/recording')]);
    for (const secret of ['a-wrong-secret-of-the-client', 'an-interaction-token', 'starfall-bot-token', token]) {
      expect(all.includes(secret), secret).toBe(false);
    }
    expect(entries.filter(({ kind }) => kind === 'oauth')).toMatchObject([{ step: 'token', status: 401 }]);
    expect(entries.find(entry => entry.kind === 'connection' && entry.event === 'received')).toMatchObject({ op: 2 });
  });

  it('is given out as a recording of the testing kit, whose writes can be carried out again', async () => {
    await control(service, 'DELETE /traffic');
    const { id } = await createLobby({ metadata: { map: 'replayed' }, members: [{ id: ada.id }] });
    await act(adasGame, 'POST', `/lobbies/${id}/messages`, { content: 'once more' });
    const { recording } = await control(service, 'GET /traffic/recording', { lobby_id: id });
    expect(readRecording(recording).names).toEqual(['bot 100000000000000001', 'ada']);
    const { requests, skipped } = await control(
      service,
      'POST /traffic/replay',
      {},
      {
        ...{ recording, application_id: application.id },
      },
    );
    expect(skipped).toBe(0);
    expect(requests.map(({ route, status }) => [route, status])).toEqual([
      ['createLobby', 201],
      ['createLobbyMessage', 201],
    ]);
    const copy = requests[0]?.ids[id] ?? '';
    expect(await control(service, 'GET /lobbies/{id}', { id: copy })).toMatchObject({
      ...{ metadata: { map: 'replayed' }, message_count: 1 },
    });
  });

  it('is read page by page in both directions', async () => {
    for (let n = 0; n < 5; n++) await callApi(service, 'GET', '/gateway/bot');
    const query = { route: 'getGatewayBot', limit: '2' };
    const newest = await control(service, 'GET /traffic', query);
    const older = await control(service, 'GET /traffic', { ...query, before: String(newest.previous) });
    const again = await control(service, 'GET /traffic', {
      ...query,
      after: String((older.entries[0]?.number ?? 1) - 1),
    });
    expect(again.entries).toEqual(older.entries);
    const ids = [...older.entries, ...newest.entries].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(4);
  });
});

describe('the stream', () => {
  it('sends traffic, changes and one lobby as they happen, and continues after what was read', async () => {
    const { id } = await createLobby({ metadata: { round: '1' } });
    const stream = await ControlStream.open(service, `?lobby=${id}&kind=request&lobby_id=${id}`);
    onTestFinished(() => stream.close());
    const hello = await stream.event('hello');
    expect(hello).toMatchObject({ node: isShared ? expect.any(String) : null, metrics: [] });
    await stream.event('lobby', ({ lobby }) => lobby?.metadata?.round === '1');
    await act(bot, 'PATCH', `/lobbies/${id}`, { metadata: { round: '2' } });
    await stream.event('lobby', ({ lobby }) => lobby?.metadata?.round === '2');
    await stream.event('changed', ({ areas }) => areas.includes('lobbies'));
    const { entries, next } = await stream.event('traffic');
    expect(entries).toMatchObject([{ route: 'editLobby', lobby_id: id }]);
    await act(bot, 'DELETE', `/lobbies/${id}`);
    await stream.event('lobby', ({ lobby }) => lobby === null);
    stream.close();

    const resumed = await ControlStream.open(service, `?events=traffic&kind=request&lobby_id=${id}&after=${next}`);
    onTestFinished(() => resumed.close());
    expect((await resumed.event('traffic')).entries).toMatchObject([{ route: 'deleteLobby' }]);
  });

  it('sends a sample of the metrics every second', async () => {
    const stream = await ControlStream.open(service, '?events=metrics');
    onTestFinished(() => stream.close());
    for (let n = 0; n < 20; n++) await callApi(service, 'GET', '/gateway/bot');
    const sample = await stream.event('metrics', ({ requests_per_second }) => requests_per_second > 0);
    expect(sample).toMatchObject({ errors_per_second: 0, memory_bytes: expect.any(Number), cpu: expect.any(Number) });
  });

  it('leaves out what a reader does not read, tells it how much, and stays within its bounds', async () => {
    const { port } = new URL(service.controlBase);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET /control/stream?events=traffic&kind=request HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${service.controlToken}\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.pause();
    // One after another over one connection, because that is the fastest way to make this much traffic.
    const busy = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void busy.destroy());
    const count = 4500;
    const head = `Host: 127.0.0.1\r\nAuthorization: Bot starfall-bot-token\r\n\r\n`;
    busy.write(`GET /api/v10/gateway/bot?${'x'.repeat(4000)} HTTP/1.1\r\n${head}`.repeat(count));
    let answers = 0;
    busy.setEncoding('utf8').on('data', (piece: string) => {
      answers += piece.split('HTTP/1.1 200').length - 1;
    });
    await expect.poll(() => answers, { timeout: 15_000 }).toBeGreaterThan(count * 0.99);
    let text = '';
    socket.setEncoding('utf8').on('data', piece => {
      text += piece;
    });
    socket.resume();
    await expect.poll(() => text.includes('event: omitted'), { timeout: 10_000 }).toBe(true);
    const [, omitted = '0'] = /event: omitted\ndata: \{"entries":(\d+)/.exec(text) ?? [];
    expect(Number(omitted)).toBeGreaterThan(0);
  });

  it('rejects what it cannot send, and ends with the service', async () => {
    expect(await sendControl(service, 'GET', '/stream?events=news')).toMatchObject({ status: 400 });
    const other = await startService({ console: true });
    const stream = await ControlStream.open(other);
    await stream.event('hello');
    const startMs = performance.now();
    await other.close();
    await stream.ended;
    expect(performance.now() - startMs).toBeLessThan(5000);
  });
});

describe('the safety of the control API', () => {
  const newCalls = ['GET /status', 'GET /traffic', 'GET /stream', 'POST /call', 'GET /fixtures', 'GET /sessions'];

  it.each(newCalls)('%s needs the control token, and a page of another origin gets nothing', async name => {
    const [method = '', path = ''] = name.split(' ');
    const ask = (headers: Record<string, string>) => fetch(service.controlBase + path, { method, headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: 'Bearer wrong' })).status).toBe(401);
    const authorization = `Bearer ${service.controlToken}`;
    const foreign = await ask({ authorization, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(service.controlBase + path, {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': method },
    });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('records nothing where the console is off, and says how to turn it on', async () => {
    const quiet = await startService({ console: false });
    onTestFinished(() => quiet.close());
    expect(quiet.consoleUrl).toBeUndefined();
    expect(await sendControl(quiet, 'GET', '/traffic')).toMatchObject({
      ...{ status: 409, body: { message: expect.stringContaining('--console') } },
    });
    const { features } = await control(quiet, 'GET /status');
    expect(features).toMatchObject({ traffic: false, traffic_since_ms: null });
  });

  it('records from the first use on where nobody asked for the console by name', async () => {
    const modest = await startService({ fixtures: starfall });
    onTestFinished(() => modest.close());
    await callApi(modest, 'GET', '/gateway/bot');
    const requests = ({ entries }: { readonly entries: readonly TrafficEntry[] }) =>
      entries.flatMap(entry => (entry.kind === 'request' ? [entry.route] : []));
    expect(requests(await control(modest, 'GET /traffic'))).toEqual([]);
    await callApi(modest, 'GET', '/gateway/bot');
    expect(requests(await control(modest, 'GET /traffic'))).toEqual(['getGatewayBot']);
  });

  it('keeps a bounded number of entries', async () => {
    const other = await startService({ console: true, limits: 'off', fixtures: starfall });
    onTestFinished(() => other.close());
    const count = 300;
    const size = 60_000;
    const body = { metadata: { text: 'x'.repeat(size) } };
    for (let n = 0; n < count; n += 50) {
      await Promise.all(Array.from({ length: 50 }, () => callApi(other, 'POST', '/lobbies', body)));
    }
    const { first, last } = await control(other, 'GET /traffic');
    expect(last).toBeGreaterThanOrEqual(count);
    expect(first).toBeGreaterThan(1);
    expect((last - first) * size).toBeLessThan(consoleLimits.trafficBytesMax);
  });

  it('counts whatever callers send, with or without a length, towards those bounds', async () => {
    const other = await startService({ console: true, limits: 'off', fixtures: starfall });
    onTestFinished(() => other.close());
    const port = Number(new URL(other.apiBase).port);
    const kept = async () => {
      const { first, last } = await control(other, 'GET /traffic');
      return last - first;
    };
    const send = async (request: string, count: number) => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.write(request.repeat(count));
      let answers = 0;
      socket.setEncoding('latin1').on('data', (piece: string) => {
        answers += piece.split('HTTP/1.1 ').length - 1;
      });
      await expect.poll(() => answers, { timeout: 15_000 }).toBeGreaterThan(count * 0.99);
    };
    const length = 16_000;
    const host = 'Host: 127.0.0.1\r\n';
    const body = `{"a":"${'x'.repeat(length)}"}`;
    await send(
      `POST /api/v10/partner-sdk/token HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      300,
    );
    // Before somebody reads it, less is kept.
    expect((await kept()) * length).toBeLessThan(consoleLimits.trafficUnreadBytesMax);
    await send(`GET /api/v10/gateway?${'x'.repeat(length - 1000)} HTTP/1.1\r\n${host}\r\n`, 1200);
    expect((await kept()) * length).toBeLessThan(consoleLimits.trafficBytesMax * 1.1);
  }, 30_000);
});
