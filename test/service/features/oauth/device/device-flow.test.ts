import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../../../src/model/limits/limits.ts';
import {
  createUserCode,
  readUserCode,
  userCodeLetters,
} from '../../../../../src/service/features/oauth/device/user-code.ts';
import { serviceLimits } from '../../../../../src/service/support/service-limits.ts';
import { systemEntropy } from '../../../../../src/wire/clock/ports.ts';
import { ada, basic, ben, game, openService, secret, site, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const pending = { status: 400, body: { error: 'authorization_pending' } };
const slowDown = { status: 400, body: { error: 'slow_down' } };
const expired = { status: 400, body: { error: 'expired_token' } };
const denied = { status: 400, body: { error: 'access_denied' } };
const invalidCode = { error: 'invalid_grant', error_description: 'Invalid "device_code" in request.' };
const interval = limits.devicePollIntervalMs;

const verify = (userCode: unknown, userId: string = ada.id) =>
  service.asUser(userId, 'POST', '/oauth2/device/verify', { user_code: userCode });

describe('a device', () => {
  it('gets a code to poll with, one to show, and where to type it in', async () => {
    const { status, body, headers } = await service.startDevice();
    expect(status).toBe(200);
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      user_code: expect.stringMatching(new RegExp(`^[${userCodeLetters}]{8}$`)),
      verification_uri: `${service.web}/activate`,
      verification_uri_complete: `${service.web}/activate?user_code=${body.user_code}`,
      expires_in: 300,
      interval: 5,
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('gets authorization_pending, then tokens once its user has approved', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    expect(await service.pollDevice(deviceCode)).toMatchObject(pending);
    expect(await service.answerDevice(userCode)).toMatchObject({ status: 204 });
    const { status, body } = await service.pollDevice(deviceCode);
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 604_800,
      scope: 'openid identify',
      id_token: expect.any(String),
    });
    expect((await service.get('/oauth2/@me', String(body.access_token))).body).toMatchObject({ user: { id: ada.id } });
    expect((await service.refresh(String(body.refresh_token))).status).toBe(200);
  });

  it.each([
    ['approve', { status: 200 }],
    ['deny', denied],
  ])('is answered by the control API: %s', async (decision, outcome) => {
    const { deviceCode, userCode } = await service.startDevice();
    const answer = { user_code: userCode.toLowerCase(), user_id: ada.id, decision };
    expect(await service.consentByControl(answer)).toEqual({ status: 204, text: '' });
    expect(await service.pollDevice(deviceCode)).toMatchObject(outcome);
  });

  it('is not answered by a control call with an unknown code, a wrong field, or an unknown user', async () => {
    const { userCode } = await service.startDevice();
    const answer = { user_code: userCode, user_id: ada.id, decision: 'approve' };
    for (const [wrong, status] of [
      [{ ...answer, user_code: 'BBBBBBBB' }, 404],
      [{ ...answer, user_code: 'B'.repeat(33) }, 400],
      [{ ...answer, authorize_url: 'http://127.0.0.1/' }, 400],
      [{ ...answer, decision: 'maybe' }, 400],
      [{ ...answer, user_id: '404' }, 404],
    ] as const) {
      const { status: answered, text } = await service.consentByControl(wrong);
      expect([wrong, answered]).toEqual([wrong, status]);
      expect(JSON.parse(text)).toEqual({ message: expect.any(String) });
    }
  });

  it('gets access_denied when its user denies', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode, 'denied');
    for (let time = 0; time < 2; time++) expect(await service.pollDevice(deviceCode)).toMatchObject(denied);
  });

  it('may poll immediately, and again after 5 s; 1 ms earlier it has to slow down', async () => {
    const { deviceCode } = await service.startDevice();
    expect(await service.pollDevice(deviceCode)).toMatchObject(pending);
    await service.clock.advance(interval);
    expect(await service.pollDevice(deviceCode)).toMatchObject(pending);
    await service.clock.advance(interval - 1);
    expect(await service.pollDevice(deviceCode)).toMatchObject(slowDown);
  });

  it('that polls too early has to wait 5 s longer from then on, each time', async () => {
    const { deviceCode } = await service.startDevice();
    await service.pollDevice(deviceCode);
    expect(await service.pollDevice(deviceCode)).toMatchObject(slowDown);
    await service.clock.advance(2 * interval - 1);
    expect(await service.pollDevice(deviceCode)).toMatchObject(slowDown);
    await service.clock.advance(3 * interval - 1);
    expect(await service.pollDevice(deviceCode)).toMatchObject(slowDown);
    await service.clock.advance(4 * interval);
    expect(await service.pollDevice(deviceCode)).toMatchObject(pending);
  });

  it('gets the answer immediately, however often it polls', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    for (let time = 0; time < 3; time++) await service.pollDevice(deviceCode);
    await service.answerDevice(userCode);
    expect((await service.pollDevice(deviceCode)).status).toBe(200);
  });

  it('has 300 s: at 299.999 s a granted code is good', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode);
    await service.clock.advance(serviceLimits.deviceCodeLifeMs - 1);
    expect((await service.pollDevice(deviceCode)).status).toBe(200);
  });

  it('is too late at 300 s, granted or not, and gets expired_token for as long again', async () => {
    const [waiting, granted] = [await service.startDevice(), await service.startDevice()];
    await service.answerDevice(granted.userCode);
    await service.clock.advance(serviceLimits.deviceCodeLifeMs);
    for (let time = 0; time < 2; time++) {
      for (const { deviceCode } of [waiting, granted]) {
        expect(await service.pollDevice(deviceCode)).toMatchObject(expired);
      }
      await service.clock.advance(serviceLimits.deviceCodeLifeMs - 1);
    }
  });

  it('gets tokens once', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode);
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.pollDevice(deviceCode)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7);
    expect(await service.isLive(won[0]?.body.access_token)).toBe(true);
    expect(await service.pollDevice(deviceCode)).toMatchObject({ status: 400, body: invalidCode });
  });

  it('gets none when its user revoked the application meanwhile', async () => {
    const { access_token } = await service.signIn();
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode);
    await service.revoke({ token: access_token });
    expect(await service.pollDevice(deviceCode)).toMatchObject({ status: 400, body: invalidCode });
  });

  it.each(['nonsense', ''])('with the code %j gets nothing', async deviceCode => {
    expect((await service.pollDevice(deviceCode)).status).toBe(400);
  });

  it('of another application gets nothing, and spoils nothing', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    await service.answerDevice(userCode);
    const other = await service.pollDevice(deviceCode, { client_id: site.id, client_secret: secret });
    expect(other).toMatchObject({ status: 400, body: invalidCode });
    expect((await service.pollDevice(deviceCode)).status).toBe(200);
  });

  it('cannot poll with the code its user types in', async () => {
    const { userCode } = await service.startDevice();
    expect(await service.pollDevice(userCode)).toMatchObject({ status: 400, body: invalidCode });
  });
});

describe('a device of a client that keeps a secret', () => {
  it('shows it when it begins and when it polls', async () => {
    const form = { client_id: undefined, scope: 'identify' };
    const { deviceCode, userCode } = await service.startDevice(form, basic(site.id, secret));
    await service.answerDevice(userCode);
    expect(await service.pollDevice(deviceCode, { client_id: site.id })).toMatchObject({ status: 401 });
    const polled = await service.pollDevice(deviceCode, { client_id: site.id, client_secret: secret });
    expect(polled.status).toBe(200);
  });

  it('is rejected without it', async () => {
    expect(await service.startDevice({ client_id: site.id })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
  });
});

describe('whatever a device and its user do', () => {
  /** What the rules of docs/spec/oauth2.md#devices say, in a few lines. */
  class Model {
    nowMs = 0;
    intervalMs = interval;
    polledMs = Number.NEGATIVE_INFINITY;
    state = 'pending';

    poll(): string {
      if (this.state === 'redeemed') return 'invalid_grant';
      if (this.nowMs >= serviceLimits.deviceCodeLifeMs) return 'expired_token';
      if (this.state === 'denied') return 'access_denied';
      if (this.state === 'granted') {
        this.state = 'redeemed';
        return 'tokens';
      }
      const isEarly = this.nowMs - this.polledMs < this.intervalMs;
      if (isEarly) this.intervalMs += interval;
      this.polledMs = this.nowMs;
      return isEarly ? 'slow_down' : 'authorization_pending';
    }

    answer(result: string): number {
      if (this.nowMs >= serviceLimits.deviceCodeLifeMs) return 404;
      const given = this.state === 'redeemed' ? 'granted' : this.state;
      if (given !== 'pending') return given === result ? 204 : 400;
      this.state = result;
      return 204;
    }
  }

  const step = fc.oneof(
    { weight: 5, arbitrary: fc.constant({ kind: 'poll' } as const) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('answer' as const), result: fc.constantFrom('granted', 'denied') }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 30_000 }) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'wait', ms: 200_000 } as const) },
  );

  it('the answers follow the rules', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
        const model = new Model();
        const { deviceCode, userCode } = await service.startDevice();
        for (const one of steps) {
          // A code that is over for as long again may be forgotten.
          if (model.nowMs >= 2 * serviceLimits.deviceCodeLifeMs) return;
          if (one.kind === 'wait') {
            await service.clock.advance(one.ms);
            model.nowMs += one.ms;
          } else if (one.kind === 'poll') {
            const { status, body } = await service.pollDevice(deviceCode);
            expect(status === 200 ? 'tokens' : body.error).toBe(model.poll());
          } else {
            expect((await service.answerDevice(userCode, one.result)).status).toBe(model.answer(one.result));
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the start of a device is rejected', () => {
  it.each([
    undefined,
    '',
    'nonsense',
    'identify nonsense',
    'applications.commands.update',
    'webhook.incoming',
    'role_connections.write',
    'bot',
    'applications.commands',
  ])('with the scope %j', async scope => {
    expect(await service.startDevice({ scope })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  it('for an unknown client', async () => {
    expect(await service.startDevice({ client_id: '404' })).toMatchObject({ status: 401 });
  });

  it('in JSON, which is no form', async () => {
    const response = await fetch(`${service.api}/oauth2/device/authorize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: game.id, scope: 'identify' }),
    });
    expect(response.status).toBe(401);
  });
});

describe('a user who types in a code', () => {
  it('sees what the device asks for, and what was answered', async () => {
    const { userCode } = await service.startDevice({ scope: 'identify sdk.social_layer' });
    const seen = { scopes: ['identify', 'sdk.social_layer'], client_id: game.id, two_way_link_code: null };
    expect(await verify(userCode)).toMatchObject({ status: 200, body: { ...seen, type: 'pending' } });
    await service.answerDevice(userCode);
    expect((await verify(userCode)).body).toEqual({ ...seen, type: 'granted' });
  });

  it('may type it small, in groups and with blanks', async () => {
    const { userCode } = await service.startDevice();
    const typed = ` ${userCode.slice(0, 4).toLowerCase()}-${userCode.slice(4)} `;
    expect((await verify(typed)).status).toBe(200);
  });

  it.each(['BBBBBBBB', 'nonsense', 'A'])('that no device shows (%s) is rejected on the page', async userCode => {
    const refusal = { status: 404, body: { code: 0 } };
    expect(await verify(userCode)).toMatchObject(refusal);
    expect(await service.answerDevice(userCode)).toMatchObject(refusal);
  });

  it('has as long as the device', async () => {
    const { userCode } = await service.startDevice();
    await service.clock.advance(serviceLimits.deviceCodeLifeMs - 1);
    expect((await verify(userCode)).status).toBe(200);
    await service.clock.advance(1);
    expect((await verify(userCode)).status).toBe(404);
    expect((await service.answerDevice(userCode)).status).toBe(404);
  });

  it.each([
    [{}, 'result'],
    [{ result: 'maybe' }, 'result'],
    [{ result: 1 }, 'result'],
    [{ user_code: 7, result: 'granted' }, 'user_code'],
    [{ user_code: 'B'.repeat(101), result: 'granted' }, 'user_code'],
  ])('has to answer soundly, not %j', async (changes, field) => {
    const { userCode } = await service.startDevice();
    const body = { user_code: userCode, ...changes };
    const answer = await service.asUser(ada.id, 'POST', '/oauth2/device/finish', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 50035, errors: { [field]: { _errors: [{}] } } } });
  });

  it('may repeat its answer, but not change it, and no other user can answer', async () => {
    const { userCode } = await service.startDevice();
    for (let time = 0; time < 2; time++) expect((await service.answerDevice(userCode)).status).toBe(204);
    expect((await service.answerDevice(userCode, 'denied')).status).toBe(400);
    expect((await service.answerDevice(userCode, 'granted', ben.id)).status).toBe(400);
  });

  it('has one of several concurrent answers', async () => {
    const { userCode } = await service.startDevice();
    const users = [ada.id, ben.id, ada.id, ben.id];
    const answers = await Promise.all(
      users.map((userId, i) => service.answerDevice(userCode, i % 2 ? 'denied' : 'granted', userId)),
    );
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(2);
  });

  it('needs its own client: a token of an application does not do', async () => {
    const { access_token } = await service.signIn();
    const response = await fetch(`${service.api}/oauth2/device/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_code: 'BBBBBBBB' }),
    });
    expect(response.status).toBe(403);
  });
});

describe('what is kept of a device', () => {
  it('contains neither code in clear text, and is deleted once it can no longer be requested', async () => {
    const { deviceCode, userCode } = await service.startDevice();
    const kept = JSON.stringify(await service.content());
    expect(kept).not.toContain(deviceCode);
    expect(kept).not.toContain(userCode);
    expect(JSON.stringify(await service.log())).not.toContain(userCode);
    await service.clock.advance(2 * serviceLimits.deviceCodeLifeMs + 10 * 60_000);
    expect((await service.content()).device_codes).toEqual([]);
  });
});

describe('user codes', () => {
  it('use every letter alike, and are read back as they are', () => {
    const counts = new Map<string, number>();
    for (let time = 0; time < 2000; time++) {
      const code = createUserCode(systemEntropy);
      expect(readUserCode(code)).toBe(code);
      for (const letter of code) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(userCodeLetters.length);
    // 800 each on average; a biased letter would have at least a fourteenth more or less, chance has rarely so much.
    for (const count of counts.values()) expect(Math.abs(count - 800)).toBeLessThan(200);
  });

  it('pass over bytes that would favour the first letters', () => {
    const bytes = [255, 240, 239, 0, 20, 1, 2, 3, 4, 5];
    const entropy = { bytes: (count: number) => Uint8Array.from(bytes.splice(0, count)) };
    expect(createUserCode(entropy)).toBe('ZBBCDFGH');
  });
});
