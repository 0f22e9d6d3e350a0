import { MessageChannel, type MessagePort } from 'node:worker_threads';
import fc from 'fast-check';
import { BehaviorSubject, firstValueFrom, type Observable, Subject } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError } from '../../../src/model/errors/errors.ts';
import { MainConnection, type PagePort } from '../../../src/sdk/bridge/main-connection.ts';
import { windowLimits } from '../../../src/sdk/bridge/messages.ts';
import { type MainPort, type SharedParts, WindowConnection } from '../../../src/sdk/bridge/window-connection.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { tries } from '../../support/runs/tries.ts';

/** A window and the main process, joined by a real MessageChannel. */
class Pair {
  readonly log = recordingLog();
  readonly page = new MainConnection();
  readonly main: WindowConnection;
  readonly pagePort: MessagePort;
  /** What was posted to the window. */
  readonly posted: unknown[] = [];
  isClosed = false;
  readonly #held: unknown[] = [];
  #isReading = true;
  #deliver: (data: unknown) => void = () => {};

  constructor(shared: Partial<SharedParts>) {
    const { port1, port2 } = new MessageChannel();
    this.pagePort = port2;
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
    this.main = new WindowConnection({
      port: mainPort,
      shared: { states: {}, events: {}, ...shared, calls: { sync: async () => undefined, ...shared.calls } },
      logger: this.log.log,
      defer: setImmediate,
      onClose: () => {
        this.isClosed = true;
      },
    });
    onTestFinished(() => this.main.close());
  }

  connect(): this {
    const { pagePort } = this;
    const port: PagePort = {
      onmessage: null,
      postMessage: message => pagePort.postMessage(message),
      close: () => pagePort.close(),
    };
    this.page.connect(port);
    this.#deliver = data => port.onmessage?.({ data });
    pagePort.on('message', data => {
      if (this.#isReading) this.#deliver(data);
      else this.#held.push(data);
    });
    return this;
  }

  /** The window sleeps: its port takes messages that nobody handles. */
  pause(): void {
    this.#isReading = false;
  }

  resume(): void {
    this.#isReading = true;
    for (const data of this.#held.splice(0)) this.#deliver(data);
  }

  /** Resolves when everything that happened in the main process until now is in the window. */
  async synced(): Promise<void> {
    await this.page.call('sync', []);
  }

  /** Sends what no window of ours does, and resolves when the main process has ended the connection. */
  async violate(...messages: readonly unknown[]): Promise<string> {
    const closed = new Promise(resolve =>
      this.pagePort.on('message', ([number, [type]]) => number === 0 && type === 'closed' && resolve(undefined)),
    );
    for (const message of messages) this.pagePort.postMessage(message);
    await closed;
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

const entries = fc.uniqueArray(fc.record({ id: fc.nat({ max: 9 }), x: fc.nat({ max: 2 }) }), {
  selector: ({ id }) => id,
  maxLength: 9,
});

describe('a state', () => {
  it('of a window equals that of the main process, however the window subscribes, sleeps and wakes', async () => {
    const step = fc.oneof(
      entries.map(value => ({ set: value })),
      fc.constantFrom('pause', 'resume', 'watch', 'unwatch', 'turn').map(act => ({ act })),
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
          else await new Promise(resolve => setImmediate(resolve));
        }
        pair.resume();
        await pair.synced();
        expect(first.values.at(-1)).toEqual(list.value);
        expect(pair.page.latest('list')).toEqual(list.value);
        if (other) expect(other.values.at(-1)).toEqual(list.value);
        pair.main.close();
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

  it('costs nothing for a window that sleeps: 8 messages wait for it, and the newest state follows', async () => {
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
    expect(pair.posted.length - before).toBe(windowLimits.batchesUnacknowledgedMax);
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
    expect(pair.posted).toHaveLength(1);
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
    const controller = new AbortController();
    const call = pair.page.call('wait', [], controller.signal);
    controller.abort();
    await aborted.promise;
    expect(await call).toBe('ended');
    await expect(pair.page.call('wait', [], controller.signal)).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a connection', () => {
  it('that the main process ends completes the streams and rejects the calls of the window', async () => {
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
    const gone = Promise.withResolvers<void>();
    state.subscribe({ complete: gone.resolve });
    pair.pagePort.close();
    await expect.poll(() => pair.isClosed).toBe(true);
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

  it('but what is just within the bounds is taken', async () => {
    const { argumentTextMax, argumentDepthMax, argumentValuesMax } = windowLimits;
    const pair = new Pair({ calls: { echo: async args => args[0] === undefined } }).connect();
    await pair.page.call('echo', ['x'.repeat(argumentTextMax)]);
    await pair.page.call('echo', [nested(argumentDepthMax - 1)]);
    await pair.page.call('echo', [Array.from({ length: argumentValuesMax - 2 }, () => 0)]);
    expect(pair.isClosed).toBe(false);
  });
});
