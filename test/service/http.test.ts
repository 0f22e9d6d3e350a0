import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/service/index.ts';
import { serviceLimits } from '../../src/service/support/service-limits.ts';
import { botHeaders, callApi, starfall } from '../support/service/starfall.ts';

const application = starfall.applications[0].id;
const commands = `/applications/${application}/commands`;

describe('the HTTP server', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: 'off' });
  });
  afterAll(() => service.close());

  it('answers GET /gateway to anybody', async () => {
    expect(await callApi(service, 'GET', '/gateway', undefined, {})).toMatchObject({
      status: 200,
      body: { url: service.gateway },
    });
  });

  it.each([
    ['no credential', {}],
    ['an unknown token', { authorization: 'Bot nobody' }],
    ['a bot token without its prefix', { authorization: 'starfall-bot-token' }],
    ['an unknown prefix', { authorization: 'Basic starfall-bot-token' }],
    ['an unknown bearer', { authorization: 'Bearer nobody' }],
  ])('answers 401 to %s', async (_, headers) => {
    expect(await callApi(service, 'GET', commands, undefined, headers as Record<string, string>)).toMatchObject({
      status: 401,
      body: { message: '401: Unauthorized', code: 0 },
    });
  });

  it('answers 404 to a path that no route has', async () => {
    expect(await callApi(service, 'GET', '/lobbies/1/nothing')).toMatchObject({
      status: 404,
      body: { message: '404: Not Found', code: 0 },
    });
  });

  it('answers 405 and the allowed methods to a path that has others', async () => {
    const answer = await callApi(service, 'PATCH', '/lobbies', {});
    expect(answer).toMatchObject({ status: 405, body: { message: '405: Method Not Allowed', code: 0 } });
    expect(answer.headers.get('allow')).toContain('POST');
  });

  it.each(['0', '3', '5', '11', '60'])('answers 50041 to version %s', async version => {
    const answer = await fetch(`${service.apiBase}/v${version}/gateway`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 50041 });
  });

  it.each(['/v9/gateway', '/v8/gateway', '/v6/gateway', '/gateway'])('serves /api%s as version 10', async path => {
    expect((await fetch(service.apiBase + path)).status).toBe(200);
  });

  it.each(['abc', '-1', '1.5', '9223372036854775808', '01'])(
    'answers 50035 at the parameter to the id %s',
    async id => {
      expect(await callApi(service, 'GET', `/lobbies/${id}`)).toMatchObject({
        status: 400,
        body: { code: 50035, errors: { lobby_id: { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] } } },
      });
    },
  );

  it.each(['', '{', '{"name":', '[1,]', 'nonsense', '\u0000'])('answers 50109 to the body %j', async body => {
    expect(await callApi(service, 'POST', commands, body)).toMatchObject({ status: 400, body: { code: 50109 } });
  });

  it('answers 50035 to a body of another media type', async () => {
    const headers = { ...botHeaders, 'content-type': 'text/plain' };
    expect(await callApi(service, 'POST', commands, '{}', headers)).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { _errors: [{ code: 'CONTENT_TYPE_INVALID' }] } },
    });
  });

  it('answers 413 to a body one byte over the bound, and checks one at the bound', async () => {
    const filler = (bytes: number) => `{"x":"${'a'.repeat(bytes - 8)}"}`;
    expect(await callApi(service, 'POST', commands, filler(serviceLimits.requestBodyBytesMax + 1))).toMatchObject({
      status: 413,
      body: { code: 40005 },
    });
    expect((await callApi(service, 'POST', commands, filler(serviceLimits.requestBodyBytesMax))).status).toBe(400);
  });

  it('answers 10002 to the commands of an application that does not exist', async () => {
    expect(await callApi(service, 'GET', '/applications/42/commands')).toMatchObject({
      status: 404,
      body: { code: 10002 },
    });
  });

  it('answers a body nested a hundred thousand levels deep without harm', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const body of [deep, `{"options":${deep},"name":${deep}}`, `{"metadata":${deep}}`]) {
      expect((await callApi(service, 'POST', commands, body)).status).toBe(400);
      expect((await callApi(service, 'POST', '/lobbies', body)).status).toBeLessThan(500);
    }
  });

  it('sends no content type with an empty answer', async () => {
    const answer = await callApi(service, 'DELETE', '/lobbies/1');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([204, null]);
  });
});

describe('limits on requests', () => {
  it('let the 50th call of a second through, reject the 51st with 429, and let on when the second is over', async () => {
    const service = await startService({ fixtures: starfall, clock: 'virtual' });
    const get = () => callApi(service, 'GET', '/lobbies/1');
    for (let call = 1; call <= 50; call++) expect((await get()).status).toBe(404);
    const refused = await get();
    expect(refused).toMatchObject({ status: 429, body: { global: true, retry_after: 1 } });
    expect(refused.headers.get('x-ratelimit-global')).toBe('true');
    expect(refused.headers.get('x-ratelimit-scope')).toBe('global');
    expect(refused.headers.get('retry-after')).toBe('1');
    await service.clock.advance(999);
    expect((await get()).status).toBe(429);
    await service.clock.advance(1);
    expect((await get()).status).toBe(404);
    await service.close();
  });

  it('count an application and the anonymous apart', async () => {
    const service = await startService({ fixtures: starfall, clock: 'virtual' });
    for (let call = 1; call <= 51; call++) await callApi(service, 'GET', '/lobbies/1');
    expect((await callApi(service, 'GET', '/gateway', undefined, {})).status).toBe(200);
    await service.close();
  });

  it('report how much of a bucket the caller has used', async () => {
    const service = await startService({ fixtures: starfall, clock: 'virtual' });
    const { headers } = await callApi(service, 'GET', '/lobbies/1');
    expect(headers.get('x-ratelimit-limit')).toBe('500');
    expect(headers.get('x-ratelimit-remaining')).toBe('499');
    expect(headers.get('x-ratelimit-reset-after')).toBe('10.000');
    expect(headers.get('x-ratelimit-bucket')).toMatch(/^[0-9a-f]{32}$/);
    await service.close();
  });
});
