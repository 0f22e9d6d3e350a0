/** Order of two items: below 0 when the first comes first, 0 when they are the same. */
export type Compare<Item> = (a: Item, b: Item) => number;

/** Compares an item with the requested range: below 0 before it, 0 within, above 0 after it. */
export type Place<Item> = (item: Item) => number;

/** Splitting a chunk at twice the half keeps the cost of an insertion small, whatever the number of items. */
const chunkSizeMax = 512;

/**
 * Items in order, in chunks: adding or deleting one moves at most a chunk of them, and what is added behind the last,
 * as most is, moves none.
 */
export class Sorted<Item> {
  readonly #compare: Compare<Item>;
  /** The only chunk, while one is enough. */
  #only: Item[] = [];
  /** All chunks otherwise: two at least, none of them empty. */
  #chunks: Item[][] | undefined;

  constructor(compare: Compare<Item>) {
    this.#compare = compare;
  }

  get first(): Item | undefined {
    return this.#chunk(0)?.[0];
  }

  get isSingle(): boolean {
    return this.#count === 1 && this.#chunk(0)?.length === 1;
  }

  /** @param item one that differs to the order from all that are there */
  add(item: Item): void {
    const last = this.#chunk(this.#count - 1) ?? this.#only;
    if (last.length < chunkSizeMax && (last.length === 0 || this.#compare(last[last.length - 1] as Item, item) < 0)) {
      last.push(item);
    } else {
      this.#insert(item);
    }
  }

  /** Takes out the item that is the same to the order, if there is one. */
  delete(item: Item): void {
    const at = this.#chunkBehind(other => this.#compare(other, item));
    const chunk = this.#chunk(at) ?? [];
    const place = this.#placeIn(chunk, item);
    const found = chunk[place];
    if (found === undefined || this.#compare(found, item) !== 0) return;
    if (chunk.length > 1 || !this.#chunks) chunk.splice(place, 1);
    else this.#drop(this.#chunks, at);
  }

  /** The first item at the place. */
  find(place: Place<Item>): Item | undefined {
    const chunk = this.#chunk(this.#chunkBehind(place));
    const item = chunk?.[firstWhere(chunk, one => place(one) >= 0)];
    return item !== undefined && place(item) === 0 ? item : undefined;
  }

  /** Shows the items at the place, from first to last or the other way round, until `visit` says it is enough. */
  visit(place: Place<Item>, isDescending: boolean, visit: (item: Item) => boolean): void {
    const step = isDescending ? -1 : 1;
    let at = isDescending ? this.#chunkBefore(place) : this.#chunkBehind(place);
    for (let chunk = this.#chunk(at); chunk; at += step, chunk = this.#chunk(at)) {
      for (let index = startIn(chunk, place, isDescending); index >= 0 && index < chunk.length; index += step) {
        const item = chunk[index] as Item;
        if (place(item) !== 0 || !visit(item)) return;
      }
    }
  }

  get #count(): number {
    return this.#chunks ? this.#chunks.length : 1;
  }

  #chunk(at: number): Item[] | undefined {
    if (this.#chunks) return this.#chunks[at];
    return at === 0 && this.#only.length > 0 ? this.#only : undefined;
  }

  #insert(item: Item): void {
    const found = this.#chunkBehind(other => this.#compare(other, item));
    const at = Math.min(found, this.#count - 1);
    const chunk = this.#chunk(at) ?? this.#only;
    chunk.splice(this.#placeIn(chunk, item), 0, item);
    if (chunk.length > chunkSizeMax) this.#split(at, chunk);
  }

  // Items that are added in order fill their chunks, so the earlier chunks need no free places.
  #split(at: number, chunk: Item[]): void {
    const isLast = at === this.#count - 1;
    this.#chunks ??= [chunk];
    this.#chunks.splice(at + 1, 0, chunk.splice(isLast ? chunkSizeMax : chunkSizeMax >> 1));
  }

  #drop(chunks: Item[][], at: number): void {
    chunks.splice(at, 1);
    if (chunks.length > 1) return;
    this.#only = chunks[0] ?? [];
    this.#chunks = undefined;
  }

  #placeIn(chunk: readonly Item[], item: Item): number {
    return firstWhere(chunk, other => this.#compare(other, item) >= 0);
  }

  /** The first chunk that holds something at the place or behind it. */
  #chunkBehind(place: Place<Item>): number {
    if (!this.#chunks) return 0;
    return firstWhere(this.#chunks, chunk => place(chunk[chunk.length - 1] as Item) >= 0);
  }

  /** The last chunk that holds something at the place or before it; −1 for none. */
  #chunkBefore(place: Place<Item>): number {
    if (!this.#chunks) return 0;
    return lastWhere(this.#chunks, chunk => place(chunk[0] as Item) <= 0);
  }
}

function startIn<Item>(chunk: readonly Item[], place: Place<Item>, isDescending: boolean): number {
  return isDescending ? lastWhere(chunk, item => place(item) <= 0) : firstWhere(chunk, item => place(item) >= 0);
}

/** Of items for which `holds` is false first and true from some place on: that place, or their number. */
function firstWhere<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Of items for which `holds` is true first and false from some place on: the place before that, or −1. */
function lastWhere<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return firstWhere(items, item => !holds(item)) - 1;
}
