/**
 * `next`, in which every part that equals its counterpart in `previous` is that very object; `previous` itself when
 * everything is equal. Both are frozen plain records and lists of values, records and lists.
 */
export function share<Value>(previous: Value | undefined, next: Value): Value {
  return isRecord(previous) && isRecord(next) ? (shareFields(previous, next) as Value) : next;
}

/** `next`, frozen; `previous` itself when it has the very same items. */
export function shareItems<Item>(previous: readonly Item[], next: readonly Item[]): readonly Item[] {
  const isSame = next.length === previous.length && next.every((item, place) => item === previous[place]);
  return isSame ? previous : Object.freeze(next);
}

type Fields = Readonly<Record<string, unknown>>;

function shareFields(previous: Fields, next: Fields): Fields {
  let shared: Record<string, unknown> | undefined;
  let isSame = true;
  for (const name in next) {
    const before = previous[name];
    const after = next[name];
    if (before === after) {
      if (after === undefined && !Object.hasOwn(previous, name)) isSame = false;
      continue;
    }
    const value = isRecord(before) && isRecord(after) ? shareFields(before, after) : after;
    if (value !== before) isSame = false;
    if (value === after) continue;
    shared ??= (Array.isArray(next) ? [...next] : { ...next }) as Record<string, unknown>;
    shared[name] = value;
  }
  if (isSame && Object.keys(previous).length === Object.keys(next).length) return previous;
  return shared ? Object.freeze(shared) : next;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
