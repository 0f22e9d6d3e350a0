import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sorted } from '../../../../src/service/store/memory/sorted.ts';

interface Item {
  readonly at: number;
  readonly name: string;
}

const within = (from: number, to: number) => (item: Item) => (item.at < from ? -1 : item.at > to ? 1 : 0);

function seen(sorted: Sorted<Item>, from: number, to: number, isDescending = false, most = Number.POSITIVE_INFINITY) {
  const items: Item[] = [];
  sorted.visit(within(from, to), isDescending, item => items.push(item) < most);
  return items;
}

describe('sorted items', () => {
  // Chunks hold 512: the numbers go over and under that again and again.
  const at = fc.integer({ min: 0, max: 3000 });
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('run' as const), at, count: fc.integer({ min: 1, max: 700 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('put' as const), at, name: fc.string({ maxLength: 2 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('cut' as const), at, count: fc.integer({ min: 1, max: 900 }) }),
    },
  );

  it('are what a list that is sorted again after every step would be', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), at, at, fc.nat(20), (steps, a, b, most) => {
        const sorted = new Sorted<Item>((one, other) => one.at - other.at);
        const model = new Map<number, Item>();
        for (const one of steps) {
          const add = (item: Item) => {
            if (model.has(item.at)) return; // no two are the same
            sorted.add(item);
            model.set(item.at, item);
          };
          if (one.kind === 'put') {
            add({ at: one.at, name: one.name });
          } else if (one.kind === 'run') {
            for (let n = 0; n < one.count; n++) add({ at: one.at + n, name: 'run' });
          } else {
            for (let n = 0; n < one.count; n++) {
              sorted.delete({ at: one.at + n, name: '' });
              model.delete(one.at + n);
            }
          }
        }
        const all = [...model.values()].sort((one, other) => one.at - other.at);
        expect(seen(sorted, 0, 10_000)).toEqual(all);
        expect(sorted.first).toEqual(all[0]);
        expect(sorted.isSingle).toBe(all.length === 1);
        const [from, to] = a < b ? [a, b] : [b, a];
        const some = all.filter(item => item.at >= from && item.at <= to);
        expect(seen(sorted, from, to, false, most + 1)).toEqual(some.slice(0, most + 1));
        expect(seen(sorted, from, to, true, most + 1)).toEqual(some.toReversed().slice(0, most + 1));
        expect(sorted.find(within(from, to))).toEqual(some[0]);
      }),
    );
  });

  it('are found in order, and all gone once deleted, however they come: in order, backwards, or in turns', () => {
    for (const order of [(n: number) => n, (n: number) => 5000 - n, (n: number) => (n * 2753) % 5003]) {
      const sorted = new Sorted<Item>((one, other) => one.at - other.at);
      for (let n = 0; n < 5000; n++) sorted.add({ at: order(n), name: '' });
      const places = seen(sorted, 0, 10_000).map(({ at }) => at);
      expect(places).toEqual(Array.from({ length: 5000 }, (_, n) => order(n)).sort((one, other) => one - other));
      for (let n = 0; n < 5000; n++) sorted.delete({ at: order(n), name: '' });
      expect([sorted.first, seen(sorted, 0, 10_000)]).toEqual([undefined, []]);
    }
  });
});
