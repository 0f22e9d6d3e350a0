import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findById, sortedById, withItem, withoutItem } from '../../../src/sdk/lobby/by-id.ts';

const id = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const fewIds = fc.constantFrom('1', '2', '9', '10', '11', '100', '9223372036854775807');
const list = (ids: readonly string[]) => sortedById(ids.map(id => ({ id, value: 0 })));
const idsOf = (items: readonly { id: string }[]) => items.map(item => item.id);
const numeric = (ids: Iterable<string>) => [...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));

describe('lists by id', () => {
  it('are in the order of the ids as numbers, each once, the last of equals', () => {
    const items = sortedById([
      { id: '10', value: 1 },
      { id: '9', value: 2 },
      { id: '10', value: 3 },
    ]);
    expect(items).toEqual([
      { id: '9', value: 2 },
      { id: '10', value: 3 },
    ]);
    expect(Object.isFrozen(items)).toBe(true);
  });

  it('behave as a map from id to item', () => {
    const step = fc.record({ id: fc.oneof(fewIds, id), add: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), steps => {
        const map = new Map<string, { id: string; value: number }>();
        let items = list([]);
        for (const [value, { id, add }] of steps.entries()) {
          const before = items;
          const item = { id, value };
          items = add ? withItem(items, item) : withoutItem(items, id);
          if (add) map.set(id, item);
          else if (!map.delete(id)) expect(items).toBe(before);
          expect(Object.isFrozen(items)).toBe(true);
          expect(findById(items, id)).toBe(map.get(id));
        }
        expect(idsOf(items)).toEqual(numeric(map.keys()));
      }),
    );
  });

  it('are the same list when an item is put in its own place', () => {
    const items = list(['1', '2']);
    const [, second] = items;
    expect(second && withItem(items, second)).toBe(items);
  });
});
