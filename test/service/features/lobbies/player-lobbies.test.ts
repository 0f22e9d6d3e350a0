import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LinkableChannel, OwnGuild } from '../../../../src/model/guild.ts';
import type { Lobby, LobbyInvite, LobbyMember } from '../../../../src/model/lobby.ts';
import type { LobbyMessage } from '../../../../src/model/lobby-message.ts';
import { type Service, startService } from '../../../../src/service/index.ts';
import { verifyMessage } from '../../../../src/wire/signature.ts';
import { answerJson, startLoopbackServer } from '../../../support/http/loopback-server.ts';
import { botHeaders, callApi, starfall } from '../../../support/service/starfall.ts';
import { clientToken, playerToken } from '../../../support/service/tokens.ts';

const [ada, grace, edsger] = starfall.users.map(({ id }) => id) as [string, string, string];
const channel = starfall.guilds[0].channels[0].id;
const guild = starfall.guilds[0].id;

let service: Service;
const tokens = new Map<string, string>();

beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
  for (const userId of [ada, grace, edsger]) tokens.set(userId, await playerToken(service, userId));
});
afterAll(() => service.close());

const headersOf = (userId: string) => ({
  authorization: `Bearer ${tokens.get(userId)}`,
  'content-type': 'application/json',
});
const as = (userId: string, method: string, path: string, body?: unknown) =>
  callApi(service, method, path, body, headersOf(userId));
const bot = (method: string, path: string, body?: unknown) => callApi(service, method, path, body);
const made = async (...members: { id: string; flags?: number }[]): Promise<string> =>
  ((await bot('POST', '/lobbies', { members })).body as Lobby).id;
const error = (status: number, code: number) => ({ status, body: { code } });

describe('create or join', () => {
  it('answers 200 with the lobby when it makes one and when it joins it', async () => {
    const first = await as(ada, 'PUT', '/lobbies', { secret: 'harbour' });
    const second = await as(grace, 'PUT', '/lobbies', { secret: 'harbour', member_metadata: { team: 'red' } });
    expect([first.status, second.status]).toEqual([200, 200]);
    const { id } = first.body as Lobby;
    expect(second.body).toMatchObject({ id, members: [{ id: ada }, { id: grace, metadata: { team: 'red' } }] });
    expect((await bot('GET', `/lobbies/${id}`)).body).toEqual(second.body);
  });

  it.each([
    ['no secret', {}, 'secret'],
    ['a long secret', { secret: 'x'.repeat(251) }, 'secret'],
    ['a short timeout', { secret: 'x', idle_timeout_seconds: 4 }, 'idle_timeout_seconds'],
  ])('answers 50035 to %s', async (_, body, field) => {
    const answer = await as(ada, 'PUT', '/lobbies', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { [field]: { _errors: [{}] } } } });
  });

  it('answers 50109 to what is no JSON', async () => {
    expect(await as(ada, 'PUT', '/lobbies', '{')).toMatchObject(error(400, 50109));
  });
});

describe('leaving', () => {
  it('answers 204 with no body, twice; 10031 for no lobby; 50001 when a server made it', async () => {
    const { id } = (await as(ada, 'PUT', '/lobbies', { secret: 'to leave' })).body as Lobby;
    for (let time = 0; time < 2; time++) {
      expect(await as(ada, 'DELETE', `/lobbies/${id}/members/@me`)).toMatchObject({ status: 204, body: undefined });
    }
    expect(await as(ada, 'DELETE', '/lobbies/42/members/@me')).toMatchObject(error(404, 10031));
    const path = `/lobbies/${await made({ id: ada })}/members/@me`;
    expect(await as(ada, 'DELETE', path)).toMatchObject(error(403, 50001));
    expect(await as(grace, 'DELETE', path)).toMatchObject({ status: 204 });
  });

  it('is found when the path has its @ escaped', async () => {
    expect(await as(ada, 'DELETE', '/lobbies/42/members/%40me')).toMatchObject(error(404, 10031));
  });
});

describe('a bulk update', () => {
  it('answers 200 with those added and updated, and the codes of its faults', async () => {
    const path = `/lobbies/${await made({ id: ada })}/members/bulk`;
    const body = [{ id: grace }, { id: ada, remove_member: true }];
    const answer = await bot('POST', path, body);
    expect(answer.status).toBe(200);
    expect(answer.body as LobbyMember[]).toEqual([{ id: grace, metadata: null, flags: 0 }]);
    expect(await bot('POST', path, [{ id: '42' }])).toMatchObject(error(404, 10013));
    expect(await bot('POST', '/lobbies/42/members/bulk', body)).toMatchObject(error(404, 10031));
    for (const wrong of [[], {}, [{}], Array.from({ length: 26 }, (_, at) => ({ id: String(at + 1) }))]) {
      expect(await bot('POST', path, wrong)).toMatchObject(error(400, 50035));
    }
  });
});

describe('messages', () => {
  it('are answered with 201, listed with 200, and moderated with 204', async () => {
    const id = await made({ id: ada }, { id: grace });
    const path = `/lobbies/${id}/messages`;
    const sent = await as(ada, 'POST', path, { content: 'Hello', metadata: { a: 'b' } });
    expect(sent).toMatchObject({ status: 201, body: { content: 'Hello', lobby_id: id, author: { id: ada } } });
    const message = sent.body as LobbyMessage;
    expect(await as(grace, 'GET', path)).toMatchObject({ status: 200, body: [message] });
    const notes = `${path}/${message.id}/moderation-metadata`;
    expect(await bot('PUT', notes, { verdict: 'fine' })).toMatchObject({ status: 204, body: undefined });
    expect((await as(ada, 'GET', path)).body).toEqual([{ ...message, moderation_metadata: { verdict: 'fine' } }]);
  });

  describe('as forms', () => {
    const urlEncoded = 'application/x-www-form-urlencoded';
    const sendForm = async (body: string | FormData, type?: string) => {
      const path = `/api/v10/lobbies/${await made({ id: ada })}/messages`;
      const authorization = `Bearer ${tokens.get(ada)}`;
      const headers = { authorization, ...(type !== undefined && { 'content-type': type }) };
      const answer = await fetch(service.webBase + path, { method: 'POST', headers, body });
      return { status: answer.status, body: await answer.json() };
    };
    const parts = (fields: Readonly<Record<string, string | Blob>>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      return form;
    };

    it('are taken for the notes about a message, all of whose fields are texts', async () => {
      const id = await made({ id: ada });
      const { body } = await as(ada, 'POST', `/lobbies/${id}/messages`, { content: 'Hello' });
      const path = `/lobbies/${id}/messages/${(body as LobbyMessage).id}/moderation-metadata`;
      const put = (form: string | FormData, headers: Readonly<Record<string, string>>) =>
        fetch(`${service.apiBase}/v10${path}`, { method: 'PUT', headers, body: form });
      const { authorization } = botHeaders;
      const notes = async () => ((await as(ada, 'GET', `/lobbies/${id}/messages`)).body as LobbyMessage[])[0];
      expect((await put('verdict=bad&type=3', { authorization, 'content-type': urlEncoded })).status).toBe(204);
      expect(await notes()).toMatchObject({ moderation_metadata: { verdict: 'bad', type: '3' } });
      expect((await put(parts({ verdict: 'fine', flags: '0' }), { authorization })).status).toBe(204);
      expect(await notes()).toMatchObject({ moderation_metadata: { verdict: 'fine', flags: '0' } });
      const withFile = await put(parts({ verdict: 'bad', 'files[0]': new Blob(['x']) }), { authorization });
      expect({ status: withFile.status, body: await withFile.json() }).toMatchObject(error(400, 50035));
    });

    it('are taken URL-encoded and in parts', async () => {
      const message = { status: 201, body: { content: '4 & é', flags: 65536 + 4 } };
      expect(await sendForm('content=4+%26+%C3%A9&flags=4', urlEncoded)).toMatchObject(message);
      expect(await sendForm(parts({ content: '4 & é', flags: '4' }))).toMatchObject(message);
    });

    it('may carry JSON in payload_json; files are ignored and fields take precedence', async () => {
      const payload_json = JSON.stringify({ content: 'payload', flags: 4 });
      const form = parts({ content: 'field', payload_json, 'files[0]': new Blob(['x']) });
      expect(await sendForm(form)).toMatchObject({ status: 201, body: { content: 'field', flags: 65536 + 4 } });
    });

    it('are rejected as their JSON would be', async () => {
      expect(await sendForm('content=', urlEncoded)).toMatchObject(error(400, 50006));
      expect(await sendForm('content=x&flags=a', urlEncoded)).toMatchObject(error(400, 50035));
      expect(await sendForm('content=x&metadata=a', urlEncoded)).toMatchObject(error(400, 50035));
      expect(await sendForm(parts({ payload_json: '{' }))).toMatchObject(error(400, 50109));
      expect(await sendForm('x', 'multipart/form-data; boundary=y')).toMatchObject(error(400, 50035));
      expect(await sendForm('x', 'multipart/form-data')).toMatchObject(error(400, 50035));
      expect(await sendForm('content=x', 'text/plain')).toMatchObject(error(400, 50035));
    });
  });

  it('are rejected with the codes of their faults', async () => {
    const path = `/lobbies/${await made({ id: ada })}/messages`;
    expect(await as(ada, 'POST', path, { content: '' })).toMatchObject(error(400, 50006));
    expect(await as(ada, 'POST', path, { content: 'x'.repeat(2001) })).toMatchObject(error(400, 50035));
    expect(await as(grace, 'POST', path, { content: 'x' })).toMatchObject(error(403, 40109));
    expect(await as(grace, 'GET', path)).toMatchObject(error(403, 40109));
    expect(await as(ada, 'POST', '/lobbies/42/messages', { content: 'x' })).toMatchObject(error(404, 10031));
    expect(await bot('PUT', `${path}/42/moderation-metadata`, {})).toMatchObject(error(404, 10008));
    expect(await bot('PUT', `${path}/42/moderation-metadata`, [])).toMatchObject(error(400, 50035));
  });

  it.each([
    ['', 50],
    ['?limit=1', 1],
    ['?limit=60', 60],
    ['?limit=200', 60],
  ])('are listed with %j, %i of 60', async (query, count) => {
    const path = `/lobbies/${await made({ id: ada })}/messages`;
    for (let at = 1; at <= 60; at++) await as(ada, 'POST', path, { content: `${at}` });
    const listed = (await as(ada, 'GET', path + query)).body as LobbyMessage[];
    expect([listed.length, listed[0]?.content]).toEqual([count, '60']);
  });

  it.each(['0', '201', '-1', 'x', '', '1.5', '1e2', '99999999999999999999'])(
    'are not listed by the limit %j',
    async limit => {
      const path = `/lobbies/${await made({ id: ada })}/messages?limit=${limit}`;
      expect(await as(ada, 'GET', path)).toMatchObject({ status: 400, body: { code: 50035, errors: { limit: {} } } });
    },
  );

  it('reach the server of the application, signed by its key', async () => {
    const server = await startLoopbackServer((_, response, index) => {
      if (index === 0) return answerJson(response, 500, {});
      response.writeHead(204).end();
    });
    const id = await made({ id: ada });
    await bot('PATCH', `/lobbies/${id}`, { override_event_webhooks_url: `${server.baseUrl}/hook` });
    const { body: message } = await as(ada, 'POST', `/lobbies/${id}/messages`, { content: 'Hello' });
    await service.clock.advance(1000);
    expect(server.seen.map(({ method, url }) => [method, url])).toEqual([
      ['POST', '/hook'],
      ['POST', '/hook'],
    ]);
    const { headers = {}, body = '' } = server.seen[1] ?? {};
    expect(JSON.parse(body).event).toMatchObject({ type: 'LOBBY_MESSAGE_CREATE', data: message });
    const authorization = await callApi(service, 'GET', '/oauth2/@me', undefined, headersOf(ada));
    const { verify_key } = (authorization.body as { application: { verify_key: string } }).application;
    const [signature, timestamp] = [headers['x-signature-ed25519'], headers['x-signature-timestamp']].map(String);
    expect(verifyMessage(verify_key, signature ?? '', timestamp ?? '', body)).toBe(true);
    await server.close();
  });
});

describe('links and invites', () => {
  it('answer 200, with the channel in the lobby, until an empty body unlinks', async () => {
    const id = await made({ id: ada, flags: 1 }, { id: edsger });
    const path = `/lobbies/${id}/channel-linking`;
    const linked = await as(ada, 'PATCH', path, { channel_id: channel });
    expect(linked).toMatchObject({ status: 200, body: { id, linked_channel: { id: channel, guild_id: guild } } });
    expect((await bot('GET', `/lobbies/${id}`)).body).toEqual(linked.body);

    const own = await as(edsger, 'POST', `/lobbies/${id}/members/@me/invites`);
    expect(own).toMatchObject({ status: 200, body: { code: expect.any(String) } });
    const other = await bot('POST', `/lobbies/${id}/members/${edsger}/invites`, {});
    expect(Object.keys(other.body as LobbyInvite)).toEqual(['code']);
    expect(await as(ada, 'POST', `/lobbies/${id}/members/@me/invites`)).toMatchObject(error(400, 40108));
    expect(await as(grace, 'POST', `/lobbies/${id}/members/@me/invites`)).toMatchObject(error(403, 40109));

    expect(await as(grace, 'PATCH', path)).toMatchObject(error(403, 40109));
    expect(await as(edsger, 'PATCH', path)).toMatchObject(error(403, 50241));
    for (let time = 0; time < 2; time++) {
      const unlinked = await callApi(service, 'PATCH', path, undefined, {
        authorization: headersOf(ada).authorization,
      });
      expect(unlinked.status).toBe(200);
      expect(unlinked.body).not.toHaveProperty('linked_channel');
    }
    expect(await bot('POST', `/lobbies/${id}/members/${edsger}/invites`)).toMatchObject(error(400, 50267));
  });

  it('answer the codes of what cannot be linked', async () => {
    const id = await made({ id: ada, flags: 1 }, { id: grace, flags: 1 });
    const path = `/lobbies/${id}/channel-linking`;
    expect(await as(ada, 'PATCH', path, { channel_id: '42' })).toMatchObject(error(404, 10003));
    expect(await as(grace, 'PATCH', path, { channel_id: channel })).toMatchObject(error(403, 50013));
    expect(await as(ada, 'PATCH', path, '{')).toMatchObject(error(400, 50109));
    expect(await as(ada, 'PATCH', path, { channel_id: 'x' })).toMatchObject(error(400, 50035));
    const other = await made({ id: ada, flags: 1 });
    await as(ada, 'PATCH', `/lobbies/${other}/channel-linking`, { channel_id: channel });
    expect(await as(ada, 'PATCH', path, { channel_id: channel })).toMatchObject(error(400, 50237));
    await as(ada, 'PATCH', `/lobbies/${other}/channel-linking`, {});
  });
});

describe('the picker', () => {
  it('shows the owner’s guilds to the application’s own token', async () => {
    const own = async (scope: string, path: string) => {
      const authorization = `Bearer ${await clientToken(service, scope)}`;
      return callApi(service, 'GET', path, undefined, { authorization });
    };
    expect((await own('guilds', '/users/@me/guilds')).body).toEqual((await as(ada, 'GET', '/users/@me/guilds')).body);
    const member = await own('guilds.members.read', `/users/@me/guilds/${guild}/member`);
    expect(member).toMatchObject({ status: 200, body: { user: { id: ada } } });
    expect(await own('connections', '/users/@me/connections')).toMatchObject({ status: 200, body: [] });
    expect(await own('identify', '/users/@me/guilds')).toMatchObject(error(403, 50026));
  });

  it('lists the guilds of the user, by id and page by page', async () => {
    const { status, body } = await as(ada, 'GET', '/users/@me/guilds');
    expect(status).toBe(200);
    expect((body as OwnGuild[])[0]).toEqual({
      ...{ id: guild, name: 'Harbour', icon: null, banner: null, owner: true, features: [] },
      permissions: expect.stringMatching(/^[0-9]+$/),
    });
    expect((await as(edsger, 'GET', '/users/@me/guilds')).body).toEqual([]);
    expect((await as(ada, 'GET', `/users/@me/guilds?after=${guild}`)).body).toEqual([]);
    expect((await as(ada, 'GET', `/users/@me/guilds?before=${guild}`)).body).toEqual([]);
    expect((await as(ada, 'GET', '/users/@me/guilds?limit=1&after=1')).body).toHaveLength(1);
    expect(await as(ada, 'GET', '/users/@me/guilds?after=x')).toMatchObject(error(400, 50035));
  });

  it('says of each channel whether the user could link it, and what is linked to it', async () => {
    const path = `/guilds/${guild}/channels`;
    const channelsOf = async (userId: string) =>
      (await as(userId, 'GET', `${path}?with_can_link_lobby=true`)).body as LinkableChannel[];
    const open = { id: channel, is_viewable_and_writeable_by_all_members: true };
    expect(await channelsOf(ada)).toMatchObject([{ ...open, is_linkable: true }]);
    expect(await channelsOf(grace)).toMatchObject([{ ...open, is_linkable: false }]);
    const id = await made({ id: ada, flags: 1 });
    await as(ada, 'PATCH', `/lobbies/${id}/channel-linking`, { channel_id: channel });
    expect(await channelsOf(ada)).toMatchObject([
      { is_linkable: false, linked_lobby: { lobby_id: id, linked_by: ada } },
    ]);

    const [plain] = (await as(ada, 'GET', path)).body as object[];
    expect(plain).not.toHaveProperty('is_linkable');
    expect(await bot('GET', path)).toMatchObject({
      status: 200,
      body: [{ id: channel, linked_lobby: { lobby_id: id } }],
    });
    expect(await as(edsger, 'GET', path)).toMatchObject(error(403, 50001));
    expect(await as(ada, 'GET', '/guilds/42/channels')).toMatchObject(error(404, 10004));
    expect(await as(ada, 'GET', `${path}?with_can_link_lobby=perhaps`)).toMatchObject(error(400, 50035));
  });
});

describe('a credential', () => {
  const ofPlayers: [string, string][] = [
    ['PUT', '/lobbies'],
    ['DELETE', '/lobbies/1/members/@me'],
    ['PATCH', '/lobbies/1/channel-linking'],
    ['POST', '/lobbies/1/messages'],
    ['GET', '/lobbies/1/messages'],
    ['POST', '/lobbies/1/members/@me/invites'],
    ['GET', '/users/@me/guilds/1/member'],
  ];
  const ofBots: [string, string][] = [
    ['POST', '/lobbies/1/members/bulk'],
    ['PUT', '/lobbies/1/messages/1/moderation-metadata'],
    ['POST', '/lobbies/1/members/1/invites'],
  ];

  it.each(ofPlayers)('that is the bot’s is rejected by %s %s', async (method, path) => {
    expect(await callApi(service, method, path, undefined, botHeaders)).toMatchObject(error(403, 20001));
  });

  it.each(ofPlayers)('without the scope is rejected by %s %s', async (method, path) => {
    const headers = { authorization: `Bearer ${await playerToken(service, ada, 'identify')}` };
    expect(await callApi(service, method, path, undefined, headers)).toMatchObject(error(403, 50026));
  });

  it.each(ofBots)('that is a player’s is rejected by %s %s', async (method, path) => {
    expect(await as(ada, method, path)).toMatchObject(error(403, 20002));
  });

  it('with the single scope is enough', async () => {
    const authorization = `Bearer ${await playerToken(service, grace, 'lobbies.write')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    expect((await callApi(service, 'PUT', '/lobbies', { secret: 's' }, headers)).status).toBe(200);
  });
});
