import { LruCache } from '../support/lru-cache.ts';

/** The text of an answer, cached until what it shows may have changed. */
interface Kept {
  readonly revision: number;
  readonly text: string;
}

// Characters that an entry counts besides its key and text: the share of the map.
const entryWeight = 128;

/**
 * Encoded answers by name, each valid for one revision of what it shows. Bounded: the least recently used are
 * removed.
 *
 * Read the revision before what the text shows: an answer is then never older than the revision that it is cached
 * under.
 */
export class TextCache {
  readonly #texts: LruCache<Kept>;

  /** @param weightMax characters of all entries together */
  constructor(weightMax = 8 * 1024 * 1024) {
    this.#texts = new LruCache(weightMax);
  }

  /** The text cached under `name`, if it is of this revision. */
  get(name: string, revision: number): string | undefined {
    const kept = this.#texts.get(name);
    return kept?.revision === revision ? kept.text : undefined;
  }

  set(name: string, revision: number, text: string): void {
    this.#texts.set(name, { revision, text }, entryWeight + name.length + text.length);
  }
}
