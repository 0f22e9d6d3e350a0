import { ArgumentError, RallypointError, TransportError } from '../../model/errors/errors.ts';
import type { Logger } from '../../wire/clock/ports.ts';
import type { Observable } from '../live/rxjs.ts';
import { errorFieldsOf, toPlain } from './error-fields.ts';
import {
  type BatchItem,
  type FromMain,
  type FromWindow,
  gamePrefix,
  readFromWindow,
  windowLimits,
} from './messages.ts';
import { diff, wholeValue } from './patch.ts';

/** What windows may watch and call, by name. Nothing else of the main process can be reached. */
export interface SharedParts {
  /** Streams that replay their latest value: a window gets the newest one, and differences from then on. */
  readonly states: Readonly<Record<string, (...args: readonly unknown[]) => Observable<unknown>>>;
  /** Streams of events: a window gets each. */
  readonly events: Readonly<Record<string, (...args: readonly unknown[]) => Observable<unknown>>>;
  /** Operations; each checks its arguments. */
  readonly calls: Readonly<Record<string, (args: readonly unknown[], signal: AbortSignal) => Promise<unknown>>>;
}

/** Why a call was aborted that its window did not abort: some operations go on without it. */
export const windowIsGone: unique symbol = Symbol('the window is gone');

/** The port's end in the main process: Electron's `MessagePortMain`, as much of it as is used. */
export interface MainPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

export interface WindowConnectionOptions {
  readonly port: MainPort;
  readonly shared: SharedParts;
  readonly logger: Logger;
  /** Runs what is given after the present turn of the event loop. */
  readonly defer: (run: () => void) => unknown;
  readonly onClose: () => void;
}

interface WindowSubscription {
  readonly id: number;
  /** A state, or else events. */
  readonly isState: boolean;
  /** Undefined while the observable is being subscribed to. */
  source: { unsubscribe(): void } | undefined;
  /** The state that the window has once it has read what was sent. */
  sent: unknown;
  hasSent: boolean;
  latest: unknown;
  /** Events that were not sent yet, and how many were dropped before them. */
  readonly events: unknown[];
  dropped: number;
  hasCompleted: boolean;
}

/**
 * The main process' side of one window. States are sent as differences, one message for all that changed in a turn of the
 * event loop. A window that does not acknowledge gets nothing more until it does; the newest states are all that is kept
 * for it meanwhile, so that a window that sleeps costs no memory.
 */
export class WindowConnection {
  readonly #options: WindowConnectionOptions;
  readonly #subscriptions = new Map<number, WindowSubscription>();
  readonly #calls = new Map<number, AbortController>();
  /** Subscriptions with something to send, in the order in which they came to it. */
  readonly #changed = new Set<WindowSubscription>();
  /** Outcomes of calls that were not sent yet. */
  readonly #outcomes: BatchItem[] = [];
  #batches = 0;
  #acknowledged = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: WindowConnectionOptions) {
    this.#options = options;
    const { port } = options;
    port.on('message', ({ data }) => this.#receive(data));
    port.on('close', () => this.close());
    port.start();
    port.postMessage([0] satisfies FromMain);
  }

  /**
   * Ends the subscriptions, aborts the calls and closes the port. Repeatable.
   *
   * `mayReconnect`: whether the window is to get another port; not where it would only lose that one, too. `reason`: for
   * the developer of the page.
   */
  close({ mayReconnect = false, reason }: { readonly mayReconnect?: boolean; readonly reason?: string } = {}): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { source } of this.#subscriptions.values()) source?.unsubscribe();
    this.#subscriptions.clear();
    this.#changed.clear();
    for (const call of this.#calls.values()) call.abort(windowIsGone);
    this.#calls.clear();
    this.#outcomes.length = 0;
    const { port } = this.#options;
    const why = reason === undefined ? '.' : `: ${reason}.`;
    const error = new TransportError(
      'connection_lost',
      `The main process has ended the connection to this window${why}`,
    );
    port.postMessage([0, ['closed', mayReconnect, errorFieldsOf(error)]] satisfies FromMain);
    port.close();
    this.#options.onClose();
  }

  #receive(data: unknown): void {
    if (this.#isClosed) return;
    try {
      this.#handle(readFromWindow(data));
    } catch (error) {
      const reason = error instanceof ProtocolViolation ? error.message : 'handling its message failed';
      this.#options.logger.warn({ error, reason }, 'A window was disconnected.');
      this.close({ reason });
    }
  }

  /** @throws ProtocolViolation */
  #handle(message: FromWindow | undefined): void {
    switch (message?.[0]) {
      case 'subscribe':
        this.#subscribe(message);
        break;
      case 'unsubscribe':
        this.#unsubscribe(message[1]);
        break;
      case 'call':
        this.#call(message);
        break;
      case 'abort':
        this.#calls.get(message[1])?.abort();
        break;
      case 'ack':
        this.#acknowledge(message[1]);
        break;
      default:
        throw new ProtocolViolation('it sent a message that this package does not send, or one that is too large');
    }
  }

  #subscribe([, id, topic, args]: Extract<FromWindow, readonly ['subscribe', ...unknown[]]>): void {
    if (this.#subscriptions.has(id)) throw new ProtocolViolation(`it used the subscription ${id} twice`);
    if (this.#subscriptions.size >= windowLimits.subscriptionsMax) {
      throw new ProtocolViolation(`it has more than ${windowLimits.subscriptionsMax} subscriptions`);
    }
    const { states, events } = this.#options.shared;
    const isState = Object.hasOwn(states, topic);
    const open = isState ? states[topic] : Object.hasOwn(events, topic) ? events[topic] : undefined;
    if (!open && !topic.startsWith(gamePrefix))
      throw new ProtocolViolation(`it subscribed to "${topic}", which windows cannot watch`);
    const subscription: WindowSubscription = {
      id,
      isState,
      source: undefined,
      sent: undefined,
      hasSent: false,
      latest: undefined,
      events: [],
      dropped: 0,
      hasCompleted: false,
    };
    this.#subscriptions.set(id, subscription);
    const complete = () => {
      subscription.hasCompleted = true;
      this.#hasChanged(subscription);
    };
    if (!open) {
      // A mistake in the game, and not a foreign page: its stream completes.
      this.#options.logger.warn({ topic }, 'A window cannot watch this: serveWindows() has no such state.');
      complete();
      return;
    }
    try {
      subscription.source = open(...args).subscribe({
        next: value => {
          if (isState) subscription.latest = value;
          else addEvent(subscription, value);
          this.#hasChanged(subscription);
        },
        complete,
        error: (error: unknown) => {
          this.#options.logger.error(
            { error, topic },
            'A stream that a window watches failed; the window sees its end.',
          );
          complete();
        },
      });
    } catch (error) {
      // Its arguments are wrong. The window finds out by a call or not at all: streams do not fail.
      this.#options.logger.warn({ error, topic }, 'A window cannot watch this.');
      complete();
    }
    if (!this.#subscriptions.has(id)) subscription.source?.unsubscribe();
  }

  #unsubscribe(id: number): void {
    const subscription = this.#subscriptions.get(id);
    if (!subscription) return;
    this.#subscriptions.delete(id);
    this.#changed.delete(subscription);
    subscription.source?.unsubscribe();
  }

  #call([, id, name, args]: Extract<FromWindow, readonly ['call', ...unknown[]]>): void {
    const { shared, logger } = this.#options;
    if (this.#calls.has(id)) throw new ProtocolViolation(`it used the call ${id} twice`);
    if (this.#calls.size + this.#outcomes.length >= windowLimits.callsMax) {
      throw new ProtocolViolation(`it has more than ${windowLimits.callsMax} calls whose outcome it has not read`);
    }
    const run = Object.hasOwn(shared.calls, name) ? shared.calls[name] : undefined;
    const controller = new AbortController();
    this.#calls.set(id, controller);
    const ended = (outcome: BatchItem) => {
      if (this.#calls.get(id) !== controller) return;
      this.#calls.delete(id);
      this.#outcomes.push(outcome);
      this.#schedule();
    };
    const failed = (reason: unknown) => {
      if (!(reason instanceof RallypointError))
        logger.error({ error: reason, call: name }, 'A call of a window failed.');
      const error = reason instanceof RallypointError ? reason : failedInMain(name);
      ended(['error', id, errorFieldsOf(error)]);
    };
    if (!run) {
      failed(new ArgumentError('unknown_call', `Windows cannot call "${name}".`));
      return;
    }
    const work = async (): Promise<BatchItem> => {
      const value = await run(args, controller.signal);
      return value === undefined ? ['result', id] : ['result', id, toPlain(value)];
    };
    work().then(ended, failed);
  }

  #acknowledge(number: number): void {
    if (number > this.#batches || number < this.#acknowledged) {
      throw new ProtocolViolation(`it acknowledged message ${number}, and the last one sent is ${this.#batches}`);
    }
    this.#acknowledged = number;
    if (this.#changed.size > 0 || this.#outcomes.length > 0) this.#schedule();
  }

  #hasChanged(subscription: WindowSubscription): void {
    if (this.#subscriptions.get(subscription.id) !== subscription) return;
    this.#changed.add(subscription);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    this.#options.defer(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  /** States come before the outcomes of calls: what a call brought about is there when its promise resolves. */
  #flush(): void {
    if (this.#isClosed || this.#batches - this.#acknowledged >= windowLimits.batchesUnacknowledgedMax) return;
    const items: BatchItem[] = [];
    for (const subscription of this.#changed) {
      try {
        this.#take(subscription, items);
      } catch (error) {
        this.#cannotCross(subscription, error);
      }
    }
    this.#changed.clear();
    items.push(...this.#outcomes.splice(0));
    if (items.length === 0) return;
    const number = ++this.#batches;
    const { port } = this.#options;
    try {
      port.postMessage([number, ...items]);
    } catch {
      port.postMessage([number, ...items.map(item => this.#sendable(item)).filter(item => item !== undefined)]);
    }
  }

  /** What a window gets in place of a value that no port carries, such as a function that the game returns. */
  #sendable(item: BatchItem): BatchItem | undefined {
    try {
      return structuredClone(item);
    } catch (error) {
      const [type, id] = item;
      if (type === 'result') {
        this.#options.logger.error({ error }, 'What a call of a window returned cannot be sent to it.');
        return ['error', id, errorFieldsOf(failedInMain('The call'))];
      }
      const subscription = typeof id === 'number' ? this.#subscriptions.get(id) : undefined;
      if (subscription) this.#cannotCross(subscription, error);
      return undefined;
    }
  }

  /** The window keeps the value that it has, and the next one is sent whole. */
  #cannotCross(subscription: WindowSubscription, error: unknown): void {
    this.#options.logger.error({ error }, 'A value of a state cannot be sent to a window.');
    subscription.hasSent = false;
  }

  #take(subscription: WindowSubscription, items: BatchItem[]): void {
    const { id, isState, latest, sent, hasSent, events, dropped, hasCompleted } = subscription;
    if (dropped > 0) items.push(['missed', id, dropped]);
    for (const event of events.splice(0)) items.push(['event', id, toPlain(event)]);
    subscription.dropped = 0;
    if (isState) {
      const patch = hasSent ? diff(sent, latest) : wholeValue(latest);
      if (patch) items.push(['state', id, patch]);
      subscription.sent = latest;
      subscription.hasSent = true;
    }
    if (!hasCompleted) return;
    items.push(['complete', id]);
    this.#subscriptions.delete(id);
  }
}

function failedInMain(name: string): TransportError {
  return new TransportError('main_process_failed', `${name} failed in the main process; its log says why.`);
}

/** What a window does that this package's own side of it never does. */
class ProtocolViolation extends Error {}

function addEvent(subscription: WindowSubscription, event: unknown): void {
  subscription.events.push(event);
  if (subscription.events.length <= windowLimits.eventsWaitingMax) return;
  subscription.events.shift();
  subscription.dropped++;
}
