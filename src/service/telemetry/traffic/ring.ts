import type { TrafficEntry } from '../../../wire/control/traffic.ts';
import type { Announced } from '../../events/announcement.ts';
import { consoleLimits } from '../../support/service-limits.ts';
import type { ObservedRequest } from '../../support/traffic.ts';

/**
 * What of an entry only its details show. It still contains secrets: they are masked when it is read.
 *
 * Bodies, frames and events are kept as text: parsed, 64 KiB of empty lists take a megabyte.
 */
export interface EntryDetails {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly requestBody?: string | undefined;
  readonly requestBytes?: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly answer?: string | undefined;
  readonly answerBytes?: number;
  /** A body was too large to be kept. */
  readonly isCut?: boolean;
  readonly params?: ObservedRequest['params'];
  readonly query?: ObservedRequest['query'];
  readonly authorization?: string | undefined;
  /** Of a dispatch, a frame or a fault: JSON. */
  readonly data?: string | undefined;
  /** A dispatch that nobody received: it is encoded when somebody reads it, and forgotten soon, because it holds all that it is made of. */
  event?: NonNullable<Announced['event']> | undefined;
}

/** An entry as it is kept. */
export interface KeptEntry {
  readonly entry: TrafficEntry;
  readonly details: EntryDetails;
  readonly bytes: number;
}

/** About what an entry takes without its texts. */
const entryBytes = 1024;
const slackMax = 1024;

/** The traffic that is kept, bounded in entries and bytes: the oldest make room. */
export class TrafficRing {
  readonly #listeners = new Set<(kept: KeptEntry) => void>();
  #entries: KeptEntry[] = [];
  /** How many of {@link #entries} were dropped and still stand at its beginning. */
  #dropped = 0;
  #bytes = 0;
  #lastNumber = 0;
  #isRead = false;

  /** Somebody reads it: from now on more is kept. */
  grow(): void {
    this.#isRead = true;
  }

  /** Where the traffic stands: the numbers of the oldest and the newest entry. */
  get first(): number {
    return this.#lastNumber - this.size + 1;
  }

  get last(): number {
    return this.#lastNumber;
  }

  get size(): number {
    return this.#entries.length - this.#dropped;
  }

  /** The entry with this number; undefined when it is no longer kept. */
  at(number: number): KeptEntry | undefined {
    return number < this.first ? undefined : this.#entries[this.#dropped + number - this.first];
  }

  find(id: number): KeptEntry | undefined {
    // Entries are completed soon after they began, so the number is near.
    for (let number = this.#lastNumber; number >= this.first; number--) {
      const kept = this.at(number);
      if (kept?.entry.id === id) return kept;
    }
    return undefined;
  }

  clear(): void {
    this.#entries = [];
    this.#dropped = 0;
    this.#bytes = 0;
  }

  /** Calls `listener` for each new entry. @returns ends that */
  listen(listener: (kept: KeptEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * @param entry with the number that it is given
   * @param textBytes length of the texts that callers have sent
   */
  add(entry: (number: number) => TrafficEntry, details: EntryDetails, textBytes: number): void {
    const bytes = entryBytes + textBytes;
    const kept: KeptEntry = { entry: entry(++this.#lastNumber), details, bytes };
    this.#entries.push(kept);
    this.#bytes += bytes;
    const entriesMax = this.#isRead ? consoleLimits.trafficEntriesMax : consoleLimits.trafficUnreadEntriesMax;
    const bytesMax = this.#isRead ? consoleLimits.trafficBytesMax : consoleLimits.trafficUnreadBytesMax;
    while (this.size > entriesMax || this.#bytes > bytesMax) this.#drop();
    if (this.#listeners.size > 0) for (const listener of this.#listeners) listener(kept);
  }

  #drop(): void {
    this.#bytes -= this.#entries[this.#dropped]?.bytes ?? 0;
    (this.#entries as (KeptEntry | undefined)[])[this.#dropped] = undefined;
    this.#dropped++;
    if (this.#dropped < slackMax || this.#dropped < this.#entries.length / 2) return;
    this.#entries = this.#entries.slice(this.#dropped);
    this.#dropped = 0;
  }
}
