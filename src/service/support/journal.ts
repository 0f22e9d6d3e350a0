import type { Clock } from '../../wire/clock/ports.ts';

/** An entry of the journal, for people and tests. It never contains a token, code or verifier. */
export interface JournalEntry {
  /** Rises by one with every entry. */
  readonly number: number;
  readonly at_ms: number;
  readonly kind: 'request' | 'dispatch' | 'delivery' | 'connection';
  readonly [detail: string]: unknown;
}

/** An entry as it is stored; the public form is made when it is read. */
interface Noted {
  readonly number: number;
  readonly atMs: number;
  readonly kind: JournalEntry['kind'];
  readonly details: Readonly<Record<string, unknown>>;
}

/** The service's own log of traffic, bounded: old entries make room for new ones. Served by `GET /control/log`. */
export class Journal {
  readonly #clock: Clock;
  readonly #capacity: number;
  readonly #ring: Noted[] = [];
  #next = 1;

  constructor(clock: Clock, capacity = 10_000) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** @param details made of plain values; kept as they are */
  write(kind: JournalEntry['kind'], details: Readonly<Record<string, unknown>>): void {
    const number = this.#next++;
    this.#ring[number % this.#capacity] = { number, atMs: this.#clock.now(), kind, details };
  }

  /** Entries with a number above `after`, oldest first, and the number to continue from. */
  read(after: number): { entries: JournalEntry[]; next: number } {
    const last = this.#next - 1;
    const entries: JournalEntry[] = [];
    for (let number = Math.max(after + 1, last - this.#capacity + 1); number <= last; number++) {
      const noted = this.#ring[number % this.#capacity];
      if (noted?.number === number) entries.push({ number, at_ms: noted.atMs, kind: noted.kind, ...noted.details });
    }
    return { entries, next: last };
  }
}
