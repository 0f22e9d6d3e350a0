import { TransportError } from '../../model/errors/errors.ts';
import { type ComponentInteraction, type Interaction, interactionTypes } from '../../model/interaction.ts';
import { requireList, requireNumber, requireType } from '../../wire/arguments.ts';
import type { Cancel, Clock } from '../../wire/clock/ports.ts';
import { saysYes } from '../says-yes.ts';

/** Which uses of components are collected. */
export interface CollectOptions<Use> {
  /** Custom ids of components. Default: all of the message. */
  readonly customIds?: readonly string[] | undefined;
  /**
   * Returns false for a use that the router's handler should get instead. What it throws ends collecting; so does a promise,
   * with ArgumentError `invalid_filter`.
   */
  readonly filter?: ((use: Use) => boolean) | undefined;
  /** How long to collect. Default and maximum: until the interaction's token expires. */
  readonly timeoutMs?: number | undefined;
  /** Ends collecting with TransportError `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** Bounds of collectors. Unspecified: both. */
export const collectorLimits = {
  /** Collected uses that nobody has taken yet. The router's handler gets further ones. */
  usesWaitingMax: 100,
  /** Collectors of one backend. If there are more, the oldest ends, as if its time were over. */
  collectorsMax: 10_000,
} as const;

interface Use {
  readonly payload: ComponentInteraction;
}

/** The open collectors of a backend. A use goes to the newest collector that takes it. */
export class ComponentCollectors<Collected extends Use> {
  readonly #clock: Clock;
  /** In the order in which they were opened, which their numbers say, too. */
  readonly #open = new Map<Collector<Collected>, number>();
  /** By the ids of an interaction and of the message that it came from. */
  readonly #byId = new Map<string, Set<Collector<Collected>>>();
  #opened = 0;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Collects uses of the messages that answer `interaction`, and of the message whose component it is the use of.
   *
   * @param lifeMs how long the interaction's token is valid
   * @throws ArgumentError `invalid_argument`
   */
  open(interaction: Interaction, lifeMs: number, options: CollectOptions<Collected>): Collector<Collected> {
    checkOptions(options);
    const ids: string[] = [interaction.id];
    if (interaction.type === interactionTypes.MESSAGE_COMPONENT) ids.push(interaction.message.id);
    const leftMs = Math.min(lifeMs, options.timeoutMs ?? Number.POSITIVE_INFINITY);
    const collector: Collector<Collected> = new Collector(options, () => this.#forget(collector, ids));
    this.#open.set(collector, this.#opened++);
    for (const id of ids) {
      const others = this.#byId.get(id);
      if (others) others.add(collector);
      else this.#byId.set(id, new Set([collector]));
    }
    collector.start(this.#clock, leftMs);
    if (this.#isClosed) collector.end();
    if (this.#open.size > collectorLimits.collectorsMax) this.#open.keys().next().value?.end();
    return collector;
  }

  /**
   * @param pass handles the use after all, if collecting ends before the use was taken
   * @returns whether a collector has it
   */
  offer(use: Collected, pass: () => void): boolean {
    if (this.#open.size === 0) return false;
    const { id, interaction_metadata } = use.payload.message;
    const answered = this.#byId.get(interaction_metadata?.id) ?? [];
    const collectors = new Set([...(this.#byId.get(id) ?? []), ...answered]);
    const numberOf = (collector: Collector<Collected>) => this.#open.get(collector) ?? 0;
    return [...collectors].sort((a, b) => numberOf(b) - numberOf(a)).some(one => one.offer(use, pass));
  }

  /** Ends all, as if their time were over, and those that are opened later. */
  close(): void {
    this.#isClosed = true;
    for (const collector of [...this.#open.keys()]) collector.end();
  }

  #forget(collector: Collector<Collected>, ids: readonly string[]): void {
    this.#open.delete(collector);
    for (const id of ids) {
      const others = this.#byId.get(id);
      others?.delete(collector);
      if (others?.size === 0) this.#byId.delete(id);
    }
  }
}

/** @throws ArgumentError `invalid_argument` */
function checkOptions({ customIds, filter, timeoutMs }: CollectOptions<never>): void {
  // A single text would be read as a list of characters.
  if (customIds !== undefined) requireList('customIds', customIds);
  if (filter !== undefined) requireType('filter', filter, 'function');
  requireNumber('timeoutMs', timeoutMs);
}

interface Taker<Collected> {
  resolve(result: IteratorResult<Collected, undefined>): void;
  reject(error: unknown): void;
}

/** Uses of components, in the order in which they arrive. When it ends, those that wait go to the router's handler. */
class Collector<Collected extends Use> implements AsyncIterableIterator<Collected> {
  readonly #options: CollectOptions<Collected>;
  readonly #customIds: ReadonlySet<string> | undefined;
  readonly #forget: () => void;
  readonly #waiting: { readonly use: Collected; readonly pass: () => void }[] = [];
  readonly #takers: Taker<Collected>[] = [];
  readonly #abort = () => this.end(new TransportError('aborted', 'Collecting components was aborted.'));
  #cancelTimer: Cancel | undefined;
  #hasEnded = false;
  /** What the next call of `next` rejects with. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: CollectOptions<Collected>, forget: () => void) {
    this.#options = options;
    this.#customIds = options.customIds && new Set(options.customIds);
    this.#forget = forget;
  }

  start(clock: Clock, leftMs: number): void {
    const { signal } = this.#options;
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
    else if (leftMs <= 0) this.end();
    else this.#cancelTimer = clock.schedule(leftMs, () => this.end());
  }

  /** @returns whether it takes the use */
  offer(use: Collected, pass: () => void): boolean {
    if (this.#hasEnded || this.#waiting.length >= collectorLimits.usesWaitingMax) return false;
    if (this.#customIds?.has(use.payload.data.custom_id) === false) return false;
    try {
      if (this.#options.filter && !saysYes('filter', this.#options.filter, use)) return false;
    } catch (error) {
      this.end(error);
      return false;
    }
    const taker = this.#takers.shift();
    if (taker) taker.resolve({ value: use, done: false });
    else this.#waiting.push({ use, pass });
    return true;
  }

  /** Idempotent. */
  end(...failure: readonly [error?: unknown]): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancelTimer?.();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#forget();
    if (failure.length > 0) this.#failure = { error: failure[0] };
    for (const { resolve, reject } of this.#takers.splice(0)) this.#finish(resolve, reject);
    for (const { pass } of this.#waiting.splice(0)) pass();
  }

  next(): Promise<IteratorResult<Collected, undefined>> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.shift();
      if (waiting) resolve({ value: waiting.use, done: false });
      else if (this.#hasEnded) this.#finish(resolve, reject);
      else this.#takers.push({ resolve, reject });
    });
  }

  async return(): Promise<IteratorResult<Collected, undefined>> {
    this.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(resolve: Taker<Collected>['resolve'], reject: Taker<Collected>['reject']): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) reject(failure.error);
    else resolve({ value: undefined, done: true });
  }
}
