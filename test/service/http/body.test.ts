import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/service/index.ts';
import { serviceLimits } from '../../../src/service/support/service-limits.ts';
import { botHeaders, callApi, starfall } from '../../support/service/starfall.ts';
import { head, sendRaw } from './raw.ts';

const bot = `Authorization: ${botHeaders.authorization}`;
const json = 'Content-Type: application/json';

let service: Service;
beforeAll(async () => {
  service = await startService({ fixtures: starfall, limits: 'off', clock: 'virtual' });
});
afterAll(() => service.close());

async function post(body: string | Uint8Array, ...fields: string[]): Promise<{ status: number; body: unknown }> {
  const bytes = Buffer.from(body);
  const request = head('POST', '/api/v10/lobbies', bot, `Content-Length: ${bytes.length}`, ...fields);
  const { status, body: answered } = await sendRaw(service, request, bytes);
  return { status, body: JSON.parse(answered) };
}

const wrongMediaType = { status: 400, body: { code: 50035, errors: { _errors: [{ code: 'CONTENT_TYPE_INVALID' }] } } };
const invalidJson = {
  status: 400,
  body: { message: 'The request body contains invalid JSON.', code: 50109 },
};

describe('ids in a body', () => {
  const lobbyOf = (id: string) => post(`{"members":[{"id":${id}}]}`, json);

  it('may be numbers, and lose no digit', async () => {
    for (const { id } of starfall.users) {
      expect(await lobbyOf(id)).toMatchObject({ status: 201, body: { members: [{ id }] } });
      expect(await lobbyOf(`\n ${id} `)).toMatchObject({ status: 201, body: { members: [{ id }] } });
    }
  });

  it('lose no digit wherever they stand in the body', async () => {
    const [user] = starfall.users;
    const id = user?.id ?? '';
    expect(BigInt(Number(id))).not.toBe(BigInt(id));
    // One place for each remainder of 16, behind a shorter number.
    for (let spaces = 0; spaces < 17; spaces++) {
      const answer = await post(`{"idle_timeout_seconds":300,"members":[{"id":${' '.repeat(spaces)}${id}}]}`, json);
      expect(answer).toMatchObject({ status: 201, body: { members: [{ id }] } });
    }
  });

  it.each([
    ['9223372036854775807', 'unknown', { code: 10013 }],
    ['9223372036854775808', 'too large', { code: 50035 }],
    ['99999999999999999999999', 'too large', { code: 50035 }],
    ['100000000000000009.5', 'no id', { code: 50035 }],
    ['1000000000000000e2', 'no id', { code: 50035 }],
    ['-100000000000000009', 'no id', { code: 50035 }],
  ])('as the number %s are %s', async (id, _, body) => {
    expect((await lobbyOf(id)).body).toMatchObject(body);
  });

  it('are left alone in text that only looks like them', async () => {
    const text = '"id":100000000000000009, x';
    const answer = await post(JSON.stringify({ metadata: { text } }), json);
    expect(answer).toMatchObject({ status: 201, body: { metadata: { text } } });
  });
});

describe('the media type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json ; charset=UTF-8',
    'application/json;',
  ])('is JSON as %s', async type => {
    expect((await post('{}', `Content-Type: ${type}`)).status).toBe(201);
  });

  it.each([
    '',
    ';;;',
    'json',
    'text/plain',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('is not JSON as "%s"', async type => {
    expect(await post('{}', `Content-Type: ${type}`)).toMatchObject(wrongMediaType);
  });

  it('must be given, with a body and without', async () => {
    expect(await post('{}')).toMatchObject(wrongMediaType);
    expect(await post('')).toMatchObject(wrongMediaType);
  });

  it('means nothing where no body is read', async () => {
    for (const method of ['GET', 'DELETE']) {
      const request = head(method, '/api/v10/lobbies/1', bot, 'Content-Type: ;;;', 'Content-Length: 5');
      expect((await sendRaw(service, request, '{"a":')).status).toBe(method === 'GET' ? 404 : 204);
    }
  });
});

describe('a JSON body', () => {
  it.each([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['a byte order mark', '\ufeff{}'],
    ['two values', '{} {}'],
    ['single quotes', "{'a':1}"],
    ['a trailing comma', '{"metadata":null,}'],
    ['NaN', '{"idle_timeout_seconds":NaN}'],
    ['a bare control character', '{"metadata":{"a":"\u0000"}}'],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['compressed bytes', Buffer.from([0x1f, 0x8b, 0x08, 0x00])],
  ])('is not %s', async (_, body) => {
    expect(await post(body, json)).toEqual(invalidJson);
  });

  it('may come in chunks', async () => {
    const request = head('POST', '/api/v10/lobbies', bot, json, 'Transfer-Encoding: chunked');
    expect((await sendRaw(service, request, '1\r\n{\r\n', '1\r\n}\r\n0\r\n\r\n')).status).toBe(201);
  });

  it.each(['1e400', '9'.repeat(400), '-1e400', '1e-400', '5.000000000000001', '9007199254740993'])(
    'may hold the number %s, which is none of its bounds',
    async number => {
      expect(await post(`{"idle_timeout_seconds":${number}}`, json)).toMatchObject({
        status: 400,
        body: { code: 50035, errors: { idle_timeout_seconds: {} } },
      });
    },
  );

  it('says with its last of two equal keys', async () => {
    expect(await post('{"metadata":{"a":"1"},"metadata":{"a":"2"}}', json)).toMatchObject({
      status: 201,
      body: { metadata: { a: '2' } },
    });
  });

  it.each([
    ['__proto__ as a key', '{"__proto__":"x"}'],
    ['keys that objects have', '{"constructor":"x","toString":"y","hasOwnProperty":"z"}'],
    ['NUL', '{"a\\u0000":"\\u0000"}'],
    ['pairs of surrogates', '{"\\ud83c\\udfb2":"\\ud83c\\udfb2"}'],
    ['characters of two units', '{"🎲":"🎲"}'],
    ['an empty key', '{"":""}'],
  ])('keeps %s, and gives it back', async (_, metadata) => {
    const { status, body } = await post(`{"metadata":${metadata}}`, json);
    expect(status).toBe(201);
    const { id, metadata: created } = body as { id: string; metadata: unknown };
    const read = (await callApi(service, 'GET', `/lobbies/${id}`)).body as { metadata: unknown };
    expect([JSON.stringify(created), JSON.stringify(read.metadata)]).toEqual(
      Array(2).fill(JSON.stringify(JSON.parse(metadata))),
    );
  });

  it('that declares to be too long is rejected immediately, one that turns out so at the end', async () => {
    const tooLarge = { status: 413, body: { message: 'Request entity too large', code: 40005 } };
    const declared = head(
      'POST',
      '/api/v10/lobbies',
      bot,
      json,
      `Content-Length: ${serviceLimits.requestBodyBytesMax + 1}`,
    );
    const early = await sendRaw(service, declared, '{');
    expect({ status: early.status, body: JSON.parse(early.body) }).toEqual(tooLarge);
    const chunk = ' '.repeat(1024 * 1024);
    const chunks = Array(serviceLimits.requestBodyBytesMax / chunk.length).fill(`100000\r\n${chunk}\r\n`);
    const chunked = head('POST', '/api/v10/lobbies', bot, json, 'Transfer-Encoding: chunked');
    const late = await sendRaw(service, chunked, ...chunks, '1\r\n \r\n0\r\n\r\n');
    expect({ status: late.status, body: JSON.parse(late.body) }).toEqual(tooLarge);
  });
});

describe('a boolean in the query', () => {
  const list = (query: string) =>
    callApi(service, 'GET', `/applications/${starfall.applications[0].id}/commands?${query}`);

  it.each(['True', 'true', '1', 'False', 'false', '0'])('is %s', async word => {
    expect((await list(`with_localizations=${word}`)).status).toBe(200);
  });

  it.each([
    'with_localizations',
    'with_localizations=',
    'with_localizations=TRUE',
    'with_localizations=yes',
    'with_localizations=2',
    'with_localizations=%00',
    'with_localizations=true&with_localizations=true',
  ])('is not %s', async query => {
    expect(await list(query)).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { with_localizations: { _errors: [{ code: 'BOOLEAN_TYPE_CONVERT' }] } } },
    });
  });

  it('is read before anything is done', async () => {
    const answer = await callApi(service, 'POST', '/interactions/1/x/callback?with_response=maybe', { type: 1 });
    expect(answer).toMatchObject({ status: 400, body: { errors: { with_response: {} } } });
  });
});
