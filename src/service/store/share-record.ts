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
