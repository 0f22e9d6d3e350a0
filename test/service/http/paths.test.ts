import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/service/index.ts';
import { botHeaders, callApi, starfall } from '../../support/service/starfall.ts';
import { head, sendRaw } from './raw.ts';

const bot = `Authorization: ${botHeaders.authorization}`;

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterAll(() => service.close());

const get = (target: string, ...fields: string[]) => sendRaw(service, head('GET', target, bot, ...fields));

describe('a request target', () => {
  it.each([
    '/api/v10/users/@me',
    '/api/v10/users/%40me',
    '/api/v9/users/@me',
    '/api/users/@me',
    '/api/v10/%75sers/@me',
    '/api/v10/users/@me?a=%zz&b=%',
    '/api/v10/users/@me#part',
    'http://localhost:1/api/v10/users/@me',
  ])('is understood as %s', async target => {
    expect((await get(target)).status).toBe(200);
  });

  it.each([
    '/',
    '/api',
    '/api/v10',
    '/api/v10/',
    '/api/v10//users/@me',
    '/api/v10/users/@me/',
    '/api/v10/oauth2/@me;a=b',
    '/api/v10/../v10/users/@me',
    '/API/v10/users/@me',
    '/api/v10/__proto__',
    '/api/v10/constructor/prototype',
    '*',
  ])('is answered 404 when it is %s', async target => {
    const { status, body } = await get(target);
    expect({ status, body: JSON.parse(body) }).toEqual({ status: 404, body: { message: '404: Not Found', code: 0 } });
  });

  it.each(['/api/v10/lobbies/%', '/api/v10/lobbies/%zz', '/api/v10/lobbies/%ff'])(
    'is answered 400 when its escapes are broken: %s',
    async target => {
      const { status, body } = await get(target);
      expect({ status, body: JSON.parse(body) }).toEqual({
        status: 400,
        body: { message: '400: Bad Request', code: 0 },
      });
    },
  );

  it.each(['1%2F2', '%00', '%31x', '__proto__', '1'.repeat(2048), '%F0%9F%8E%B2'])(
    'has an id where the path has one, not %s',
    async id => {
      expect(await callApi(service, 'GET', `/lobbies/${id}`)).toMatchObject({
        status: 400,
        body: { code: 50035, errors: { lobby_id: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] } } },
      });
    },
  );

  it('has an id that may be escaped', async () => {
    expect(await callApi(service, 'GET', '/lobbies/%31%32')).toMatchObject({ status: 404, body: { code: 10031 } });
  });

  it('may be as long as its headers, and is answered 431 beyond', async () => {
    expect((await get(`/api/v10/users/@me?${'a'.repeat(15_000)}`)).status).toBe(200);
    const { status, body, headers } = await get(`/api/v10/users/@me?${'a'.repeat(17_000)}`);
    expect({ status, body: JSON.parse(body), type: headers['content-type'] }).toEqual({
      status: 431,
      body: { message: '431: Request Header Fields Too Large', code: 0 },
      type: 'application/json',
    });
  });

  it('with a part of 2,049 characters has no route', async () => {
    expect((await get(`/api/v10/lobbies/${'1'.repeat(2049)}`)).status).toBe(404);
  });
});

describe('a credential', () => {
  const credential = (value: string, path: string, method = 'GET') =>
    sendRaw(service, head(method, `/api/v10${path}`, `Authorization: ${value}`, 'Content-Length: 0'));

  it.each([
    ['', '/oauth2/@me', 'Bearer realm="rallypoint"'],
    ['Bearer wrong', '/oauth2/@me', 'Bearer realm="rallypoint", error="invalid_token"'],
    ['Bearer wrong', '/users/@me', 'Bearer realm="rallypoint", error="invalid_token"'],
    ['', '/applications/@me', 'Bot realm="rallypoint"'],
    ['Bot wrong', '/applications/@me', 'Bot realm="rallypoint", error="invalid_token"'],
    ['wrong', '/users/@me', 'Bearer realm="rallypoint", error="invalid_token"'],
    // RFC 6750, section 3.1: another scheme, or none, is no credential.
    [' ', '/users/@me', 'Bearer realm="rallypoint"'],
    ['Basic MTpzZWNyZXQ=', '/users/@me', 'Bearer realm="rallypoint"'],
    ['Basic  MTpzZWNyZXQ=', '/applications/@me', 'Bot realm="rallypoint"'],
  ])('%j at %s is answered 401 with the challenge %s', async (value, path, challenge) => {
    const answer = await (value === '' ? sendRaw(service, head('GET', `/api/v10${path}`)) : credential(value, path));
    expect({ status: answer.status, challenge: answer.headers['www-authenticate'] }).toEqual({
      status: 401,
      challenge,
    });
  });

  it.each(['Bot ', 'bot ', 'BOT ', 'Bot  '])('is accepted with its scheme written as %j', async scheme => {
    const value = scheme + starfall.applications[0].bot_token;
    expect((await credential(value, '/applications/@me')).status).toBe(200);
  });

  it('of another kind is answered 403 without a challenge', async () => {
    const answer = await credential(botHeaders.authorization, '/oauth2/@me');
    expect({ status: answer.status, challenge: answer.headers['www-authenticate'] }).toEqual({ status: 403 });
  });
});

describe('a method', () => {
  it.each([
    '/api/v10/users/@me',
    '/api/gateway',
    '/api/v10/openapi.json',
    '/api/v10/lobbies/12',
    '/api/oauth2/authorize',
    '/oauth2/authorize',
    '/.well-known/openid-configuration',
    '/pictures/0.png',
    '/healthz',
    '/nowhere',
  ])('HEAD is answered as GET without the body: %s', async target => {
    const answers = await Promise.all(['GET', 'HEAD'].map(method => sendRaw(service, head(method, target, bot))));
    const [got, answer] = answers.map(({ status, headers, body }) => {
      const { date: _, 'x-request-id': _id, 'set-cookie': _cookie, ...rest } = headers;
      return { status, headers: rest, body };
    });
    expect(answer).toEqual({ ...got, body: '' });
  });

  it.each(['OPTIONS', 'PUT', 'PROPFIND', 'QUERY', 'TRACE'])('%s is answered 405 where there is none', async method => {
    const { status, headers, body } = await sendRaw(service, head(method, '/api/v10/gateway', bot));
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(JSON.parse(body)).toEqual({ message: '405: Method Not Allowed', code: 0 });
  });

  it.each([
    ['POST', '/.well-known/openid-configuration', 'GET, HEAD'],
    ['PUT', '/oauth2/authorize', 'GET, HEAD, POST'],
    ['DELETE', '/api/oauth2/authorize', 'GET, HEAD, POST'],
    ['POST', '/embed/avatars/0.png', 'GET, HEAD'],
    ['POST', '/attachments/1/2/file.png', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
  ])('%s is answered 405 at %s, which is no route', async (method, target, allow) => {
    const { status, headers } = await sendRaw(service, head(method, target, 'Content-Type: ;;;', 'Content-Length: 0'));
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow });
  });

  it('is answered 404 where there is no path', async () => {
    expect((await sendRaw(service, head('OPTIONS', '/api/v10/nothing'))).status).toBe(404);
    expect(
      (await sendRaw(service, head('POST', '/api/v10/gateway/', 'Content-Type: ;;;', 'Content-Length: 0'))).status,
    ).toBe(404);
  });

  it('PUT is disabled for the permissions of all commands together', async () => {
    const path = `/applications/${starfall.applications[0].id}/guilds/${starfall.guilds[0].id}/commands/permissions`;
    expect(await callApi(service, 'PUT', path, [])).toMatchObject({
      status: 405,
      body: { message: '405: Method Not Allowed', code: 0 },
    });
  });
});
