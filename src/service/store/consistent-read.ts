import type { Store, StoreView } from './contract.ts';

/**
 * Returns what `read` finds, all of it at one revision of `scope`: a read that overlaps a commit is repeated within
 * the scope's queue of transactions.
 *
 * @param read reads only what the scope guards; may run twice
 * @returns the value, and the revision up to which it contains every commit of the scope
 */
export async function readAtOnce<T>(
  store: Store,
  scope: string,
  read: (view: StoreView) => Promise<T>,
): Promise<{ readonly revision: number; readonly value: T }> {
  const revision = await store.revision(scope);
  const value = await read(store);
  if ((await store.revision(scope)) === revision) return { revision, value };
  return store.transact(scope, async transaction => ({
    // That of the commit before: a transaction that writes nothing may share its own with the next one.
    revision: transaction.revision - 1,
    value: await read(transaction),
  }));
}
