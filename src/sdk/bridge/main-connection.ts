import { ArgumentError, type RallypointError, TransportError } from '../../model/errors/errors.ts';
import { parseOptions } from '../../wire/arguments.ts';
import { Observable, type Subscriber } from '../live/rxjs.ts';
import { errorOf, fromPlain } from './error-fields.ts';
import { type BatchItem, type FromMain, type FromWindow, problemWithArguments, windowLimits } from './messages.ts';
import { applyPatch, diff, type Patch } from './patch.ts';

/** The port's end in a window: the browser's `MessagePort`, as much of it as is used. */
export interface PagePort {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  /** Electron adds the event `close` to the ports of pages. */
  addEventListener?(type: 'close', listener: () => void): void;
  postMessage(message: unknown): void;
  close(): void;
}

/** A watched state or event stream. Everybody in the window who watches it shares it. */
interface Watch {
  readonly id: number;
  readonly name: string;
  readonly isState: boolean;
  /** Begins the subscription, with every port anew. */
  readonly message: FromWindow;
  readonly watchers: Set<Subscriber<unknown>>;
  state: { readonly value: unknown } | undefined;
  /** The port was lost since the last state arrived: the next one comes whole. */
  isStale: boolean;
}

interface Call {
  readonly message: FromWindow;
  resolve(value: unknown): void;
  reject(reason: RallypointError): void;
}

/** How long the main process may take to answer a new port, and the waits between attempts to get one. */
const answerMsMax = 5000;
const retryMs = { first: 250, max: 5000 } as const;
/** How often a window that gets nothing asks whether the main process is there, and how often in vain. */
const heartbeat = { everyMs: 5000, unansweredMax: 2 } as const;

/**
 * A window's side of its port to the main process: keeps the states that are watched equal to those there. A port that is
 * lost is replaced by another one, by which everything that is watched is subscribed to again.
 */
export class MainConnection {
  readonly #watches = new Map<number, Watch>();
  readonly #byName = new Map<string, Watch>();
  /** Calls that were sent, and have no answer. */
  readonly #sent = new Map<number, Call>();
  /** Calls that wait for a port, or for others to be answered, in their order. */
  readonly #waiting = new Map<number, Call>();
  /** Asks for a port, which {@link connect} takes. */
  #requestPort: (() => void) | undefined;
  #port: PagePort | undefined;
  /** The main process has answered the port. */
  #isOpen = false;
  #hasOpened = false;
  /** Since the last port that worked. */
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasHeard = false;
  #lastId = 0;
  #isClosed = false;
  /** Why it was closed. */
  #reason: RallypointError | undefined;

  /** Asks for a port now, and again whenever it is lost. @param requestPort its port goes to {@link connect} */
  open(requestPort: () => void): void {
    this.#requestPort = requestPort;
    this.#attempt();
  }

  /** Takes the place of an earlier port. */
  connect(port: PagePort): void {
    if (this.#isClosed) {
      port.close();
      return;
    }
    if (this.#port) this.#forgetPort();
    this.#port = port;
    port.onmessage = ({ data }) => {
      if (this.#port === port) this.#receive(data as FromMain);
    };
    port.addEventListener?.('close', () => {
      if (this.#port === port) this.reconnect();
    });
  }

  /** Gives up the port, and gets another one. Calls that were sent reject, because nobody knows what became of them. */
  reconnect(): void {
    if (this.#isClosed) return;
    this.#forgetPort();
    if (!this.#requestPort) {
      this.close();
      return;
    }
    const waitMs = this.#attempts === 0 ? 0 : Math.min(retryMs.first * 2 ** (this.#attempts - 1), retryMs.max);
    this.#attempts++;
    this.#after(waitMs, () => {
      try {
        this.#attempt();
      } catch {
        // There is no port to be had now. The next attempt is scheduled already.
      }
    });
  }

  /**
   * A state of the main process: replays the latest value to those who come while others watch, and never errors. It is
   * sent while somebody watches.
   */
  state$<Value>(topic: string, ...args: readonly unknown[]): Observable<Value> {
    return this.#watched(topic, args, true) as Observable<Value>;
  }

  /** Events of the main process, from the subscription on. */
  events$<Value>(topic: string, ...args: readonly unknown[]): Observable<Value> {
    return this.#watched(topic, args, false) as Observable<Value>;
  }

  /** The latest value of a state that is watched; undefined while it is not, or until the first value has arrived. */
  latest<Value>(topic: string, ...args: readonly unknown[]): Value | undefined {
    return this.#byName.get(nameOf(topic, args))?.state?.value as Value | undefined;
  }

  /**
   * Calls an operation of the main process. While there is no port, or many calls are under way, the call waits.
   *
   * @throws what the operation throws there: of the same class, with the same code and fields; TransportError `aborted`,
   *   `connection_lost`, `untrusted_window`; ArgumentError `invalid_call_arguments` for arguments that cannot cross
   */
  async call<Value>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<Value> {
    if (this.#reason) throw this.#reason;
    if (signal?.aborted) throw abortedBeforeStart(name);
    const problem = problemWithArguments(args);
    if (problem !== undefined) throw cannotCross(name, problem);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { message: ['call', id, name, plainCopy(args)], resolve, reject });
    this.#sendCalls();
    const onAbort = () => {
      if (this.#waiting.delete(id)) reject(abortedBeforeStart(name));
      else this.#send(['abort', id]);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return (await promise) as Value;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** A call whose last argument are its options; their signal aborts it. */
  async operation<Value>(
    name: string,
    args: readonly unknown[],
    given: { readonly signal?: AbortSignal | undefined } | undefined,
  ): Promise<Value> {
    const { signal, ...options } = parseOptions(given);
    return this.call(name, [...args, options], signal);
  }

  /** Completes what is watched and rejects what is under way. Repeatable. @param reason of later calls, too */
  close(reason: RallypointError = connectionLost()): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reason = reason;
    clearTimeout(this.#timer);
    for (const { watchers } of this.#watches.values()) for (const watcher of [...watchers]) watcher.complete();
    this.#watches.clear();
    this.#byName.clear();
    rejectAll(this.#sent, reason);
    rejectAll(this.#waiting, reason);
    this.#port?.close();
  }

  #attempt(): void {
    this.#after(answerMsMax, () => {
      // Nobody serves windows there. What was asked meanwhile need not wait for longer, unless the page has just begun.
      if (this.#hasOpened) rejectAll(this.#waiting, connectionLost());
      this.reconnect();
    });
    this.#requestPort?.();
  }

  /** Not every loss of a port is announced. @param unanswered heartbeats that the main process has not answered */
  #listen(unanswered: number): void {
    this.#hasHeard = false;
    const beganAtMs = Date.now();
    this.#after(heartbeat.everyMs, () => {
      // A page that was asleep has not read yet what came meanwhile.
      const wasAsleep = Date.now() - beganAtMs > heartbeat.everyMs * 2;
      if (this.#hasHeard) return this.#listen(0);
      if (unanswered >= heartbeat.unansweredMax && !wasAsleep) return this.reconnect();
      this.#send(['call', ++this.#lastId, 'ping', []]);
      this.#listen(wasAsleep ? 1 : unanswered + 1);
    });
  }

  #after(ms: number, run: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(run, ms);
    // In Node.js, where tests open windows, waiting for a port keeps no process alive.
    (this.#timer as { unref?(): void }).unref?.();
  }

  #forgetPort(): void {
    const port = this.#port;
    this.#port = undefined;
    this.#isOpen = false;
    port?.close();
    for (const watch of this.#watches.values()) watch.isStale = true;
    rejectAll(this.#sent, connectionLost());
  }

  /** The main process has answered: whatever waited for the port goes out. */
  #greeted(): void {
    this.#isOpen = true;
    this.#hasOpened = true;
    this.#listen(0);
    for (const watch of [...this.#watches.values()]) {
      this.#send(watch.message);
      if (watch.isState || !watch.isStale) continue;
      watch.isStale = false;
      for (const watcher of [...watch.watchers]) watcher.next(eventsMissed(undefined));
    }
    this.#sendCalls();
  }

  #watched(topic: string, args: readonly unknown[], isState: boolean): Observable<unknown> {
    const name = nameOf(topic, args);
    return new Observable(watcher => {
      const problem = problemWithArguments(args, windowLimits.subscriptionTextMax);
      if (this.#isClosed || problem !== undefined) return watcher.complete();
      const watch = this.#byName.get(name) ?? this.#begin(name, topic, args, isState);
      watch.watchers.add(watcher);
      if (watch.state) watcher.next(watch.state.value);
      return () => {
        watch.watchers.delete(watcher);
        if (watch.watchers.size === 0 && this.#watches.delete(watch.id)) {
          this.#byName.delete(name);
          if (this.#isOpen) this.#send(['unsubscribe', watch.id]);
        }
      };
    });
  }

  #begin(name: string, topic: string, args: readonly unknown[], isState: boolean): Watch {
    const id = ++this.#lastId;
    const message: FromWindow = ['subscribe', id, topic, plainCopy(args)];
    const watch: Watch = { id, name, isState, message, watchers: new Set(), state: undefined, isStale: false };
    this.#watches.set(id, watch);
    this.#byName.set(name, watch);
    if (this.#isOpen) this.#send(message);
    return watch;
  }

  /** All states of a message are stored before subscribers are notified of any, because they belong together. */
  #receive([number, ...items]: FromMain): void {
    if (number === 0 && items.length === 0) {
      this.#greeted();
      return;
    }
    this.#attempts = 0;
    this.#hasHeard = true;
    const unchanged: BatchItem[] = [];
    for (const item of items) {
      const watch = item[0] === 'state' ? this.#watches.get(item[1]) : undefined;
      if (watch && !takeState(watch, item[2] as Patch)) unchanged.push(item);
    }
    for (const item of items) if (!unchanged.includes(item)) this.#take(item);
    if (this.#isOpen && number % windowLimits.batchesPerAcknowledgement === 0) this.#send(['ack', number]);
  }

  #take(item: BatchItem): void {
    if (item[0] === 'closed') {
      if (item[1]) this.reconnect();
      else this.close(errorOf(item[2]));
      return;
    }
    if (item[0] === 'result' || item[0] === 'error') {
      this.#settle(item);
      return;
    }
    const watch = this.#watches.get(item[1]);
    // It is not watched any more; the main process does not know yet.
    if (!watch) return;
    const watchers = [...watch.watchers];
    if (item[0] === 'complete') {
      this.#watches.delete(watch.id);
      this.#byName.delete(watch.name);
      for (const watcher of watchers) watcher.complete();
    } else {
      const value = newsIn(item, watch);
      for (const watcher of watchers) watcher.next(value);
    }
  }

  #settle(item: Extract<BatchItem, readonly ['result' | 'error', ...unknown[]]>): void {
    const call = this.#sent.get(item[1]);
    this.#sent.delete(item[1]);
    if (item[0] === 'result') call?.resolve(fromPlain(item[2]));
    else call?.reject(errorOf(item[2]));
    this.#sendCalls();
  }

  #sendCalls(): void {
    if (!this.#isOpen) return;
    for (const [id, call] of this.#waiting) {
      if (this.#sent.size >= windowLimits.callsSentMax) return;
      this.#waiting.delete(id);
      this.#sent.set(id, call);
      this.#send(call.message);
    }
  }

  #send(message: FromWindow): void {
    this.#port?.postMessage(message);
  }
}

/** @returns whether the state changed; after another port, all of it comes, and what is the same stays the same object */
function takeState(watch: Watch, patch: Patch): boolean {
  const { state, isStale } = watch;
  watch.isStale = false;
  const value = applyPatch(state?.value, patch);
  if (!state || !isStale) {
    watch.state = { value };
    return true;
  }
  const change = diff(state.value, value);
  if (change) watch.state = { value: applyPatch(state.value, change) };
  return change !== undefined;
}

function nameOf(topic: string, args: readonly unknown[]): string {
  return JSON.stringify([topic, ...args]);
}

function newsIn(item: Extract<BatchItem, readonly ['state' | 'event' | 'missed', ...unknown[]]>, { state }: Watch) {
  if (item[0] === 'state') return state?.value;
  return item[0] === 'missed' ? eventsMissed(item[2]) : fromPlain(item[2]);
}

function eventsMissed(count: number | undefined): object {
  return Object.freeze({ type: 'eventsMissed', count });
}

function connectionLost(): TransportError {
  return new TransportError('connection_lost', 'The connection to the main process has ended.');
}

function rejectAll(calls: Map<number, Call>, reason: RallypointError): void {
  const all = [...calls.values()];
  calls.clear();
  for (const { reject } of all) reject(reason);
}

/** What user interfaces pass may be a Proxy, as reactive objects of Vue are, which no port carries. */
function plainCopy<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainCopy(part)])) as Value;
}

function cannotCross(name: string, problem: string): ArgumentError {
  return new ArgumentError(
    'invalid_call_arguments',
    `${name} cannot be called: its arguments contain ${problem}, and only JSON values cross to the main process.`,
  );
}

function abortedBeforeStart(name: string): TransportError {
  return new TransportError('aborted', `${name} was aborted before it began.`);
}
