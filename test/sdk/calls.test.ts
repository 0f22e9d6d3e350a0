import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../src/model/snowflake.ts';
import { TokenRenewal } from '../../src/sdk/auth/token-renewal.ts';
import type { OperationOptions, WaitSnapshot } from '../../src/sdk/call-options.ts';
import { Calls } from '../../src/sdk/calls.ts';
import { Waits } from '../../src/sdk/connection/waits.ts';
import { type Logger, silentLogger } from '../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../src/wire/clock/virtual-clock.ts';
import { Http } from '../../src/wire/http/http.ts';
import type { Transport, TransportAnswer, TransportRequest } from '../../src/wire/http/transport.ts';

/** A service that answers when the test says so, in the order the test says. */
class HeldAnswers implements Transport {
  readonly asked: TransportRequest[] = [];
  readonly #answers: ((answer: TransportAnswer) => void)[] = [];

  send(request: TransportRequest): Promise<TransportAnswer> {
    this.asked.push(request);
    return new Promise((resolve, reject) => {
      this.#answers.push(resolve);
      request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true });
    });
  }

  /** Answers a request that is under way, counted from the first. */
  answer(place: number, status = 200): void {
    this.#answers[place]?.({ status, headers: {}, text: '{}' });
  }

  close(): void {}
}

const turn = () => new Promise(resolve => setImmediate(resolve));

let clock: VirtualClock;
let transport: HeldAnswers;
let waits: Waits;
let calls: Calls;
let token: string;
let playerId: UserId | undefined;
let logged: unknown[];

beforeEach(() => {
  clock = new VirtualClock(1_000_000);
  transport = new HeldAnswers();
  logged = [];
  const logger: Logger = { ...silentLogger, error: fields => logged.push(fields) };
  waits = new Waits(clock, logger);
  token = 'first';
  const http = new Http({ baseUrl: 'http://127.0.0.1:1', transport, clock });
  playerId = undefined;
  const caller = () => ({ token, playerId });
  calls = new Calls({
    http,
    clock,
    waits,
    token: () => token,
    caller,
    renewal: new TokenRenewal(clock),
    deadlineMs: 15_000,
    whenOffline: 'fail',
  });
});

afterEach(() => calls.close());

/** A call in line `order`; the lobby's id tells it from the others. */
function send(id: string, order?: string, options: OperationOptions = {}) {
  const operation = { name: 'sendLobbyMessage', route: 'getLobby', request: { path: { lobby_id: id } } } as const;
  const call = calls.send({ ...operation, ...(order !== undefined && { order }) }, options);
  call.catch(() => {});
  return call;
}

const asked = () => transport.asked.map(({ url }) => url.split('/').at(-1));

describe('Calls', () => {
  it('go with the newest token at the moment they are sent', async () => {
    const call = send('1', undefined, { whenOffline: 'queue' });
    token = 'second';
    calls.setReady(true);
    await turn();
    expect(transport.asked[0]?.headers.authorization).toBe('Bearer second');
    transport.answer(0);
    await call;
  });

  it('of one player are never sent for another, but for the same with another token', async () => {
    playerId = '1' as UserId;
    const whenOffline = 'queue';
    const former = send('1', undefined, { whenOffline });
    const ran = calls.run('join', { whenOffline }, async () => 'ran');
    token = 'of another';
    const next = send('2', undefined, { whenOffline });
    playerId = '2' as UserId;
    calls.setReady(true);
    await expect(former).rejects.toMatchObject({ name: 'TransportError', code: 'aborted' });
    await expect(ran).rejects.toMatchObject({ code: 'aborted' });
    await turn();
    expect(asked()).toEqual(['2']);
    transport.answer(0);
    await next;
    calls.setReady(false);
    const own = send('3', undefined, { whenOffline });
    token = 'refreshed';
    calls.setReady(true);
    await turn();
    expect(transport.asked[1]?.headers.authorization).toBe('Bearer refreshed');
    transport.answer(1);
    await own;
  });

  it('of one player that wait for their turn are not sent either when another player connects meanwhile', async () => {
    playerId = '1' as UserId;
    calls.setReady(true);
    const first = send('1', 'a');
    const second = send('2', 'a');
    await turn();
    token = 'of another';
    calls.setReady(false);
    transport.answer(0);
    await first;
    await turn();
    expect(asked()).toEqual(['1']);
    playerId = '2' as UserId;
    calls.setReady(true);
    await expect(second).rejects.toMatchObject({ code: 'aborted' });
    expect(asked()).toEqual(['1']);
  });

  it('that wait for a session go in the order they came, once there is one', async () => {
    for (const id of ['1', '2', '3']) send(id, undefined, { whenOffline: 'queue' });
    await turn();
    expect(asked()).toEqual([]);
    calls.setReady(true);
    await turn();
    transport.answer(0);
    await turn();
    expect(asked()).toEqual(['1', '2', '3']);
  });

  it('of one line are sent one after another, whatever becomes of those before; other lines go by', async () => {
    calls.setReady(true);
    const first = send('1', 'a');
    const second = send('2', 'a', { deadlineMs: 1_000 });
    const third = send('3', 'a');
    await turn();
    expect(asked()).toEqual(['1']);
    expect(waits.waits).toMatchObject([{ reason: 'order' }, { reason: 'order' }]);
    await clock.advance(1_000);
    await expect(second).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await turn();
    expect(asked()).toEqual(['1']);
    transport.answer(0, 404);
    await expect(first).rejects.toMatchObject({ status: 404 });
    await turn();
    expect(asked()).toEqual(['1', '3']);
    transport.answer(1);
    await third;
    expect(waits.waits).toEqual([]);
  });

  it('end by their deadline over all waits together', async () => {
    const call = send('1', undefined, { whenOffline: 'queue', deadlineMs: 10_000 });
    await clock.advance(6_000);
    calls.setReady(true);
    await turn();
    expect(asked()).toEqual(['1']);
    await clock.advance(3_999);
    transport.answer(1);
    await clock.advance(1);
    await expect(call).rejects.toMatchObject({ code: 'deadline_exceeded' });
  });

  it('fail immediately when they should not wait, and when too many wait', async () => {
    await expect(send('1')).rejects.toMatchObject({ name: 'TransportError', code: 'client_not_ready' });
    for (let i = 0; i < 1_000; i++) send('1', undefined, { whenOffline: 'queue' });
    await expect(send('1', undefined, { whenOffline: 'queue' })).rejects.toMatchObject({ code: 'client_not_ready' });
  });

  it('are aborted when they are closed, and when they were before they began', async () => {
    const waiting = send('1', undefined, { whenOffline: 'queue' });
    const aborted = send('1', undefined, { whenOffline: 'queue', signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    calls.close();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    expect(waits.waits).toEqual([]);
  });

  it('whose deadline has passed send nothing and do not delay later ones', async () => {
    calls.setReady(true);
    const codes = [0, -1, Number.NaN].map(deadlineMs =>
      send('1', 'a', { deadlineMs }).catch((error: { code: string }) => error.code),
    );
    expect(await Promise.all(codes)).toEqual(['deadline_exceeded', 'deadline_exceeded', 'invalid_deadline']);
    expect(asked()).toEqual([]);
    const next = send('2', 'a', { deadlineMs: Number.POSITIVE_INFINITY });
    await turn();
    transport.answer(0);
    await next;
    expect(waits.waits).toEqual([]);
  });

  it.each([
    ['aborted', { signal: AbortSignal.abort() }],
    ['deadline_exceeded', { deadlineMs: 0 }],
  ] as const)('of work other than a route are rejected with %s before the work begins', async (code, options) => {
    calls.setReady(true);
    let hasBegun = false;
    const work = calls.run('presence.set', options, async () => {
      hasBegun = true;
    });
    await expect(work).rejects.toMatchObject({ name: 'TransportError', code });
    expect(hasBegun).toBe(false);
  });

  it('do not suffer from a callback that throws', async () => {
    const onWait = () => {
      throw new RangeError('in the game');
    };
    const call = send('1', undefined, { whenOffline: 'queue', onWait });
    calls.setReady(true);
    await turn();
    transport.answer(0);
    await call;
    const error = expect.objectContaining({ class: 'RangeError', message: 'in the game' });
    expect(logged).toEqual([{ error }, { error }]);
  });
});

describe('Waits', () => {
  it('are shown in the order in which they began, and the latest list to a new subscriber', () => {
    const states: (readonly WaitSnapshot[])[] = [];
    waits.waits$.subscribe(state => states.push(state));
    const first = waits.of('one', {});
    const second = waits.of('two', {});
    first({ reason: 'offline' });
    second({ reason: 'rate_limit', untilMs: 5 });
    first({ reason: 'retry' });
    second(undefined);
    second(undefined);
    first(undefined);
    expect(states.map(state => state.map(({ operation, reason }) => `${operation} ${reason}`))).toEqual([
      [],
      ['one offline'],
      ['one offline', 'two rate_limit'],
      ['two rate_limit', 'one retry'],
      ['one retry'],
      [],
    ]);
  });
});
