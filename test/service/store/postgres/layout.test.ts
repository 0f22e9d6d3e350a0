import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrations } from '../../../../src/service/store/postgres/layout.ts';

/**
 * Layout 1 is made from the collections: a collection that is added, or gets an index, changes it, and databases that have it
 * already would lack the table. Once a version with a layout is published, such a change is another layout, and the text of
 * this one is kept as it was.
 */
it('layouts of PostgreSQL are the ones that databases were made with', () => {
  const digests = migrations.map(({ sql }) => createHash('sha256').update(sql).digest('hex').slice(0, 16));
  expect(digests).toEqual(['4e8932e9c7008572', 'c1876d63507953fe', 'a44995b660eb0756']);
});
