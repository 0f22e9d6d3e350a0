import { AuthorizationArgs, Client } from '@rallypoint/sdk';
import { createBackend } from '@rallypoint/sdk/backend';
import { type Service, startService } from '@rallypoint/sdk/service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applicationId, botToken, fixtures, friend, owner } from '../../samples/electron-lobby/starfall.ts';
import { type GameBackend, startGameBackend } from '../../samples/game-backend/server.ts';
import { browserOf } from '../support/browser/player.ts';

const otherGame = {
  id: '1054951789318900777',
  name: 'Otherworld',
  public_client: true,
  redirect_uris: ['http://127.0.0.1/callback'],
};
const applications = [...(fixtures.applications ?? []), { ...otherGame, owner_id: owner.id }];

let service: Service;
let backend: GameBackend;
let log: string[];

beforeAll(async () => {
  service = await startService({ fixtures: { ...fixtures, applications }, limits: 'off' });
});

beforeEach(async () => {
  log = [];
  backend = await startGameBackend({ applicationId, botToken, baseUrl: service.webBase, log: line => log.push(line) });
});

afterEach(async () => {
  await backend.close();
  await service.reset();
});

afterAll(() => service.close());

async function tokenOf(userId: string, application: string = applicationId): Promise<string> {
  const { webBase: baseUrl } = service;
  const client = new Client({ applicationId: application, baseUrl, openBrowser: browserOf(service, userId) });
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
  const { accessToken } = await client.getToken({ ...grant, verifier });
  await client.close();
  return accessToken;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

async function call(
  method: string,
  path: string,
  token?: string,
  body?: string,
  type = 'application/json',
): Promise<Answer> {
  const answer = await fetch(backend.address + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

const launch = { name: 'Launch', description: 'Opens Starfall', handler: 1 };
const save = (token: string, draft: unknown) => call('PUT', '/entry-point', token, JSON.stringify(draft));

describe("the game's server: who calls", () => {
  it('knows a player by the access token, and who the owner is', async () => {
    const ada = await call('GET', '/me', await tokenOf(owner.id));
    expect(ada).toMatchObject({
      status: 200,
      body: { id: owner.id, username: 'ada', displayName: 'Ada', mayEditCommands: true },
    });
    const grace = await call('GET', '/me', await tokenOf(friend.id));
    expect(grace).toMatchObject({ status: 200, body: { id: friend.id, mayEditCommands: false } });
  });

  it.each([
    ['no token', undefined],
    ['one that nobody issued', 'nobody-issued-this'],
    ['the bot token itself', botToken],
    ['one of 2,049 letters', 'a'.repeat(2049)],
  ])('refuses %s', async (_, token) => {
    expect(await call('GET', '/me', token)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('refuses a change by a token that was revoked a moment ago', async () => {
    const token = await tokenOf(owner.id);
    expect((await call('GET', '/me', token)).status).toBe(200);
    await fetch(`${service.apiBase}/v10/oauth2/token/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: applicationId }),
    });
    expect(await save(token, launch)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it("refuses a good token of the same player's that another game got", async () => {
    const token = await tokenOf(owner.id, otherGame.id);
    const refused = { status: 403, body: { code: 'wrong_application' } };
    expect(await call('GET', '/me', token)).toMatchObject(refused);
    expect(await save(token, launch)).toMatchObject(refused);
  });
});

describe("the game's server: the entry point", () => {
  it('shows the command that came with the Activity', async () => {
    const { status, body } = await call('GET', '/entry-point', await tokenOf(friend.id));
    expect(status).toBe(200);
    expect(body.entryPoint).toMatchObject({ name: 'Launch', handler: 2 });
  });

  it('edits it for the owner: it keeps its id, and says when nothing was different', async () => {
    const token = await tokenOf(owner.id);
    const { body: before } = await call('GET', '/entry-point', token);
    const edited = await save(token, { ...launch, name: 'Play' });
    expect(edited).toMatchObject({ status: 200, body: { change: 'edited', entryPoint: { name: 'Play', handler: 1 } } });
    expect(Object(edited.body.entryPoint).id).toBe(Object(before.entryPoint).id);
    expect(await save(token, { ...launch, name: 'Play' })).toMatchObject({ body: { change: 'unchanged' } });
    const [registered] = await commandsOf();
    expect(registered).toMatchObject({ name: 'Play', description: 'Opens Starfall', handler: 1 });
  });

  it('registers one where there is none, and leaves other commands alone', async () => {
    const token = await tokenOf(owner.id);
    const direct = createBackend({ applicationId, botToken, baseUrl: service.webBase });
    await direct.commands.create({ name: 'rally', description: 'Calls your party together' });
    for (const { id, type } of await direct.commands.list()) if (type === 4) await direct.commands.delete(id);
    direct.close();
    expect(await call('GET', '/entry-point', token)).toMatchObject({ body: { entryPoint: null } });
    expect(await save(token, launch)).toMatchObject({ status: 200, body: { change: 'registered' } });
    expect((await commandsOf()).map(({ name }) => name).sort()).toEqual(['Launch', 'rally']);
  });

  it('lets nobody but the owner change it', async () => {
    const token = await tokenOf(friend.id);
    expect(await save(token, launch)).toMatchObject({ status: 403, body: { code: 'not_the_owner' } });
    expect(await commandsOf()).toMatchObject([{ name: 'Launch', handler: 2 }]);
    expect(log).toEqual(['PUT /entry-point: not_the_owner']);
  });

  it.each([
    ['a name of 33 characters', { ...launch, name: 'a'.repeat(33) }, 'name'],
    ['no name', { ...launch, name: '' }, 'name'],
    ['a description of 101 characters', { ...launch, description: 'a'.repeat(101) }, 'description'],
    ['no description', { name: 'Launch', handler: 1 }, 'description'],
    ['a handler that there is not', { ...launch, handler: 3 }, 'handler'],
    ['a number for a name', { ...launch, name: 5 }, 'name'],
  ])('refuses %s, and names the field', async (_, draft, field) => {
    const { status, body } = await save(await tokenOf(owner.id), draft);
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_command');
    expect(Object(body.issues)[0].path).toEqual([field]);
  });

  it('takes a name of 32 and a description of 100 characters, of four bytes each', async () => {
    const draft = { name: '🚀'.repeat(32), description: '🚀'.repeat(100), handler: 2 };
    expect((await save(await tokenOf(owner.id), draft)).status).toBe(200);
  });

  it('reads nothing of a draft but its three fields', async () => {
    const token = await tokenOf(owner.id);
    const draft = { ...launch, type: 1, id: '5', default_member_permissions: '0', nsfw: true };
    expect((await save(token, draft)).status).toBe(200);
    expect(await commandsOf()).toMatchObject([{ type: 4, nsfw: false, default_member_permissions: null }]);
  });
});

describe("the game's server: news of the entry point", () => {
  const open = async (address: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${address}/entry-point/news`, { headers });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    return { answer, read: async () => (await reader?.read())?.value, close: () => reader?.cancel() };
  };

  it('names who is there, as they come and go, and what was saved', async () => {
    const [ada, grace] = [await tokenOf(owner.id), await tokenOf(friend.id)];
    const news = await open(backend.address, ada);
    expect(news.answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await news.read()).toContain('"players":[{"id":"1054951789318909001","displayName":"Ada"}]');
    const other = await open(backend.address, grace);
    expect(await news.read()).toContain('"displayName":"Grace"');
    expect((await save(ada, { ...launch, name: 'Play' })).status).toBe(200);
    expect(await news.read()).toContain('"name":"Play"');
    await other.close();
    expect(await news.read()).not.toContain('Grace');
    await news.close();
  });

  it('are for players alone', async () => {
    expect((await open(backend.address, 'nobody-issued-this')).answer.status).toBe(401);
  });

  it('end soon after the sign-in was taken back', async () => {
    const own = await startGameBackend({ applicationId, botToken, baseUrl: service.webBase, recheckMs: 10 });
    const token = await tokenOf(friend.id);
    const news = await open(own.address, token);
    expect(await news.read()).toContain('"displayName":"Grace"');
    const body = new URLSearchParams({ token, client_id: applicationId });
    await fetch(`${service.apiBase}/v10/oauth2/token/revoke`, { method: 'POST', body });
    expect(await news.read()).toBeUndefined();
    await own.close();
  });
});

describe("the game's server: what it takes", () => {
  it.each([
    ['no JSON', '{', 'application/json', 'invalid_body', 400],
    ['a list', '[]', 'application/json', 'invalid_body', 400],
    ['null', 'null', 'application/json', 'invalid_body', 400],
    ['another media type', '{}', 'text/plain', 'invalid_body', 400],
    ['4,097 bytes', `"${'a'.repeat(4095)}"`, 'application/json', 'body_too_large', 413],
    ['a megabyte', `"${'a'.repeat(1_000_000)}"`, 'application/json', 'body_too_large', 413],
  ])('refuses %s', async (_, body, type, code, status) => {
    expect(await call('PUT', '/entry-point', await tokenOf(owner.id), body, type)).toMatchObject({
      status,
      body: { code },
    });
  });

  it('reads a body of exactly 4,096 bytes', async () => {
    const text = JSON.stringify(launch).padEnd(4096);
    expect((await call('PUT', '/entry-point', await tokenOf(owner.id), text)).status).toBe(200);
  });

  it('reads no body of somebody it does not know', async () => {
    expect(await call('PUT', '/entry-point', undefined, '{')).toMatchObject({ status: 401 });
  });

  it('answers 404 elsewhere, and 405 with what is allowed', async () => {
    for (const path of ['/', '/me/', '/constructor', '/entry-point/5']) {
      expect(await call('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    const refused = await call('POST', '/entry-point', undefined, '{}');
    expect(refused).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(refused.headers.get('allow')).toBe('GET, PUT');
  });

  it('lets no page of a browser read its answers, and no cache keep them', async () => {
    const { headers } = await call('GET', '/me', await tokenOf(owner.id));
    expect([...headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('says so when the service cannot be reached', async () => {
    const alone = await startGameBackend({ applicationId, botToken, baseUrl: 'http://127.0.0.1:9' });
    const answer = await fetch(`${alone.address}/me`, { headers: { authorization: 'Bearer anything' } });
    await alone.close();
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ code: 'service_unavailable' });
  });

  it('never says its bot token, whatever is asked', async () => {
    const token = await tokenOf(owner.id);
    const answers = await Promise.all([
      call('GET', '/me', token),
      call('GET', '/entry-point', token),
      save(token, launch),
      save(token, {}),
      call('GET', '/me', botToken),
    ]);
    expect(JSON.stringify([answers, log])).not.toContain(botToken);
    await backend.close();
    await backend.close();
  });
});

async function commandsOf() {
  const direct = createBackend({ applicationId, botToken, baseUrl: service.webBase });
  const commands = await direct.commands.list();
  direct.close();
  return commands;
}
