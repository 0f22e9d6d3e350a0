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
  const fields = Object.entries(next).map(([name, value]) => [name, share(ownField(previous, name), value)] as const);
  const isSame =
    fields.length === Object.keys(previous).length &&
    fields.every(([name, value]) => Object.hasOwn(previous, name) && previous[name] === value);
  return isSame ? previous : Object.freeze(Object.fromEntries(fields));
}

// Metadata may have a key like `toString`, which every object seems to have.
function ownField(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
