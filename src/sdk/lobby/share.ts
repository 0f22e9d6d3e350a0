import type { Snowflake } from '../../model/snowflake.ts';
import { findById } from './by-id.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * `next`, in which every part that equals its counterpart in `previous` is that very object; `previous` itself when
 * everything is equal. Both are frozen plain data; lists hold things in the order of their ids.
 */
export function share<Value>(previous: Value | undefined, next: Value): Value {
  if (!isObject(previous) || !isObject(next)) return next;
  return (Array.isArray(next) ? shareList(previous, next) : shareFields(previous, next)) as Value;
}

function shareList(previous: unknown, next: readonly { readonly id: Snowflake }[]): unknown {
  if (!Array.isArray(previous)) return next;
  const items = next.map(item => share(findById(previous, item.id), item));
  const isSame = items.length === previous.length && items.every((item, place) => item === previous[place]);
  return isSame ? previous : Object.freeze(items);
}

function shareFields(previous: Fields, next: Fields): Fields {
  const names = Object.keys(next);
  let isSame = names.length === Object.keys(previous).length;
  let shared: Record<string, unknown> | undefined;
  for (const name of names) {
    const before = ownField(previous, name);
    const value = share(before, next[name]);
    isSame &&= value === before && Object.hasOwn(previous, name);
    if (value === next[name]) continue;
    shared ??= { ...next };
    shared[name] = value;
  }
  if (isSame) return previous;
  return shared ? Object.freeze(shared) : next;
}

// Metadata may have a key like `toString`, which every object seems to have.
function ownField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
