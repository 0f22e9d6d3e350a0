import type { StoreContent, TakePiece } from './contract.ts';
import { collectionNames } from './keys.ts';
import type { CollectionName } from './records.ts';

/** Puts the pieces of a store together. */
export async function contentFrom(read: (take: TakePiece) => Promise<void>): Promise<StoreContent> {
  const content = Object.fromEntries(collectionNames.map(name => [name, []])) as unknown as Record<
    CollectionName,
    object[]
  >;
  await read((collection, records) => {
    for (const record of records) content[collection].push(record);
  });
  return content as unknown as StoreContent;
}
