import { afterEach, describe, expect, it } from 'vitest';
import { type LimitProfile, limitProfiles } from '../../../src/model/limits/limit-profiles.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { type Service, type ServiceOptions, startService } from '../../../src/service/index.ts';
import { botHeaders, callApi, starfall } from '../../support/service/starfall.ts';

const [application] = starfall.applications;
const commands = `/applications/${application.id}/commands`;
const bucketHeaders = ['limit', 'remaining', 'reset', 'reset-after', 'bucket'].map(name => `x-ratelimit-${name}`);

let service: Service;
afterEach(() => service.close());

async function start(profile: ServiceOptions['limits'] = 'standard'): Promise<void> {
  service = await startService({ fixtures: starfall, limits: profile, clock: 'virtual' });
}

function profileOf(buckets: LimitProfile['buckets']): LimitProfile {
  return { ...limitProfiles.off, buckets };
}

type Answer = Awaited<ReturnType<typeof callApi>>;
const told = ({ headers }: Answer, names: readonly string[]) => names.filter(name => headers.has(name));
const onlyRefused = ['x-ratelimit-scope', 'x-ratelimit-global', 'retry-after'];

describe('headers about limits', () => {
  it.each([
    ['201', 'POST', '/lobbies', {}],
    ['204', 'DELETE', '/lobbies/1', undefined],
    ['404', 'GET', '/lobbies/1', undefined],
    ['400 for the body', 'POST', '/lobbies', { metadata: 1 }],
    ['400 for the JSON', 'POST', '/lobbies', '{'],
    ['400 for the path', 'GET', '/lobbies/x', undefined],
  ])('are sent with %s', async (_, method, path, body) => {
    await start();
    const answer = await callApi(service, method, path, body);
    expect(told(answer, bucketHeaders)).toEqual(bucketHeaders);
    expect(told(answer, onlyRefused)).toEqual([]);
  });

  it('tell one bucket from another, and one bucket by one id after a restart too', async () => {
    const ids = new Set<string | null>();
    for (let time = 0; time < 2; time++) {
      await start();
      for (const method of ['GET', 'DELETE'])
        ids.add((await callApi(service, method, '/lobbies/1')).headers.get('x-ratelimit-bucket'));
      if (time === 0) await service.close();
    }
    expect(ids.size).toBe(2);
  });

  it('give the time as seconds with milliseconds', async () => {
    await start(profileOf({ 'lobby-get': { requests: 5, windowMs: 1234 } }));
    const nowMs = service.clock.now();
    const { headers } = await callApi(service, 'GET', '/lobbies/1');
    expect(headers.get('x-ratelimit-reset-after')).toBe('1.234');
    expect(headers.get('x-ratelimit-reset')).toBe(((nowMs + 1234) / 1000).toFixed(3));
  });

  it('are not sent by a route without figures', async () => {
    await start('off');
    expect(told(await callApi(service, 'GET', '/lobbies/1'), [...bucketHeaders, ...onlyRefused])).toEqual([]);
  });
});

describe('a rejection', () => {
  it('by a bucket: N calls pass, the next gets 429, and passes after waiting', async () => {
    await start(profileOf({ 'lobby-get': { requests: 2, windowMs: 64_570 } }));
    const get = () => callApi(service, 'GET', '/lobbies/1');
    expect([await get(), await get()].map(({ status }) => status)).toEqual([404, 404]);
    const refused = await get();
    expect(refused).toMatchObject({ status: 429 });
    expect(refused.body).toEqual({
      message: 'You are being rate limited.',
      code: 0,
      retry_after: 64.57,
      global: false,
    });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': '65',
      'x-ratelimit-scope': 'user',
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
    });
    expect(refused.headers.has('x-ratelimit-global')).toBe(false);
    await service.clock.advance(64_569);
    expect((await get()).status).toBe(429);
    await service.clock.advance(1);
    expect((await get()).status).toBe(404);
  });

  it('by the limit over all routes carries no bucket', async () => {
    await start(profileOf({ global: { requests: 1, windowMs: 1500 }, 'lobby-get': { requests: 9, windowMs: 9 } }));
    await callApi(service, 'GET', '/lobbies/1');
    const refused = await callApi(service, 'POST', '/lobbies', {});
    expect(refused.body).toEqual({ message: 'You are being rate limited.', code: 0, retry_after: 1.5, global: true });
    expect(told(refused, bucketHeaders)).toEqual([]);
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': '2',
      'x-ratelimit-scope': 'global',
      'x-ratelimit-global': 'true',
    });
  });

  it('comes before the body is checked, and is not counted', async () => {
    await start(profileOf({ 'lobby-create': { requests: 1, windowMs: 1000 } }));
    expect((await callApi(service, 'POST', '/lobbies', '{')).status).toBe(400);
    expect((await callApi(service, 'POST', '/lobbies', '{')).status).toBe(429);
    await service.clock.advance(1000);
    expect((await callApi(service, 'POST', '/lobbies', {})).status).toBe(201);
  });

  it('by the creates of a day is shared: the bucket has calls left', async () => {
    await start(profileOf({ 'command-create': { requests: 1, windowMs: limits.commandCreatesPerDay * 432_000 } }));
    expect((await callApi(service, 'POST', commands, { name: 'a', description: 'b' })).status).toBe(201);
    const refused = await callApi(service, 'POST', commands, { name: 'c', description: 'd' });
    expect(refused).toMatchObject({ status: 429, body: { code: 30034, global: false } });
    expect(refused.headers.get('x-ratelimit-scope')).toBe('shared');
    const { retry_after } = refused.body as { retry_after: number };
    expect(refused.headers.get('retry-after')).toBe(String(Math.ceil(retry_after)));
  });

  it('does not stop the answers to interactions', async () => {
    await start(profileOf({ global: { requests: 1, windowMs: 1000 } }));
    const answer = () =>
      callApi(service, 'POST', '/interactions/1/x/callback', { type: 1 }, { 'content-type': 'application/json' });
    for (let time = 0; time < 5; time++) expect((await answer()).status).toBe(404);
  });

  it('is counted for each application, and without a credential by address', async () => {
    await start(profileOf({ global: { requests: 1, windowMs: 1000 } }));
    const bot = () => callApi(service, 'GET', '/users/@me', undefined, botHeaders);
    const nobody = () => callApi(service, 'GET', '/gateway', undefined, {});
    const statuses = [await bot(), await nobody(), await bot(), await nobody()].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });
});

describe('what happens in one guild', () => {
  it('is counted apart from other guilds and from what happens in none', async () => {
    await start(profileOf({ 'command-read': { requests: 1, windowMs: 1000 } }));
    const inGuild = (id: string) => callApi(service, 'GET', `/applications/${application.id}/guilds/${id}/commands`);
    expect((await inGuild('1')).status).toBe(404);
    expect((await inGuild('1')).status).toBe(429);
    expect((await inGuild('2')).status).toBe(404);
    expect((await callApi(service, 'GET', commands)).status).toBe(200);
    expect((await callApi(service, 'GET', commands)).status).toBe(429);
  });
});
