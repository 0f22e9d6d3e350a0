// Enough to use the global rate limit over a slow connection, few enough not to delay all other calls.
const width = 16;

/** Processes a list, several items concurrently. Resolves when all are done; rejects with the first failure. */
export async function sideBySide<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
