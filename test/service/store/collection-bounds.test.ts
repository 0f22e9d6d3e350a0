import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectionBounds, memoryBounds } from '../../../src/service/store/collection-bounds.ts';
import { collectionNames } from '../../../src/service/store/keys.ts';

const root = join(import.meta.dirname, '../../..');
const rows = Object.entries({ ...collectionBounds, ...memoryBounds });

describe('the table of what callers can store', () => {
  it('has a row for each collection of the store, and for no other', () => {
    expect(Object.keys(collectionBounds).toSorted()).toEqual(collectionNames.toSorted());
  });

  it.each(rows)(
    'says of %s who adds, how far, what follows and what removes, and names a test that exists',
    (_, row) => {
      const { grownBy, bound, beyond, cleanedBy, test } = row;
      for (const text of [grownBy, bound, beyond, cleanedBy]) expect(text.trim()).not.toBe('');
      // A limit that is renamed or removed must not leave a hole.
      for (const text of [bound, beyond, cleanedBy]) expect(text).not.toMatch(/undefined|NaN|\b0 (?!code)/);
      expect(existsSync(join(root, test))).toBe(true);
    },
  );
});
