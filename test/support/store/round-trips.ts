import type { Store } from '../../../src/service/store/contract.ts';

/**
 * Lets the reads of a store take a turn of the event loop, as if the database were elsewhere: what is read within one turn is sent to it
 * together.
 *
 * @returns how often something waited for the database until now
 */
export function countRoundTrips(store: Store): () => number {
  let roundTrips = 0;
  let underWay: Promise<void> | undefined;
  const begin = () => {
    roundTrips++;
    return new Promise<void>(resolve => {
      setImmediate(() => {
        underWay = undefined;
        resolve();
      });
    });
  };
  const far =
    <Given extends unknown[], Found>(read: (...given: Given) => Found) =>
    async (...given: Given) => {
      underWay ??= begin();
      await underWay;
      return read.call(store, ...given);
    };
  Object.assign(store, { get: far(store.get), list: far(store.list), count: far(store.count) });
  return () => roundTrips;
}
