import { type RallypointError, TransportError } from '../../model/errors/errors.ts';
import { Observable, type Subscriber } from '../live/rxjs.ts';
import { errorOf, fromPlain } from './error-fields.ts';
import type { BatchItem, FromMain, FromWindow } from './messages.ts';
import { applyPatch, type Patch } from './patch.ts';

/** The port's end in a window: the browser's `MessagePort`, as much of it as is used. */
export interface PagePort {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  /** Chromium has it from version 122 on. */
  onclose?: (() => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/** A watched state or event stream. Everybody in the window who watches it shares it. */
interface Watch {
  readonly id: number;
  readonly name: string;
  readonly watchers: Set<Subscriber<unknown>>;
  state: { readonly value: unknown } | undefined;
}

interface Call {
  resolve(value: unknown): void;
  reject(reason: RallypointError): void;
}

/** A window's side of its port to the main process: keeps the states that are watched equal to those there. */
export class MainConnection {
  readonly #watches = new Map<number, Watch>();
  readonly #byName = new Map<string, Watch>();
  readonly #calls = new Map<number, Call>();
  /** Messages that wait for the port. */
  readonly #waiting: FromWindow[] = [];
  #port: PagePort | undefined;
  #lastId = 0;
  #isClosed = false;
  /** Why it was closed. */
  #reason: RallypointError | undefined;

  /** To be called once. */
  connect(port: PagePort): void {
    if (this.#isClosed) {
      port.close();
      return;
    }
    this.#port = port;
    port.onmessage = ({ data }) => this.#receive(data as FromMain);
    port.onclose = () => this.close();
    for (const message of this.#waiting.splice(0)) port.postMessage(message);
  }

  /**
   * A state of the main process: replays the latest value to those who come while others watch, and never errors. It is
   * sent while somebody watches.
   */
  state$<Value>(topic: string, ...args: readonly unknown[]): Observable<Value> {
    return this.#watched(topic, args) as Observable<Value>;
  }

  /** Events of the main process, from the subscription on. */
  events$<Value>(topic: string, ...args: readonly unknown[]): Observable<Value> {
    return this.#watched(topic, args) as Observable<Value>;
  }

  /** The latest value of a state that is watched; undefined while it is not, or until the first value has arrived. */
  latest<Value>(topic: string, ...args: readonly unknown[]): Value | undefined {
    return this.#byName.get(nameOf(topic, args))?.state?.value as Value | undefined;
  }

  /**
   * Calls an operation of the main process.
   *
   * @throws what the operation throws there: of the same class, with the same code and fields; TransportError `aborted`,
   *   `connection_lost`, `untrusted_window`
   */
  async call<Value>(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<Value> {
    if (this.#reason) throw this.#reason;
    if (signal?.aborted) throw new TransportError('aborted', `${name} was aborted before it began.`);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls.set(id, { resolve, reject });
    this.#send(['call', id, name, args]);
    const onAbort = () => this.#send(['abort', id]);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return (await promise) as Value;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** A call whose last argument are its options; their signal aborts it. */
  operation<Value>(
    name: string,
    args: readonly unknown[],
    { signal, ...options }: { readonly signal?: AbortSignal | undefined },
  ): Promise<Value> {
    return this.call(name, [...args, options], signal);
  }

  /** Completes what is watched and rejects what is under way. Repeatable. @param reason of later calls, too */
  close(
    reason: RallypointError = new TransportError('connection_lost', 'The connection to the main process has ended.'),
  ): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reason = reason;
    for (const { watchers } of this.#watches.values()) for (const watcher of [...watchers]) watcher.complete();
    this.#watches.clear();
    this.#byName.clear();
    for (const { reject } of this.#calls.values()) reject(reason);
    this.#calls.clear();
    this.#port?.close();
  }

  #watched(topic: string, args: readonly unknown[]): Observable<unknown> {
    const name = nameOf(topic, args);
    return new Observable(watcher => {
      if (this.#isClosed) return watcher.complete();
      const known = this.#byName.get(name);
      const watch = known ?? this.#begin(name, topic, args);
      watch.watchers.add(watcher);
      if (watch.state) watcher.next(watch.state.value);
      return () => {
        watch.watchers.delete(watcher);
        if (watch.watchers.size === 0 && this.#watches.delete(watch.id)) {
          this.#byName.delete(name);
          this.#send(['unsubscribe', watch.id]);
        }
      };
    });
  }

  #begin(name: string, topic: string, args: readonly unknown[]): Watch {
    const watch: Watch = { id: ++this.#lastId, name, watchers: new Set(), state: undefined };
    this.#watches.set(watch.id, watch);
    this.#byName.set(name, watch);
    this.#send(['subscribe', watch.id, topic, args]);
    return watch;
  }

  /** All states of a message are stored before subscribers are notified of any, because they belong together. */
  #receive([number, ...items]: FromMain): void {
    for (const item of items) {
      const watch = item[0] === 'state' ? this.#watches.get(item[1]) : undefined;
      if (watch) watch.state = { value: applyPatch(watch.state?.value, item[2] as Patch) };
    }
    for (const item of items) this.#take(item);
    this.#send(['ack', number]);
  }

  #take(item: BatchItem): void {
    if (item[0] === 'closed') {
      this.close(errorOf(item[2]));
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
    const call = this.#calls.get(item[1]);
    this.#calls.delete(item[1]);
    if (item[0] === 'result') call?.resolve(fromPlain(item[2]));
    else call?.reject(errorOf(item[2]));
  }

  #send(message: FromWindow): void {
    if (this.#isClosed) return;
    if (this.#port) this.#port.postMessage(message);
    else this.#waiting.push(message);
  }
}

function nameOf(topic: string, args: readonly unknown[]): string {
  return JSON.stringify([topic, ...args]);
}

function newsIn(item: Extract<BatchItem, readonly ['state' | 'event' | 'missed', ...unknown[]]>, { state }: Watch) {
  if (item[0] === 'state') return state?.value;
  return item[0] === 'missed' ? Object.freeze({ type: 'eventsMissed', count: item[2] }) : fromPlain(item[2]);
}
