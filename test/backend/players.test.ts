import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Backend, createBackend, fetchTransport, type Transport } from '../../src/backend/index.ts';
import { identitiesMax, identityAgeMsMax } from '../../src/backend/players.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, , edsger] = starfall.users;
const other = { id: '100000000000000031', name: 'Otherworld', owner_id: ada.id, bot_token: 'otherworld-bot-token' };

describe('a player who calls the game’s server', () => {
  let service: Service;
  let clock: VirtualClock;
  let backend: Backend;
  let asked: number;

  beforeAll(async () => {
    service = await startService({ fixtures: { ...starfall, applications: [application, other] }, limits: 'off' });
  });
  beforeEach(() => {
    clock = new VirtualClock(Date.now());
    asked = 0;
    backend = open(application);
  });
  afterEach(() => backend.close());
  afterAll(() => service.close());

  function open({ id: applicationId, bot_token: botToken }: { readonly id: string; readonly bot_token: string }) {
    const fetching = fetchTransport(fetch);
    const transport: Transport = {
      send: request => {
        asked++;
        return fetching.send(request);
      },
      close: () => fetching.close(),
    };
    return createBackend({ applicationId, botToken, baseUrl: service.webBase, clock, transport });
  }

  async function revoke(token: string): Promise<void> {
    const body = new URLSearchParams({ token, client_id: application.id });
    await fetch(`${service.apiBase}/v10/oauth2/token/revoke`, { method: 'POST', body });
  }

  it('a player is identified by the access token: user, application, scopes and expiry', async () => {
    const identity = await backend.players.identify(await playerToken(service, ada.id));
    expect(identity).toEqual({
      user: { id: ada.id, username: 'ada', name: 'Ada' },
      applicationId: application.id,
      scopes: ['sdk.social_layer'],
      expiresAt: expect.any(Date),
    });
    const lifeMs = identity.expiresAt.getTime() - Date.now();
    expect(lifeMs).toBeGreaterThan(600_000_000);
    expect(lifeMs).toBeLessThanOrEqual(604_800_000);
  });

  it('a player without a display name has the username as name', async () => {
    const { user } = await backend.players.identify(await playerToken(service, edsger.id));
    expect(user).toEqual({ id: edsger.id, username: 'edsger', name: 'edsger' });
  });

  it('a token of another game is rejected with wrong_application, each time', async () => {
    const token = await playerToken(service, ada.id);
    const foreign = open(other);
    for (let time = 0; time < 2; time++) {
      await expect(foreign.players.identify(token)).rejects.toMatchObject({
        name: 'OAuthError',
        code: 'wrong_application',
      });
    }
    foreign.close();
  });

  it('a token without the scope identify is rejected with missing_scope', async () => {
    const token = await playerToken(service, ada.id, 'guilds');
    await expect(backend.players.identify(token)).rejects.toMatchObject({ code: 'missing_scope' });
  });

  it.each([
    ['a token that nobody issued', 'nobody-issued-this'],
    ['the bot token', application.bot_token],
  ])('with %s is rejected with invalid_token, by the service', async (_, token) => {
    await expect(backend.players.identify(token)).rejects.toMatchObject({ name: 'OAuthError', code: 'invalid_token' });
    expect(asked).toBe(1);
  });

  it.each([
    ['no token', undefined],
    ['an empty token', ''],
    ['the whole header', 'Bearer abc'],
    ['a line break in the token', 'abc\r\nx: y'],
    ['a token of 2,049 characters', 'a'.repeat(2049)],
    ['an object for a token', { token: 'abc' } as unknown as string],
  ])('with %s is rejected with invalid_token, and nothing is sent', async (_, token) => {
    await expect(backend.players.identify(token)).rejects.toMatchObject({ name: 'OAuthError', code: 'invalid_token' });
    expect(asked).toBe(0);
  });

  it('a token of 2,048 characters is looked up', async () => {
    await expect(backend.players.identify('a'.repeat(2048))).rejects.toMatchObject({ code: 'invalid_token' });
    expect(asked).toBe(1);
  });

  it('an identified player is remembered for 30 seconds, and then looked up again', async () => {
    const token = await playerToken(service, ada.id);
    const first = await backend.players.identify(token);
    await clock.advance(identityAgeMsMax - 1);
    expect(await backend.players.identify(token)).toBe(first);
    expect(asked).toBe(1);
    await clock.advance(1);
    expect(await backend.players.identify(token)).toEqual(first);
    expect(asked).toBe(2);
  });

  it('a revoked token is rejected immediately with maxAgeMs 0, and from then on without it', async () => {
    const token = await playerToken(service, ada.id);
    await backend.players.identify(token);
    await revoke(token);
    expect(await backend.players.identify(token)).toMatchObject({ user: { id: ada.id } });
    const rejected = { name: 'OAuthError', code: 'invalid_token' };
    await expect(backend.players.identify(token, { maxAgeMs: 0 })).rejects.toMatchObject(rejected);
    await expect(backend.players.identify(token)).rejects.toMatchObject(rejected);
  });

  it('an identified player is not remembered for longer than 30 seconds, whatever maxAgeMs allows', async () => {
    const token = await playerToken(service, ada.id);
    await backend.players.identify(token);
    await clock.advance(identityAgeMsMax);
    await revoke(token);
    const late = backend.players.identify(token, { maxAgeMs: Number.POSITIVE_INFINITY });
    await expect(late).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each([-1, Number.NaN, '5' as unknown as number])(
    'with maxAgeMs %s is rejected with invalid_argument',
    async age => {
      const call = backend.players.identify('abc', { maxAgeMs: age });
      await expect(call).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );
});

describe('the memory of identified players', () => {
  const startMs = Date.parse('2026-03-01T12:00:00Z');
  let clock: VirtualClock;
  let asked: string[];
  let answer: Record<string, unknown>;
  let backend: Backend;

  beforeEach(() => {
    clock = new VirtualClock(startMs);
    asked = [];
    answer = {
      application: { id: application.id },
      scopes: ['identify'],
      expires: '2026-03-01T13:00:00.000000+00:00',
      user: { id: ada.id, username: 'ada', global_name: null },
    };
    backend = createBackend({
      applicationId: application.id,
      botToken: application.bot_token,
      baseUrl: 'https://rallypoint.example',
      globalLimit: 'off',
      clock,
      fetch: async (_, { headers }) => {
        asked.push(String(new Headers(headers).get('authorization')));
        return Response.json(answer);
      },
    });
  });
  afterEach(() => backend.close());

  it('an identified player is forgotten when the token expires', async () => {
    answer.expires = '2026-03-01T12:00:10.000000+00:00';
    await backend.players.identify('a');
    await clock.advance(9_999);
    await backend.players.identify('a');
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await backend.players.identify('a');
    expect(asked).toHaveLength(2);
  });

  it(`holds ${identitiesMax} players and forgets the one it has known longest for one more`, async () => {
    for (let n = 0; n < identitiesMax; n++) await backend.players.identify(`token-${n}`);
    await backend.players.identify('token-0');
    expect(asked).toHaveLength(identitiesMax);
    await backend.players.identify('one-more');
    await backend.players.identify('token-1');
    expect(asked).toHaveLength(identitiesMax + 1);
    await backend.players.identify('token-0');
    expect(asked).toHaveLength(identitiesMax + 2);
  });

  it('the cache keeps the players of different tokens apart', async () => {
    await backend.players.identify('a');
    answer.user = { id: edsger.id, username: 'edsger', global_name: null };
    expect((await backend.players.identify('b')).user.id).toBe(edsger.id);
    expect((await backend.players.identify('a')).user.id).toBe(ada.id);
    expect(asked).toEqual(['Bearer a', 'Bearer b']);
  });

  it.each([
    ['no application', { application: undefined }],
    ['no scopes', { scopes: undefined }],
    ['an expiry that is no time', { expires: 'soon' }],
    ['a user without an id', { user: { username: 'ada' } }],
    ['a user whose display name is a number', { user: { id: ada.id, username: 'ada', global_name: 5 } }],
  ])('takes nothing from a response with %s', async (_, part) => {
    Object.assign(answer, part);
    await expect(backend.players.identify('a')).rejects.toMatchObject({ code: 'unreadable_answer' });
  });
});
