/** An answer's text, kept until what it shows may have changed. */
interface Kept {
  readonly revision: number;
  readonly text: string;
}

// Characters counted for an entry beside its key and text: the map's own share.
const entryWeight = 128;

/**
 * Encoded answers by name, each valid for one revision of what it shows. Bounded: the entries longest unused make room.
 *
 * The revision is to be asked before what the text shows is read: an answer is then never older than the revision it
 * is kept under.
 */
export class TextCache {
  readonly #entries = new Map<string, Kept>();
  readonly #weightMax: number;
  #weight = 0;

  /** @param weightMax characters kept, all entries together */
  constructor(weightMax = 8 * 1024 * 1024) {
    this.#weightMax = weightMax;
  }

  /** The text kept under `name`, if it was kept for this revision. */
  get(name: string, revision: number): string | undefined {
    const kept = this.#entries.get(name);
    if (kept?.revision !== revision) return undefined;
    // A map keeps the order of insertion: the first entry is the one longest unused.
    this.#entries.delete(name);
    this.#entries.set(name, kept);
    return kept.text;
  }

  set(name: string, revision: number, text: string): void {
    this.#drop(name);
    const weight = weigh(name, text);
    if (weight > this.#weightMax) return;
    this.#entries.set(name, { revision, text });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weightMax) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const kept = this.#entries.get(name);
    if (!kept) return;
    this.#entries.delete(name);
    this.#weight -= weigh(name, kept.text);
  }
}

function weigh(name: string, text: string): number {
  return entryWeight + name.length + text.length;
}
