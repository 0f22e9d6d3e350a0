import { MessageChannel, type MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import { BehaviorSubject, firstValueFrom, type Observable, Subject } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '../../../src/model/errors/errors.ts';
import { MainConnection, type PagePort } from '../../../src/sdk/bridge/main-connection.ts';
import { windowLimits } from '../../../src/sdk/bridge/messages.ts';
import { type MainPort, type SharedParts, WindowConnection } from '../../../src/sdk/bridge/window-connection.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { tries } from '../../support/runs/tries.ts';

/** A window and the main process, joined by a real MessageChannel, and by another one when that is lost. */
class Pair {
  readonly log = recordingLog();
  readonly page = new MainConnection();
  /** What was posted to the window. */
  readonly posted: unknown[] = [];
  main!: WindowConnection;
  pagePort!: MessagePort;
  isClosed = false;
  /** How many ports the window has had. */
  ports = 0;
  /** Whether the main process serves windows. */
  isServing = true;
  readonly #shared: SharedParts;
  readonly #held: [deliver: (data: unknown) => void, data: unknown][] = [];
  #isReading = true;

  constructor(shared: Partial<SharedParts>) {
    this.#shared = { states: {}, events: {}, ...shared, calls: { sync: async () => undefined, ...shared.calls } };
    onTestFinished(() => {
      this.page.close();
      this.main?.close();
    });
  }

  connect(): this {
    this.page.open(() => {
      if (this.isServing) this.page.connect(this.#openPort());
    });
    return this;
  }

  /** A port that no window of ours uses. */
  connectForeign(): this {
    this.#openPort();
    return this;
  }

  #openPort(): PagePort {
    const { port1, port2 } = new MessageChannel();
    this.ports++;
    this.pagePort = port2;
    this.isClosed = false;
    const mainPort: MainPort = {
      on(event: string, listener: (event: never) => void) {
        if (event === 'message') port1.on('message', data => listener({ data } as never));
        else port1.on('close', listener as () => void);
      },
      postMessage: message => {
        this.posted.push(message);
        port1.postMessage(message);
      },
      start() {},
      close: () => port1.close(),
    };
    const main = new WindowConnection({
      port: mainPort,
      shared: this.#shared,
      logger: this.log.log,
      defer: setImmediate,
      onClose: () => {
        if (this.main === main) this.isClosed = true;
      },
    });
    this.main = main;
    const port: PagePort = {
      onmessage: null,
      addEventListener: (_, listener) => void port2.on('close', listener),
      postMessage: message => port2.postMessage(message),
      close: () => port2.close(),
    };
    const deliver = (data: unknown) => port.onmessage?.({ data });
    port2.on('message', data => {
      if (this.#isReading) deliver(data);
      else this.#held.push([deliver, data]);
    });
    return port;
  }

  /** The window sleeps: its port takes messages that nobody handles. */
  pause(): void {
    this.#isReading = false;
  }

  resume(): void {
    this.#isReading = true;
    for (const [deliver, data] of this.#held.splice(0)) deliver(data);
  }

  /** Resolves when everything that happened in the main process until now is in the window. */
  async synced(): Promise<void> {
    await this.page.call('sync', []);
  }

  /** Resolves once the window has seen that its port is lost, and has another. */
  async reconnected(before: number): Promise<void> {
    await expect.poll(() => this.ports, { interval: 1 }).toBeGreaterThan(before);
    await this.synced();
  }

  /** Sends what no window of ours does, and resolves when the main process has ended the connection. */
  async violate(...messages: readonly unknown[]): Promise<string> {
    this.connectForeign();
    const closed = new Promise(resolve =>
      this.pagePort.on('message', ([, item]) => item?.[0] === 'closed' && resolve(item)),
    );
    for (const message of messages) this.pagePort.postMessage(message);
    expect(await closed).toEqual(['closed', false, expect.objectContaining({ code: 'connection_lost' })]);
    expect(this.isClosed).toBe(true);
    return String(this.log.lines.at(-1)?.reason);
  }
}

/** The values that a stream has given. */
function watch<Value>(stream: Observable<Value>): { readonly values: Value[]; isComplete: boolean; stop(): void } {
  const watched = { values: [] as Value[], isComplete: false, stop: () => subscription.unsubscribe() };
  const subscription = stream.subscribe({
    next: value => void watched.values.push(value),
    complete: () => {
      watched.isComplete = true;
    },
  });
  return watched;
}

/** A call that is under way when a port is lost rejects; the next one waits for the next port. */
async function settled(pair: Pair): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if (
      await pair.synced().then(
        () => true,
        () => false,
      )
    )
      return;
  }
  throw new Error('The window does not connect.');
}

const entries = fc.uniqueArray(fc.record({ id: fc.nat({ max: 9 }), x: fc.nat({ max: 2 }) }), {
  selector: ({ id }) => id,
  maxLength: 9,
});

describe('a state', () => {
  it('of a window equals that of the main process, however the window subscribes, sleeps, wakes and loses its port', async () => {
    const step = fc.oneof(
      entries.map(value => ({ set: value })),
      fc.constantFrom('pause', 'resume', 'watch', 'unwatch', 'turn', 'drop', 'break').map(act => ({ act })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
        const list = new BehaviorSubject<unknown>([]);
        const pair = new Pair({ states: { list: () => list } }).connect();
        const first = watch(pair.page.state$('list'));
        let other: ReturnType<typeof watch> | undefined;
        for (const one of steps) {
          if ('set' in one) list.next(one.set);
          else if (one.act === 'pause') pair.pause();
          else if (one.act === 'resume') pair.resume();
          else if (one.act === 'watch') other ??= watch(pair.page.state$('list'));
          else if (one.act === 'unwatch') other = void other?.stop();
          else if (one.act === 'drop') pair.main.close({ mayReconnect: true });
          else if (one.act === 'break') pair.pagePort.close();
          else await new Promise(resolve => setImmediate(resolve));
        }
        pair.resume();
        await settled(pair);
        expect(first.values.at(-1)).toEqual(list.value);
        expect(pair.page.latest('list')).toEqual(list.value);
        if (other) expect(other.values.at(-1)).toEqual(list.value);
        pair.page.close();
      }),
      tries(50, 2000),
    );
  });

  it('that changes often in one turn is sent once', async () => {
    const count = new BehaviorSubject(0);
    const pair = new Pair({ states: { count: () => count } }).connect();
    const { values } = watch(pair.page.state$('count'));
    await pair.synced();
    for (let n = 1; n <= 1000; n++) count.next(n);
    await pair.synced();
    expect(values).toEqual([0, 1000]);
  });

  it('costs nothing for a window that sleeps: at most 8 messages wait for it, and the newest state follows', async () => {
    const count = new BehaviorSubject(0);
    const pair = new Pair({ states: { count: () => count } }).connect();
    const { values } = watch(pair.page.state$('count'));
    await pair.synced();
    const before = pair.posted.length;
    pair.pause();
    for (let n = 1; n <= 100; n++) {
      count.next(n);
      await new Promise(resolve => setImmediate(resolve));
    }
    const { batchesUnacknowledgedMax: most, batchesPerAcknowledgement } = windowLimits;
    expect(pair.posted.length - before).toBeLessThanOrEqual(most);
    expect(pair.posted.length - before).toBeGreaterThan(most - batchesPerAcknowledgement);
    pair.resume();
    await pair.synced();
    expect(values.at(-1)).toBe(100);
    expect(values.length).toBeLessThan(15);
  });

  it('is there before the outcome of the call that brought it about', async () => {
    const lobbies = new BehaviorSubject<readonly string[]>([]);
    const join = async () => lobbies.next(['1']);
    const pair = new Pair({ states: { lobbies: () => lobbies }, calls: { join } }).connect();
    watch(pair.page.state$('lobbies'));
    await pair.page.call('join', []);
    expect(pair.page.latest('lobbies')).toEqual(['1']);
  });

  it('is subscribed to once for all who watch it in a window, and given up with the last of them', async () => {
    const state = new BehaviorSubject(1);
    const pair = new Pair({ states: { state: () => state } }).connect();
    const first = watch(pair.page.state$('state'));
    const second = watch(pair.page.state$('state'));
    await pair.synced();
    const late = watch(pair.page.state$('state'));
    expect(late.values).toEqual([1]);
    // The answer to the port, and the state with the outcome of the call.
    expect(pair.posted).toHaveLength(2);
    for (const one of [first, second, late]) one.stop();
    await pair.synced();
    expect(state.observed).toBe(false);
  });

  it('with arguments is another one for each of them', async () => {
    const pair = new Pair({ states: { of: id => new BehaviorSubject(`the one of ${id}`) } }).connect();
    expect(await firstValueFrom(pair.page.state$('of', 'a'))).toBe('the one of a');
    expect(await firstValueFrom(pair.page.state$('of', 'b'))).toBe('the one of b');
  });

  it('that is undefined arrives as such', async () => {
    const pair = new Pair({ states: { nothing: () => new BehaviorSubject(undefined) } }).connect();
    const { values } = watch(pair.page.state$('nothing'));
    await pair.synced();
    expect(values).toEqual([undefined]);
  });

  it('that completes, or fails, completes in the window', async () => {
    const ending = new BehaviorSubject(1);
    const failing = new BehaviorSubject(2);
    const pair = new Pair({ states: { ending: () => ending, failing: () => failing } }).connect();
    const watched = [watch(pair.page.state$('ending')), watch(pair.page.state$('failing'))];
    await pair.synced();
    ending.complete();
    failing.error(new Error('broken'));
    await pair.synced();
    expect(watched.map(({ isComplete }) => isComplete)).toEqual([true, true]);
    expect(pair.log.lines.map(({ level }) => level)).toEqual(['error']);
  });
});

describe('an event stream', () => {
  it('gives each event, in order', async () => {
    const events = new Subject<number>();
    const pair = new Pair({ events: { events: () => events } }).connect();
    const { values } = watch(pair.page.events$('events'));
    await pair.synced();
    for (let n = 0; n < 100; n++) events.next(n);
    await pair.synced();
    expect(values).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('of a window that does not read keeps the newest 1,000 events, and says how many were dropped', async () => {
    const events = new Subject<number>();
    const pair = new Pair({ events: { events: () => events } }).connect();
    const { values } = watch(pair.page.events$('events'));
    await pair.synced();
    for (let n = 0; n < windowLimits.eventsWaitingMax + 5; n++) events.next(n);
    await pair.synced();
    expect(values.slice(0, 2)).toEqual([{ type: 'eventsMissed', count: 5 }, 5]);
    expect(values).toHaveLength(windowLimits.eventsWaitingMax + 1);
  });
});

describe('a call', () => {
  it('resolves with the result, whatever plain value it is', async () => {
    const calls = { echo: async (args: readonly unknown[]) => args[0] };
    const pair = new Pair({ calls }).connect();
    for (const value of [undefined, null, 0, 'text', { a: [1, { b: null }] }]) {
      expect(await pair.page.call('echo', [value])).toEqual(value);
    }
  });

  it('rejects with an error of the same class, code and fields', async () => {
    const route = 'GET /lobbies/{lobby_id}';
    const error = new ApiError('Unknown Lobby', { status: 404, apiCode: 10031, route, issues: [] });
    const pair = new Pair({ calls: { read: () => Promise.reject(error) } }).connect();
    const reason = await pair.page.call('read', []).catch((thrown: unknown) => thrown);
    expect(reason).toBeInstanceOf(ApiError);
    expect(reason).toMatchObject({ code: 'unknown_lobby', message: error.message, status: 404, apiCode: 10031, route });
  });

  it('that fails otherwise says nothing of how, and the log of the main process does', async () => {
    const calls = { leak: () => Promise.reject(new Error('the token is abc')) };
    const pair = new Pair({ calls }).connect();
    await expect(pair.page.call('leak', [])).rejects.toMatchObject({
      code: 'main_process_failed',
      message: expect.not.stringContaining('abc'),
    });
    expect(pair.log.lines).toMatchObject([{ level: 'error', call: 'leak' }]);
  });

  it('of a name that is not listed is rejected, also of one that every object has', async () => {
    const pair = new Pair({}).connect();
    for (const name of ['unlisted', 'constructor', '__proto__']) {
      await expect(pair.page.call(name, [])).rejects.toMatchObject({ code: 'unknown_call' });
    }
  });

  it('is aborted in the main process when its signal is', async () => {
    const aborted = Promise.withResolvers<void>();
    const calls = {
      wait: (_: readonly unknown[], signal: AbortSignal) =>
        new Promise<string>(resolve => {
          signal.addEventListener('abort', () => {
            aborted.resolve();
            resolve('ended');
          });
        }),
    };
    const pair = new Pair({ calls }).connect();
    await pair.synced();
    const controller = new AbortController();
    const call = pair.page.call('wait', [], controller.signal);
    controller.abort();
    await aborted.promise;
    expect(await call).toBe('ended');
    await expect(pair.page.call('wait', [], controller.signal)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('what no port carries', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const echo = async ([value]: readonly unknown[]) => value;

  it.each<readonly [what: string, value: unknown]>([
    ['a function', () => 1],
    ['a function in an object', { onWait() {} }],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a Map', new Map()],
    ['a Date', new Date(0)],
    ['a cycle', cycle],
    ['too much text', 'x'.repeat(windowLimits.argumentTextMax + 1)],
  ])('%s as an argument rejects its call in the window, and no other', async (_, value) => {
    const pair = new Pair({ calls: { echo } });
    const early = [pair.page.call('echo', [value]), pair.page.call('echo', ['early'])];
    pair.connect();
    const late = [pair.page.call('echo', [value]), pair.page.call('echo', ['late'])];
    const rejected = { status: 'rejected', reason: expect.objectContaining({ code: 'invalid_call_arguments' }) };
    expect(await Promise.allSettled([...early, ...late])).toEqual([
      rejected,
      { status: 'fulfilled', value: 'early' },
      rejected,
      { status: 'fulfilled', value: 'late' },
    ]);
  });

  it('does not include what user interfaces wrap: a Proxy and an object of a class cross as their fields', async () => {
    class Move {
      x = 1;
      y = Number.NaN;
    }
    const pair = new Pair({ calls: { echo }, states: { of: at => new BehaviorSubject(at) } }).connect();
    const reactive = new Proxy({ list: new Proxy([new Move()], {}) }, {});
    expect(await pair.page.call('echo', [reactive])).toEqual({ list: [{ x: 1, y: Number.NaN }] });
    expect(await firstValueFrom(pair.page.state$('of', reactive))).toEqual({ list: [{ x: 1, y: Number.NaN }] });
  });

  it.each<readonly [what: string, value: unknown]>([
    ['a function', () => 1],
    ['a symbol in an object', { field: Symbol('x') }],
    ['a cycle', cycle],
  ])('%s as a result rejects its call, and the main process goes on', async (_, value) => {
    const pair = new Pair({ calls: { echo, wrong: async () => value } }).connect();
    const all = await Promise.allSettled([pair.page.call('wrong', []), pair.page.call('echo', [1])]);
    expect(all).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'main_process_failed' }) },
      { status: 'fulfilled', value: 1 },
    ]);
    expect(pair.log.lines).toMatchObject([{ level: 'error' }]);
  });

  it.each<readonly [what: string, value: unknown]>([
    ['a function', { inner: () => 1 }],
    ['a cycle', cycle],
  ])('%s in a state is left out: the window keeps the value before, and gets the one after', async (_, value) => {
    const state = new BehaviorSubject<unknown>({ n: 1 });
    const events = new Subject<unknown>();
    const pair = new Pair({ states: { state: () => state }, events: { events: () => events } }).connect();
    const watched = watch(pair.page.state$('state'));
    const heard = watch(pair.page.events$('events'));
    await pair.synced();
    state.next(value);
    await pair.synced();
    state.next({ n: 2 });
    events.next({ n: 1, call() {} });
    await pair.synced();
    events.next('later');
    await pair.synced();
    expect(watched).toMatchObject({ values: [{ n: 1 }, { n: 2 }], isComplete: false });
    expect(heard.values).toContain('later');
    expect(pair.log.lines.map(({ level }) => level)).toContain('error');
  });
});

describe('a connection', () => {
  it('answers any number of calls that a window makes together, and those that it aborts meanwhile', async () => {
    const calls = { echo: async ([value]: readonly unknown[]) => value };
    const pair = new Pair({ calls }).connect();
    const controller = new AbortController();
    const many = Array.from({ length: windowLimits.callsMax * 3 }, (_, n) => pair.page.call('echo', [n]));
    const last = pair.page.call('echo', ['last'], controller.signal);
    controller.abort();
    await expect(last).rejects.toMatchObject({ code: 'aborted' });
    expect(await Promise.all(many)).toEqual(many.map((_, n) => n));
    expect(pair.ports).toBe(1);
  });

  it('outlives a state of the game that does not exist: its stream completes', async () => {
    const pair = new Pair({}).connect();
    const watched = watch(pair.page.state$('game:scoer'));
    await pair.synced();
    expect(watched).toMatchObject({ values: [], isComplete: true });
    expect(pair.log.lines).toMatchObject([{ level: 'warn', topic: 'game:scoer' }]);
  });

  it('that the window closes completes its streams and rejects its calls, for good', async () => {
    const state = new BehaviorSubject(1);
    const pair = new Pair({ states: { state: () => state }, calls: { wait: () => new Promise(() => {}) } }).connect();
    const watched = watch(pair.page.state$('state'));
    await pair.synced();
    const call = pair.page.call('wait', []);
    pair.page.close();
    await expect(call).rejects.toMatchObject({ code: 'connection_lost' });
    expect(watched).toMatchObject({ values: [1], isComplete: true });
    await expect(pair.page.call('wait', [])).rejects.toMatchObject({ code: 'connection_lost' });
    expect(watch(pair.page.state$('state')).isComplete).toBe(true);
    expect(pair.ports).toBe(1);
  });

  it.each([
    ['the main process has closed it', (pair: Pair) => pair.main.close({ mayReconnect: true })],
    ['its port is gone', (pair: Pair) => pair.pagePort.close()],
    ['the page says so', (pair: Pair) => pair.page.reconnect()],
  ])('is made again when %s: streams go on with the present state', async (_, lose) => {
    const list = new BehaviorSubject<readonly object[]>([{ id: 1 }, { id: 2 }]);
    const pair = new Pair({ states: { list: () => list } }).connect();
    const watched = watch<readonly object[]>(pair.page.state$('list'));
    await pair.synced();
    const before = pair.ports;
    lose(pair);
    list.next([{ id: 1 }, { id: 3 }]);
    await pair.reconnected(before);
    expect(watched).toMatchObject({
      values: [
        [{ id: 1 }, { id: 2 }],
        [{ id: 1 }, { id: 3 }],
      ],
      isComplete: false,
    });
    // What is the same is the same object: views that compare by identity see no change.
    expect(watched.values[1]?.[0]).toBe(watched.values[0]?.[0]);
    list.next([{ id: 4 }]);
    await pair.synced();
    expect(watched.values.at(-1)).toEqual([{ id: 4 }]);
  });

  it('that is made again emits nothing for a state that is the same', async () => {
    const state = new BehaviorSubject({ a: [1, { b: 2 }], error: undefined });
    const pair = new Pair({ states: { state: () => state } }).connect();
    const { values } = watch(pair.page.state$('state'));
    await pair.synced();
    const before = pair.ports;
    pair.pagePort.close();
    state.next({ a: [1, { b: 2 }], error: undefined });
    await pair.reconnected(before);
    expect(values).toHaveLength(1);
  });

  it('that is lost rejects calls under way, and keeps those that were not sent', async () => {
    const calls = { wait: () => new Promise(() => {}), echo: async ([value]: readonly unknown[]) => value };
    const pair = new Pair({ calls }).connect();
    await pair.synced();
    const sent = pair.page.call('wait', []);
    pair.page.reconnect();
    const waiting = pair.page.call('echo', ['later']);
    const controller = new AbortController();
    const aborted = pair.page.call('echo', ['never'], controller.signal);
    controller.abort();
    await expect(sent).rejects.toMatchObject({ code: 'connection_lost' });
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    expect(await waiting).toBe('later');
  });

  it('that is lost leaves a gap in event streams, which they report', async () => {
    const events = new Subject<number>();
    const pair = new Pair({ events: { events: () => events } }).connect();
    const { values } = watch(pair.page.events$('events'));
    await pair.synced();
    events.next(1);
    await pair.synced();
    const before = pair.ports;
    pair.page.reconnect();
    await pair.reconnected(before);
    events.next(3);
    await pair.synced();
    expect(values).toEqual([1, { type: 'eventsMissed', count: undefined }, 3]);
  });

  it('whose loss nobody announces is found out by a heartbeat, after 20 s at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const state = new BehaviorSubject(1);
    const pair = new Pair({ states: { state: () => state } }).connect();
    const { values } = watch(pair.page.state$('state'));
    await pair.synced();
    // A window that is answered keeps its port.
    for (let seconds = 0; seconds < 60; seconds++) {
      await vi.advanceTimersByTimeAsync(1000);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(pair.ports).toBe(1);
    pair.pause();
    state.next(2);
    for (let seconds = 0; seconds < 22; seconds++) {
      await vi.advanceTimersByTimeAsync(1000);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(pair.ports).toBe(2);
    pair.resume();
    await pair.synced();
    expect(values).toEqual([1, 2]);
  });

  it('is tried again until windows are served; calls that wait meanwhile reject after 5 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const pair = new Pair({ states: { state: () => new BehaviorSubject('value') } });
    pair.isServing = false;
    const first = firstValueFrom(pair.page.state$('state'));
    pair.connect();
    await vi.advanceTimersByTimeAsync(60_000);
    pair.isServing = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await first).toBe('value');
    pair.isServing = false;
    pair.page.reconnect();
    const call = pair.page.call('sync', []).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await call).toMatchObject({ code: 'connection_lost' });
  });

  it('whose window is gone leaves nothing behind: streams are given up, calls aborted', async () => {
    const state = new BehaviorSubject(1);
    const signals: AbortSignal[] = [];
    const calls = {
      wait: (_: readonly unknown[], signal: AbortSignal) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    };
    const pair = new Pair({ states: { state: () => state }, calls }).connect();
    watch(pair.page.state$('state'));
    pair.page.call('wait', []).catch(() => {});
    await pair.synced();
    const { main } = pair;
    pair.isServing = false;
    pair.pagePort.close();
    await expect.poll(() => pair.main === main && pair.isClosed).toBe(true);
    expect(state.observed).toBe(false);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('keeps what is asked of it until the port is there', async () => {
    const pair = new Pair({ states: { state: () => new BehaviorSubject('value') } });
    const first = firstValueFrom(pair.page.state$('state'));
    pair.connect();
    expect(await first).toBe('value');
  });
});

describe('a window that sends what none of ours does is disconnected', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);
  const states = { state: () => new BehaviorSubject(1) };

  it.each<readonly [what: string, ...messages: unknown[]]>([
    ['no list', { type: 'call' }],
    ['an unknown type', ['eval', 1]],
    ['no number', ['call', '1', 'sync', []]],
    ['the number 0', ['unsubscribe', 0]],
    ['a long name', ['call', 1, 'x'.repeat(65), []]],
    ['arguments that are no list', ['call', 1, 'sync', {}]],
    ['a message that is too long', ['ack', 1, 2]],
    ['a value that JSON has not', ['call', 1, 'sync', [new Map()]]],
    ['too many values', ['call', 1, 'sync', [Array.from({ length: windowLimits.argumentValuesMax }, () => 0)]]],
    ['too much text', ['call', 1, 'sync', ['x'.repeat(windowLimits.argumentTextMax + 1)]]],
    ['too much text to watch', ['subscribe', 1, 'state', ['x'.repeat(windowLimits.subscriptionTextMax + 1)]]],
    ['too deep a value', ['call', 1, 'sync', [nested(windowLimits.argumentDepthMax)]]],
    ['an acknowledgement of nothing', ['ack', 5]],
  ])('%s', async (_, ...messages) => {
    expect(await new Pair({ states }).violate(...messages)).toContain('it ');
  });

  it('a stream that windows cannot watch', async () => {
    for (const topic of ['other', 'constructor']) {
      expect(await new Pair({ states }).violate(['subscribe', 1, topic, []])).toContain(topic);
    }
  });

  it('one subscription or call twice', async () => {
    const twice = (message: unknown) =>
      new Pair({ states, calls: { wait: () => new Promise(() => {}) } }).violate(message, message);
    expect(await twice(['subscribe', 1, 'state', []])).toContain('twice');
    expect(await twice(['call', 1, 'wait', []])).toContain('twice');
  });

  it('more subscriptions or calls than it may have', async () => {
    const many = (count: number, message: (id: number) => unknown) =>
      Array.from({ length: count }, (_, at) => message(at + 1));
    const { subscriptionsMax, callsMax } = windowLimits;
    const shared = { states, calls: { wait: () => new Promise(() => {}) } };
    const subscribing = many(subscriptionsMax + 1, id => ['subscribe', id, 'state', []]);
    expect(await new Pair(shared).violate(...subscribing)).toContain(String(subscriptionsMax));
    expect(await new Pair(shared).violate(...many(callsMax + 1, id => ['call', id, 'wait', []]))).toContain(
      String(callsMax),
    );
  });

  it('and one that does not read the outcomes of its calls', async () => {
    const { callsMax } = windowLimits;
    const pair = new Pair({});
    const reasons = pair.violate(...Array.from({ length: callsMax * 2 }, (_, at) => ['call', at + 1, 'sync', []]));
    expect(await reasons).toContain('not read');
  });

  it('but what is just within the bounds is taken', async () => {
    const { argumentTextMax, argumentDepthMax, argumentValuesMax, subscriptionTextMax } = windowLimits;
    const pair = new Pair({ states, calls: { echo: async args => args[0] === undefined } }).connect();
    expect(await firstValueFrom(pair.page.state$('state', 'x'.repeat(subscriptionTextMax)))).toBe(1);
    let isComplete = false;
    pair.page.state$('state', 'x'.repeat(subscriptionTextMax + 1)).subscribe({ complete: () => (isComplete = true) });
    expect(isComplete).toBe(true);
    await pair.page.call('echo', ['x'.repeat(argumentTextMax)]);
    await pair.page.call('echo', [nested(argumentDepthMax - 1)]);
    await pair.page.call('echo', [Array.from({ length: argumentValuesMax - 2 }, () => 0)]);
    expect(pair.isClosed).toBe(false);
  });
});
