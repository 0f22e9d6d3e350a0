import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SmallSet } from '../../../src/service/support/small-set.ts';

const items = Array.from({ length: 5 }, (_, n) => ({ n }));

describe('a set of few', () => {
  it('is as a Set is, whatever is added and taken away', () => {
    const step = fc.record({ item: fc.constantFrom(...items), add: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), steps => {
        const few = new SmallSet<{ n: number }>();
        const set = new Set<{ n: number }>();
        for (const { item, add } of steps) {
          if (add) {
            few.add(item);
            set.add(item);
          } else expect(few.delete(item)).toBe(set.delete(item));
          const seen: { n: number }[] = [];
          few.each(one => void seen.push(one));
          expect(seen).toEqual([...set]);
          expect(few.size).toBe(set.size);
          expect(few.some(({ n }) => n === 3)).toBe([...set].some(({ n }) => n === 3));
        }
        few.clear();
        expect(few.size).toBe(0);
      }),
    );
  });

  it.each([1, 3])('of %i lets who is visited add another, who is visited too, or leave', count => {
    const few = new SmallSet<{ n: number }>();
    for (const item of items.slice(0, count)) few.add(item);
    const seen: number[] = [];
    few.each(item => {
      seen.push(item.n);
      if (item.n === 0) few.add(items[4] as { n: number });
      few.delete(item);
    });
    expect(seen).toEqual([...items.slice(0, count).map(({ n }) => n), 4]);
    expect(few.size).toBe(0);
  });
});
