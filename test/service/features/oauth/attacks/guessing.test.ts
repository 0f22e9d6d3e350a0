import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LimitProfile, limitProfiles } from '../../../../../src/model/limits/limit-profiles.ts';
import { ada, basic, ben, openService, secret, site, siteExchange, type TestService } from '../support.ts';

describe('guessing', () => {
  const limits: LimitProfile = {
    name: 'standard',
    asOf: '2026-11-20',
    buckets: {
      'oauth-proof': limitProfiles.standard.buckets['oauth-proof'] ?? { requests: 0, windowMs: 0 },
      'oauth-user-code': limitProfiles.standard.buckets['oauth-user-code'] ?? { requests: 0, windowMs: 0 },
    },
  };
  const proofs = limits.buckets['oauth-proof']?.requests ?? 0;
  const typed = limits.buckets['oauth-user-code']?.requests ?? 0;
  const windowMs = 60_000;
  const refused = { status: 429, body: { message: 'You are being rate limited.', global: false } };

  let limited: TestService;
  beforeEach(async () => {
    limited = await openService(Date.now(), limits);
  });
  afterEach(() => limited.close());

  const wrongSecret = () =>
    limited.token({ grant_type: 'client_credentials', scope: 'identify', client_id: site.id, client_secret: 'wrong' });
  const rightSecret = () =>
    limited.token({ grant_type: 'client_credentials', scope: 'identify', client_id: site.id, client_secret: secret });

  it.each<[string, () => Promise<{ status: number }>]>([
    ['a secret in the form', wrongSecret],
    [
      'a secret in the header',
      () => limited.token({ grant_type: 'client_credentials', scope: 'identify' }, basic(site.id, 'wrong')),
    ],
    ['a secret at revocation', () => limited.revoke({ token: 'x', client_id: site.id, client_secret: 'wrong' })],
    ['a secret at the start of a device', () => limited.startDevice({ client_id: site.id, client_secret: 'wrong' })],
    ['a code', () => limited.token({ ...siteExchange, grant_type: 'authorization_code', code: 'wrong' })],
    ['a refresh token', () => limited.refresh('wrong', { client_id: site.id, client_secret: secret })],
    ['a device’s code', () => limited.pollDevice('wrong', { client_id: site.id, client_secret: secret })],
  ])(
    `%s may be wrong ${proofs} times in a minute; then nothing is looked at, not even what is right`,
    async (_, guess) => {
      for (let time = 1; time < proofs; time++) expect((await guess()).status).toBeLessThan(429);
      expect((await rightSecret()).status).toBe(200);
      expect((await guess()).status).toBeLessThan(429);
      expect(await guess()).toMatchObject(refused);
      expect(await rightSecret()).toMatchObject(refused);
      await limited.clock.advance(windowMs - 1);
      expect(await rightSecret()).toMatchObject(refused);
      await limited.clock.advance(1);
      expect((await rightSecret()).status).toBe(200);
    },
  );

  it('many concurrent ones gets no further', async () => {
    const answers = await Promise.all(Array.from({ length: 3 * proofs }, wrongSecret));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(proofs);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * proofs);
  });

  it('says when to come again', async () => {
    for (let time = 0; time < proofs; time++) await wrongSecret();
    await limited.clock.advance(1500);
    const { headers, body } = await wrongSecret();
    expect(headers.get('retry-after')).toBe('59');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.retry_after).toBe(58.5);
  });

  it('at one application does not affect the others', async () => {
    for (let time = 0; time < proofs; time++) await wrongSecret();
    const code = await limited.code();
    expect((await limited.exchange(code)).status).toBe(200);
  });

  it('of a waiting device is none: it may poll', async () => {
    const { deviceCode } = await limited.startDevice();
    for (let time = 0; time < 2 * proofs; time++) expect((await limited.pollDevice(deviceCode)).status).toBe(400);
  });

  it(`a device’s user code may be wrong ${typed} times in a minute for each user; then not even the right one is looked at`, async () => {
    const { userCode } = await limited.startDevice();
    for (let time = 1; time < typed; time++) expect((await limited.answerDevice('BBBBBBBB')).status).toBe(404);
    const verify = (user_code: string, userId: string = ada.id) =>
      limited.asUser(userId, 'POST', '/oauth2/device/verify', { user_code });
    expect((await verify(userCode)).status).toBe(200);
    expect((await verify('BBBBBBBB')).status).toBe(404);
    expect(await verify(userCode)).toMatchObject(refused);
    expect(await limited.answerDevice(userCode)).toMatchObject(refused);
    expect((await verify(userCode, ben.id)).status).toBe(200);
    await limited.clock.advance(windowMs);
    expect((await limited.answerDevice(userCode)).status).toBe(204);
  });
});
