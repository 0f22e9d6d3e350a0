import { type Dispatcher, Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LimitProfile,
  limitProfiles,
  type RateLimit,
  type RateLimitBucket,
} from '../../src/model/limits/limit-profiles.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { type Route, type RouteName, routes } from '../../src/wire/routes.ts';
import { botHeaders, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [ada, grace] = starfall.users;

/** Every route that counts by a bucket of lobbies. */
const limited = (Object.keys(routes) as RouteName[]).filter(name => bucketOf(name)?.startsWith('lobby-'));

function bucketOf(name: RouteName): RateLimitBucket | undefined {
  return (routes[name] as Route).bucket;
}

/** What is sent where a body is needed; whatever becomes of the call, it counts. */
const bodies: Partial<Record<RouteName, unknown>> = {
  createLobby: {},
  editLobby: {},
  putLobbyMember: {},
  bulkUpdateLobbyMembers: [{ id: ada.id }],
  joinLobby: { secret: 'open sesame' },
  linkLobbyChannel: {},
  createLobbyMessage: { content: 'hello' },
};

/** The profile without the limit over all routes, which would come first: 50 calls a second. */
function withoutGlobal({ buckets, ...profile }: LimitProfile): LimitProfile {
  const { global: _, ...others } = buckets;
  return { ...profile, buckets: others };
}

interface Answered {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: unknown;
}

describe.each(['standard', 'development'] as const)('the %s profile', profileName => {
  const profile = withoutGlobal(limitProfiles[profileName]);
  let service: Service;
  let pool: Pool;
  let lobbyId: string;
  let tokens: Readonly<Record<string, string>>;

  beforeAll(async () => {
    service = await startService({ fixtures: starfall, limits: profile, clock: 'virtual' });
    pool = new Pool(service.webBase, { connections: 8 });
    tokens = {
      [ada.id]: `Bearer ${await playerToken(service, ada.id)}`,
      [grace.id]: `Bearer ${await playerToken(service, grace.id)}`,
    };
    // One that a user may write to, so that most calls succeed; made by a call of its own bucket.
    const joined = await ask('joinLobby', ada.id);
    lobbyId = (joined.body as { id: string }).id;
    await service.clock.advance(2 * 3_600_000); // whatever was counted counts no more
    await ask('joinLobby', ada.id);
    await service.clock.advance(2 * 3_600_000);
  }, 20_000);
  afterAll(async () => {
    await pool.destroy();
    await service.close();
  });

  async function ask(name: RouteName, userId: string): Promise<Answered> {
    const route: Route = routes[name];
    const values: Record<string, string> = { lobby_id: lobbyId ?? '1', user_id: ada.id };
    const path = route.path.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? '1');
    const isBots = route.credentials.includes('bot');
    const authorization = isBots ? botHeaders.authorization : (tokens[userId] ?? '');
    const body = bodies[name];
    const {
      statusCode,
      headers,
      body: answer,
    } = await pool.request({
      method: route.method,
      path: `/api/v10${path}`,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: statusCode, headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  async function askOften(name: RouteName, count: number): Promise<readonly Answered[]> {
    const answers: Answered[] = [];
    let left = count;
    const lane = async () => {
      while (left-- > 0) answers.push(await ask(name, ada.id));
    };
    await Promise.all(Array.from({ length: 32 }, lane));
    return answers;
  }

  const rows = limited.flatMap(name => {
    const bucket = bucketOf(name);
    const limit = bucket && profile.buckets[bucket];
    return limit ? [{ name, bucket, limit }] : [];
  });

  it.each(rows)(
    'lets $limit.requests of $name through in $limit.windowMs ms, and not one more',
    async ({ name, limit }) => {
      const allowed = await askOften(name, limit.requests);
      expect(allowed.filter(({ status }) => status === 429)).toEqual([]);
      expect(remaining(allowed)).toEqual(Array.from({ length: limit.requests }, (_, i) => i));
      expectRefusal(await ask(name, ada.id), limit);
      await service.clock.advance(limit.windowMs - 1);
      expectRefusal(await ask(name, ada.id), { ...limit, windowMs: 1 });
      await service.clock.advance(1);
      expect((await ask(name, ada.id)).status).not.toBe(429);
      await service.clock.advance(limit.windowMs);
    },
    20_000,
  );

  it.each(rows.filter(({ name }) => !routes[name].credentials.includes('bot' as never)))(
    'counts $name for each user apart, or for all together, as the profile says',
    async ({ name, limit }) => {
      const used = [await ask(name, ada.id), await ask(name, grace.id)].map(
        ({ headers }) => limit.requests - Number(headers['x-ratelimit-remaining']),
      );
      expect(used).toEqual(limit.perApplication ? [1, 2] : [1, 1]);
      await service.clock.advance(limit.windowMs);
    },
  );

  it('does not count what the profile has no limit for', async () => {
    const free = limited.filter(name => !rows.some(row => row.name === name));
    for (const name of free) {
      const answers = await askOften(name, 120);
      expect(answers.filter(({ status, headers }) => status === 429 || headers['x-ratelimit-limit'])).toEqual([]);
    }
  });

  function remaining(answers: readonly Answered[]): number[] {
    return answers.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => a - b);
  }

  function expectRefusal({ status, headers, body }: Answered, { requests, windowMs }: RateLimit): void {
    expect({ status, body }).toMatchObject({ status: 429, body: { global: false, retry_after: windowMs / 1000 } });
    expect(headers).toMatchObject({
      'retry-after': String(Math.ceil(windowMs / 1000)),
      'x-ratelimit-limit': String(requests),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-scope': 'user',
    });
  }
});

describe('the limit over all routes', () => {
  it.each(['standard', 'development'] as const)(
    'lets 50 lobby calls a second through in the %s profile',
    async name => {
      const { global } = limitProfiles[name].buckets;
      const service = await startService({ fixtures: starfall, limits: name, clock: 'virtual' });
      const pool = new Pool(service.webBase);
      const ask = () => pool.request({ method: 'GET', path: '/api/v10/lobbies/1', headers: botHeaders });
      try {
        for (let i = 0; i < (global?.requests ?? 0); i++) expect((await ask()).statusCode).toBe(404);
        const refused = await ask();
        expect(refused.statusCode).toBe(429);
        expect(refused.headers).toMatchObject({ 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' });
        expect(await refused.body.json()).toMatchObject({ global: true });
        await service.clock.advance((global?.windowMs ?? 0) - 1);
        expect((await ask()).statusCode).toBe(429);
        await service.clock.advance(1);
        expect((await ask()).statusCode).toBe(404);
      } finally {
        await pool.destroy();
        await service.close();
      }
    },
  );
});
