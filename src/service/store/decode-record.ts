import type { KeyPart } from './contract.ts';
import { keyOf, keyText } from './keys.ts';
import type { CollectionName } from './records.ts';

/**
 * Reads what an engine has written down.
 *
 * @param key what it was found by, if that is known: a record that calls itself otherwise is not the one
 * @returns the record, or why it is none; that quotes nothing of it
 */
export function decodeRecord(collection: CollectionName, body: string, key?: readonly KeyPart[]): object | string {
  let record: unknown;
  try {
    record = JSON.parse(body);
  } catch {
    // The parser's own words quote the text.
    return 'it is not JSON';
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return 'it is not a JSON object';
  try {
    const own = keyOf(collection, record);
    if (key && keyText(own) !== keyText(key)) return 'it names another record';
  } catch {
    return 'a field that it is found by is missing or of another type';
  }
  return shareRecord(record);
}

/**
 * Whether records are frozen and judged: so in every test, where changing a shared record then throws, and so does
 * putting what is not JSON. In a running service nobody does, and it would cost a write more than its rules do.
 */
const freezes = process.env.RALLYPOINT_FREEZE_RECORDS === '1';

/** A record that is shared from here on and must not be changed any more; see {@link freezes}. */
export const shareRecord: <T>(record: T) => T = freezes ? deepFreeze : record => record;

const plain: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'object', 'undefined']);

/**
 * Freezes a plain value and all in it. What is frozen already is taken to be frozen all the way down.
 *
 * @throws TypeError when something in it is not plain
 */
function deepFreeze<T>(value: T): T {
  if (!plain.has(typeof value)) throw new TypeError(`A record cannot hold a ${typeof value}.`);
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
