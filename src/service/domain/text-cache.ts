import { LruCache } from '../support/lru-cache.ts';

/** An answer's text, kept until what it shows may have changed. */
interface Kept {
  readonly revision: number;
  readonly text: string;
}

// Characters counted for an entry beside its key and text: the map's own share.
const entryWeight = 128;

/**
 * Encoded answers by name, each valid for one revision of what it shows. Bounded: what was not used lately makes room.
 *
 * The revision is to be asked before what the text shows is read: an answer is then never older than the revision it
 * is kept under.
 */
export class TextCache {
  readonly #texts: LruCache<Kept>;

  /** @param weightMax characters kept, all entries together */
  constructor(weightMax = 8 * 1024 * 1024) {
    this.#texts = new LruCache(weightMax);
  }

  /** The text kept under `name`, if it was kept for this revision. */
  get(name: string, revision: number): string | undefined {
    const kept = this.#texts.get(name);
    return kept?.revision === revision ? kept.text : undefined;
  }

  set(name: string, revision: number, text: string): void {
    this.#texts.set(name, { revision, text }, entryWeight + name.length + text.length);
  }
}
