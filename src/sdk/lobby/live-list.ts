import { compareSnowflakes, type Snowflake } from '../../model/snowflake.ts';

interface Identified {
  readonly id: Snowflake;
}

const compareIds = (a: Identified, b: Identified): number => compareSnowflakes(a.id, b.id);

/** The one empty list, so that empty lists are always the same object. */
export const emptyList: readonly never[] = Object.freeze([]);

/**
 * Items by their id, changed in place. A frozen list in their order is made when it is read, so that an unread list costs
 * nothing to sort, and one that is read costs a copy for each change.
 */
export class LiveList<Item extends Identified> {
  readonly #items = new Map<Item['id'], Item>();
  /** As it was when it was last read. */
  #shown: readonly Item[] = emptyList;
  readonly #compare: (a: Item, b: Item) => number;
  /** What was put or removed since; undefined: so much that the list is sorted again instead. */
  #changed: Item[] | undefined = [];

  /**
   * @param items in any order; of several with one id the last stays
   * @param compare 0 for items of one id alone. Default: by id
   */
  constructor(items: Iterable<Item> = [], compare: (a: Item, b: Item) => number = compareIds) {
    this.#compare = compare;
    for (const item of items) this.put(item);
  }

  get size(): number {
    return this.#items.size;
  }

  ids(): Iterable<Item['id']> {
    return this.#items.keys();
  }

  find(id: Snowflake): Item | undefined {
    return this.#items.get(id);
  }

  /** Puts the item in, or in the place of the one with its id. */
  put(item: Item): void {
    const known = this.#compare === compareIds ? undefined : this.#items.get(item.id);
    this.#items.set(item.id, item);
    if (known) this.#note(known);
    if (!known || this.#compare(known, item) !== 0) this.#note(item);
  }

  /** @returns whether it was there */
  remove(id: Snowflake): boolean {
    const known = this.#items.get(id);
    if (!known) return false;
    this.#items.delete(id);
    this.#note(known);
    return true;
  }

  /** In order; frozen; the same object until something changes. */
  get shown(): readonly Item[] {
    if (this.#changed?.length !== 0) {
      const list = this.#changed ? this.#patched(this.#changed) : this.#sorted();
      this.#shown = list.length === 0 ? emptyList : Object.freeze(list);
      this.#changed = [];
    }
    return this.#shown;
  }

  #note(item: Item): void {
    if (this.#changed && this.#changed.push(item) > patchesMax) this.#changed = undefined;
  }

  #sorted(): Item[] {
    return [...this.#items.values()].sort(this.#compare);
  }

  #patched(changed: readonly Item[]): Item[] {
    // V8 copies a frozen array 50 times faster this way than by slice(), with() or toSpliced().
    const list = [...this.#shown];
    for (const noted of changed) {
      const place = this.#placeIn(list, noted);
      const known = this.#items.get(noted.id);
      // One that has moved since is noted in its new place, too.
      const item = known && this.#compare(known, noted) === 0 ? known : undefined;
      const isListed = list[place]?.id === noted.id;
      if (item && isListed) list[place] = item;
      else if (item) list.splice(place, 0, item);
      else if (isListed) list.splice(place, 1);
    }
    return list;
  }

  /** As below. A comparison of its own may cost more than to look through the list for the very item. */
  #placeIn(list: readonly Item[], noted: Item): number {
    const place = this.#compare === compareIds ? -1 : list.indexOf(noted);
    return place < 0 ? this.#placeOf(list, noted) : place;
  }

  /** Where the item is, or belongs. */
  #placeOf(list: readonly Item[], wanted: Item): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = list[middle];
      if (item && this.#compare(item, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// Beyond this, sorting again costs about as much.
const patchesMax = 50;
