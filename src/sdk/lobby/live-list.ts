import { compareSnowflakes, type Snowflake } from '../../model/snowflake.ts';

interface Identified {
  readonly id: Snowflake;
}

/** The one empty list, so that empty lists are always the same object. */
export const emptyList: readonly never[] = Object.freeze([]);

/**
 * Items by their id, changed in place. A frozen list in the order of the ids is made when it is read, so that an unread
 * list costs nothing to sort, and one that is read costs a copy for each change.
 */
export class LiveList<Item extends Identified> {
  readonly #items = new Map<Item['id'], Item>();
  /** As it was when it was last read. */
  #shown: readonly Item[] = emptyList;
  /** Ids that were put or removed since; undefined: so many that the list is sorted again instead. */
  #changed: Snowflake[] | undefined = [];

  /** @param items in any order; of several with one id the last stays */
  constructor(items: Iterable<Item> = []) {
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
    this.#items.set(item.id, item);
    this.#note(item.id);
  }

  /** @returns whether it was there */
  remove(id: Snowflake): boolean {
    if (!this.#items.delete(id)) return false;
    this.#note(id);
    return true;
  }

  /** By id; frozen; the same object until something changes. */
  get shown(): readonly Item[] {
    if (this.#changed?.length !== 0) {
      const list = this.#changed ? this.#patched(this.#changed) : this.#sorted();
      this.#shown = list.length === 0 ? emptyList : Object.freeze(list);
      this.#changed = [];
    }
    return this.#shown;
  }

  #note(id: Snowflake): void {
    if (this.#changed && this.#changed.push(id) > patchesMax) this.#changed = undefined;
  }

  #sorted(): Item[] {
    return [...this.#items.values()].sort((a, b) => compareSnowflakes(a.id, b.id));
  }

  #patched(changed: readonly Snowflake[]): Item[] {
    // V8 copies a frozen array 50 times faster this way than by slice(), with() or toSpliced().
    const list = [...this.#shown];
    for (const id of changed) {
      const place = placeOf(list, id);
      const item = this.#items.get(id);
      const isListed = list[place]?.id === id;
      if (item && isListed) list[place] = item;
      else if (item) list.splice(place, 0, item);
      else if (isListed) list.splice(place, 1);
    }
    return list;
  }
}

// Beyond this, sorting again costs about as much.
const patchesMax = 50;

/** Where the item with that id is, or belongs. */
function placeOf(list: readonly Identified[], id: Snowflake): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = list[middle];
    if (item && compareSnowflakes(item.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
