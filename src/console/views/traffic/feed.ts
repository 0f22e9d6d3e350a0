import { signal } from '@preact/signals';
import type { TrafficEntry, TrafficPage, TrafficQuery } from '../../../wire/control/traffic.ts';
import { control, isAbort, type Query } from '../../control/client.ts';
import { ControlError, messageOf } from '../../control/errors.ts';
import { openStream } from '../../control/stream.ts';

/** How many entries are kept; the oldest make room. */
export const entriesMax = 10_000;
/** How many are kept aside while the list stands still. */
const pendingMax = 2000;
const pageSize = 500;

/**
 * The entries that fit a filter, the lowest id first, live. While it is held it stays as it is, and new entries are kept aside. What it
 * keeps is bounded, whatever the service sends.
 */
export class TrafficFeed {
  readonly entries = signal<readonly TrafficEntry[]>([]);
  /** How many new entries are aside. */
  readonly pendingCount = signal(0);
  readonly isLoading = signal(true);
  readonly error = signal<ControlError | undefined>(undefined);
  /** How many entries the service left out since the feed began. */
  readonly omitted = signal(0);
  readonly isRestarted = signal(false);
  readonly #filter: TrafficQuery;
  readonly #abort = new AbortController();
  #closeStream: (() => void) | undefined;
  #isHeld = false;
  #pending: TrafficEntry[] = [];
  /** Entries aside were thrown away: the newest page is read again. */
  #hasGap = false;
  #previous: number | null = null;
  #isReadingOlder = false;

  constructor(filter: TrafficQuery) {
    this.#filter = filter;
    void this.#begin();
  }

  /** Reads the newest entries, and follows. */
  async #begin(): Promise<void> {
    this.isLoading.value = true;
    this.error.value = undefined;
    try {
      const page = await this.#read({ limit: String(pageSize) });
      if (this.#abort.signal.aborted) return;
      this.#previous = page.previous;
      this.#pending = [];
      this.pendingCount.value = 0;
      this.#hasGap = false;
      this.entries.value = sorted(page.entries);
      this.#follow(page.next);
    } catch (error) {
      if (isAbort(error)) return;
      this.error.value = error instanceof ControlError ? error : new ControlError(0, messageOf(error));
    } finally {
      this.isLoading.value = false;
    }
  }

  #read(query: TrafficQuery): Promise<TrafficPage> {
    const all = { ...this.#filter, ...query } as Query;
    return control.get<TrafficPage>('/traffic', { query: all, signal: this.#abort.signal });
  }

  #follow(next: number): void {
    this.#closeStream?.();
    // What a chain names is settled by the list; the stream cannot know effects of entries that it does not see.
    const { chain, ...filter } = this.#filter;
    if (chain !== undefined) return;
    this.#closeStream = openStream(
      { ...filter, events: 'traffic', after: String(next) },
      {
        traffic: ({ entries }) => this.#add(entries),
        omitted: ({ entries }) => {
          this.omitted.value += entries;
        },
        restarted: () => {
          this.isRestarted.value = true;
          void this.#begin();
        },
      },
    );
  }

  #add(entries: readonly TrafficEntry[]): void {
    if (!this.#isHeld) {
      this.entries.value = merged(this.entries.peek(), entries);
      return;
    }
    this.pendingCount.value += entries.length;
    if (this.#hasGap) return;
    this.#pending.push(...entries);
    this.#hasGap = this.#pending.length > pendingMax;
    if (this.#hasGap) this.#pending = [];
  }

  /** Lets the list stand still, or go on. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld) this.release();
  }

  /** Shows what is aside. */
  release(): void {
    if (this.#hasGap) {
      void this.#begin();
      return;
    }
    if (this.#pending.length > 0) this.entries.value = merged(this.entries.peek(), this.#pending);
    this.#pending = [];
    this.pendingCount.value = 0;
  }

  retry(): void {
    void this.#begin();
  }

  /** Reads the page before the oldest entry, as long as there is room for it. */
  async loadOlder(): Promise<void> {
    if (this.#previous === null || this.#isReadingOlder || this.entries.peek().length > entriesMax - pageSize) return;
    this.#isReadingOlder = true;
    try {
      const page = await this.#read({ before: String(this.#previous), limit: String(pageSize) });
      this.#previous = page.previous;
      this.entries.value = merged(this.entries.peek(), page.entries);
    } catch (error) {
      if (!isAbort(error))
        this.error.value = error instanceof ControlError ? error : new ControlError(0, messageOf(error));
    } finally {
      this.#isReadingOlder = false;
    }
  }

  close(): void {
    this.#abort.abort();
    this.#closeStream?.();
  }
}

function sorted(entries: readonly TrafficEntry[]): TrafficEntry[] {
  return [...entries].sort((a, b) => a.id - b.id);
}

/** Both lists by their ids, without doubles, the newest {@link entriesMax} of them. Most often all of `added` comes after `entries`. */
export function merged(entries: readonly TrafficEntry[], added: readonly TrafficEntry[]): readonly TrafficEntry[] {
  const fresh = sorted(added);
  const lowest = fresh[0]?.id;
  if (lowest === undefined) return entries;
  let at = entries.length;
  while (at > 0 && (entries[at - 1]?.id ?? 0) >= lowest) at--;
  const tail = at === entries.length ? fresh : withoutDoubles(sorted([...entries.slice(at), ...fresh]));
  const all = [...entries.slice(0, at), ...tail];
  return all.length > entriesMax ? all.slice(all.length - entriesMax) : all;
}

function withoutDoubles(entries: readonly TrafficEntry[]): TrafficEntry[] {
  return entries.filter((entry, at) => entry.id !== entries[at - 1]?.id);
}
