import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DeviceFlow, type DeviceProgress } from '../../../src/sdk/auth/device-flow.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { nodeTransport } from '../../../src/wire/http/node-transport.ts';
import { elapse } from '../../support/clock/elapse.ts';
import { SleepyClock } from '../../support/clock/sleepy-clock.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from '../../support/http/loopback-server.ts';

const codes = {
  device_code: 'the-device-code',
  user_code: 'BCDFGHJK',
  verification_uri: 'https://game.example/activate',
  verification_uri_complete: 'https://game.example/activate?user_code=BCDFGHJK',
  expires_in: 300,
  interval: 5,
};
const tokens = { access_token: 'a', token_type: 'Bearer', expires_in: 604_800, refresh_token: 'r', scope: 'openid' };
const steam = { type: 'STEAM_SESSION_TICKET', token: 'ticket' } as const;

/** What the token endpoint says to one poll. */
type Said = string | number | { body: object } | { status: number; text: string };

let clock: VirtualClock;
let machine: SleepyClock;
let server: LoopbackServer;
let flow: DeviceFlow;
let told: DeviceProgress[];
/** When each poll came, in seconds since the start. */
let polls: number[];

// The flow loads it late, and virtual time would pass meanwhile.
beforeAll(() => import('../../../src/sdk/auth/openid-client.ts'));
beforeEach(() => {
  clock = new VirtualClock(0);
  machine = new SleepyClock(clock);
  told = [];
  polls = [];
});
afterEach(() => server.close());

/** A service that says this to the polls, one after another, and the last one from then on. */
async function serve(said: readonly Said[], start: object = codes, log: string[] = []): Promise<void> {
  server = await startLoopbackServer(({ url }, response) => {
    if (url.endsWith('/device/authorize')) return answerJson(response, 200, start);
    const next = said[Math.min(polls.length, said.length - 1)];
    polls.push(clock.now() / 1000);
    say(response, next ?? 500);
  });
  const logger = { ...silentLogger, error: (fields: object) => log.push(JSON.stringify(fields)) };
  flow = new DeviceFlow({ baseUrl: server.baseUrl, clock: machine, transport: nodeTransport(), logger });
}

function say(response: ServerResponse, said: Said): void {
  if (typeof said === 'string') answerJson(response, 400, { error: said });
  else if (typeof said === 'object' && 'text' in said) response.writeHead(said.status).end(said.text);
  else if (typeof said === 'object') answerJson(response, 200, said.body);
  else if (said === 429) answerJson(response, 429, { message: 'slow', retry_after: 30, global: false });
  else if (said === 0) response.destroy();
  else answerJson(response, said, { message: 'no', code: 0 });
}

const onProgress = (progress: DeviceProgress) => told.push(progress);
const run = (options = {}) => flow.run({ scopes: 'openid' }, '1', { onProgress, ...options });
const runAndWait = () => elapse(clock, run(), 400_000, 1_000);
const formOf = (index: number) => Object.fromEntries(new URLSearchParams(server.seen[index]?.body));
const states = () => told.map(({ state }) => state);

describe('signing in on a device', () => {
  it('shows the codes first, polls every interval, and returns the tokens', async () => {
    await serve(['authorization_pending', 'authorization_pending', { body: tokens }]);
    expect(await runAndWait()).toMatchObject({ accessToken: 'a', refreshToken: 'r', scopes: 'openid' });
    expect(told[0]).toEqual({
      state: 'pending',
      userCode: 'BCDFGHJK',
      verificationUri: 'https://game.example/activate',
      verificationUriComplete: 'https://game.example/activate?user_code=BCDFGHJK',
      expiresAtMs: 300_000,
      intervalMs: 5_000,
    });
    expect(Object.isFrozen(told[0])).toBe(true);
    expect(states()).toEqual(['pending', 'granted']);
    expect(polls).toEqual([5, 10, 15]);
    expect(formOf(0)).toEqual({ client_id: '1', scope: 'openid' });
    expect(formOf(1)).toEqual({
      client_id: '1',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'the-device-code',
    });
  });

  it('polls every five seconds when the service names no interval, and shows no page that it did not name', async () => {
    const { interval, verification_uri_complete, ...plain } = codes;
    await serve(['authorization_pending', { body: tokens }], plain);
    await runAndWait();
    expect(polls).toEqual([5, 10]);
    expect(told[0]?.verificationUriComplete).toBeUndefined();
  });

  it('polls at most every second, however short the interval that the service names', async () => {
    await serve(['authorization_pending', { body: tokens }], { ...codes, interval: 1e-9 });
    await runAndWait();
    expect(polls).toEqual([1, 2]);
  });

  it('adds five seconds to the interval for each slow_down', async () => {
    await serve(['slow_down', 'authorization_pending', 'slow_down', 'authorization_pending', { body: tokens }]);
    await runAndWait();
    expect(polls).toEqual([5, 15, 25, 40, 55]);
    expect(told.map(({ state, intervalMs }) => [state, intervalMs])).toEqual([
      ['pending', 5_000],
      ['slow_down', 10_000],
      ['slow_down', 15_000],
      ['granted', 15_000],
    ]);
  });

  it('rejects when the player declined', async () => {
    await serve(['authorization_pending', 'access_denied']);
    await expect(runAndWait()).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied' });
    expect(states()).toEqual(['pending', 'denied']);
  });

  it.each([
    ['the service says so', ['expired_token']],
    ['nobody has answered when the codes end', ['authorization_pending']],
  ])('says when it came too late: %s', async (_, said) => {
    await serve(said);
    await expect(runAndWait()).rejects.toMatchObject({ name: 'OAuthError', code: 'expired_token' });
    expect(states()).toEqual(['pending', 'expired']);
    expect(clock.now()).toBeLessThanOrEqual(300_000);
  });

  it('lets the service decide about the codes when the machine slept past their expiry', async () => {
    await serve(['expired_token']);
    const running = run();
    machine.sleep(600_000);
    await expect(elapse(clock, running, 20_000)).rejects.toMatchObject({ code: 'expired_token' });
    expect(polls).toEqual([5]);
  });

  it.each([8, -8])('continues while the clock is %d days ahead', async days => {
    await serve(['authorization_pending', 'authorization_pending', { body: tokens }]);
    const running = run();
    await elapse(clock, clock.advance(4_000), 10_000);
    machine.sleep(days * 86_400_000);
    expect(await elapse(clock, running, 20_000)).toMatchObject({ accessToken: 'a' });
  });

  it.each([
    ['a page in place of the answer', 200, '<html>Welcome to our network</html>'],
    ['a redirect to a page', 302, ''],
    ['a redirect in JSON', 307, '{"location":"http://portal.example/"}'],
    ['a page that blocks', 403, '<html>Sign in first</html>'],
    ['nothing', 200, ''],
    ['the status for this', 511, '<html></html>'],
  ])('continues after what a network answers that asks for a sign-in of its own: %s', async (_, status, text) => {
    await serve([{ status, text }, 'authorization_pending', { body: tokens }]);
    expect(await runAndWait()).toMatchObject({ accessToken: 'a' });
    expect(polls).toEqual([5, 15, 20]);
  });

  it('keeps polling with growing pauses while the service cannot be reached, and at the old interval afterwards', async () => {
    await serve([0, 500, 503, 'authorization_pending', { body: tokens }]);
    expect(await runAndWait()).toMatchObject({ accessToken: 'a' });
    expect(polls).toEqual([5, 15, 35, 75, 80]);
    expect(states()).toEqual(['pending', 'granted']);
  });

  it('waits out a rate limit', async () => {
    await serve([429, { body: tokens }]);
    await runAndWait();
    expect(polls).toEqual([5, 35]);
  });

  it.each([
    ['invalid_grant', 'OAuthError', 'invalid_grant'],
    ['invalid_client', 'OAuthError', 'invalid_client'],
    [404, 'ApiError', 'not_found'],
    [{ body: { token_type: 'Bearer' } }, 'TransportError', 'unreadable_answer'],
  ] as const)('ends for an answer after which asking again is of no use: %j', async (said, name, code) => {
    await serve([said]);
    await expect(runAndWait()).rejects.toMatchObject({ name, code });
    expect(polls).toHaveLength(1);
  });

  it.each([
    ['no user code', { ...codes, user_code: undefined }],
    ['no end', { ...codes, expires_in: undefined }],
    ['a page that is not on the web', { ...codes, verification_uri: 'javascript:alert(1)' }],
    ['a complete page that is not on the web', { ...codes, verification_uri_complete: 'file:///etc/passwd' }],
  ])('refuses codes with %s', async (_, start) => {
    await serve([], start);
    await expect(runAndWait()).rejects.toMatchObject({ code: 'unreadable_answer' });
    expect(told).toEqual([]);
  });
});

describe('signing in on a device: how it ends', () => {
  it('rejects when it is aborted, by signal or by method, at any point', async () => {
    await serve(['authorization_pending']);
    const abort = new AbortController();
    const first = run({ signal: abort.signal });
    abort.abort();
    await expect(first).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    const second = run();
    const ended = expect(elapse(clock, second)).rejects.toMatchObject({ code: 'aborted' });
    clock.schedule(12_000, () => flow.abort());
    await ended;
    expect(polls).toEqual([5, 10]);
    expect(states()).not.toContain('expired');
  });

  it('sends nothing when it is already aborted', async () => {
    await serve([]);
    await expect(run({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(server.seen).toEqual([]);
  });

  it('runs one at a time, and can be repeated', async () => {
    await serve(['authorization_pending', { body: tokens }]);
    const first = run();
    await expect(run()).rejects.toMatchObject({ name: 'ArgumentError', code: 'authorization_in_progress' });
    flow.abort();
    await expect(first).rejects.toMatchObject({ code: 'aborted' });
    expect(await runAndWait()).toMatchObject({ accessToken: 'a' });
  });

  it('continues when onProgress throws, and logs it without the codes', async () => {
    const log: string[] = [];
    await serve([{ body: tokens }], codes, log);
    const options = {
      onProgress: () => {
        throw new Error(codes.user_code);
      },
    };
    expect(await elapse(clock, run(options))).toMatchObject({ accessToken: 'a' });
    expect(log).toEqual(['{"error":"Error"}', '{"error":"Error"}']);
  });
});

describe('signing in on a device: arguments', () => {
  it('default to the usual scopes and the client’s application id', async () => {
    await serve([{ body: tokens }]);
    await elapse(clock, flow.run({ clientId: 2n }, '1', {}));
    expect(formOf(0)).toEqual({ client_id: '2', scope: 'openid sdk.social_layer' });
  });

  it('send the proof of a provisional account with each poll', async () => {
    await serve(['authorization_pending', { body: tokens }]);
    await elapse(clock, flow.run({}, '1', {}, steam));
    for (const index of [1, 2]) {
      expect(formOf(index)).toMatchObject({
        external_auth_type: 'STEAM_SESSION_TICKET',
        external_auth_token: 'ticket',
        device_code: 'the-device-code',
      });
    }
  });

  it('sends nothing for invalid arguments', async () => {
    await serve([]);
    const invalid = { name: 'ValidationError' };
    await expect(flow.run({ clientId: '-1' }, '1', {})).rejects.toMatchObject(invalid);
    await expect(flow.run({ scopes: '' }, '1', {})).rejects.toMatchObject(invalid);
    await expect(flow.run({}, '1', {}, { ...steam, token: '' })).rejects.toMatchObject(invalid);
    await expect(flow.run({}, '1', {}, { ...steam, token: 'x'.repeat(10_241) })).rejects.toMatchObject(invalid);
    await expect(flow.run({}, undefined, {})).rejects.toMatchObject({ code: 'missing_application_id' });
    expect(server.seen).toEqual([]);
  });
});
