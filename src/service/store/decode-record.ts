import type { KeyPart } from './contract.ts';
import { keyOf, keyText } from './keys.ts';
import { shareRecord } from './overlay.ts';
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
