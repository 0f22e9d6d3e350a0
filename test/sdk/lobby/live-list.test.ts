import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSnowflakes } from '../../../src/model/snowflake.ts';
import { LiveList } from '../../../src/sdk/lobby/live-list.ts';

const item = (id: string, value = 0) => Object.freeze({ id, value });
type Item = ReturnType<typeof item>;

describe('LiveList', () => {
  it('shows its things in the order of their ids, which are numbers', () => {
    const list = new LiveList([item('10'), item('9'), item('100')]);
    list.put(item('11'));
    expect(list.shown.map(({ id }) => id)).toEqual(['9', '10', '11', '100']);
    expect(list.find('11')).toEqual(item('11'));
    expect(list.find('12')).toBeUndefined();
    expect(list.size).toBe(4);
  });

  it('of several with one id has the last', () => {
    expect(new LiveList([item('1', 1), item('1', 2)]).shown).toEqual([item('1', 2)]);
  });

  it('shows the same frozen list until something changes, and never changes one it has shown', () => {
    const list = new LiveList([item('1'), item('2')]);
    const first = list.shown;
    expect(list.shown).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    list.put(item('2', 5));
    expect(list.remove('1')).toBe(true);
    expect(list.remove('1')).toBe(false);
    expect(first).toEqual([item('1'), item('2')]);
    expect(list.shown).toEqual([item('2', 5)]);
  });

  it('holds what a map would hold, in order, however often it is read', () => {
    const id = fc.integer({ min: 1, max: 150 }).map(String);
    const change = fc.oneof(
      fc.record({ do: fc.constant('put' as const), id, value: fc.nat() }),
      fc.record({ do: fc.constant('remove' as const), id }),
      fc.record({ do: fc.constant('look' as const) }),
    );
    fc.assert(
      fc.property(
        fc.array(id, { maxLength: 120 }),
        fc.array(change, { maxLength: 200, size: 'max' }),
        (ids, changes) => {
          const plain = new Map(ids.map(id => [id, item(id)]));
          const list = new LiveList(ids.map(id => item(id)));
          const sorted = () => [...plain.values()].sort((a, b) => compareSnowflakes(a.id, b.id));
          for (const change of changes) {
            if (change.do === 'look') expect(list.shown).toEqual(sorted());
            else if (change.do === 'remove') expect(list.remove(change.id)).toBe(plain.delete(change.id));
            else {
              plain.set(change.id, item(change.id, change.value));
              list.put(item(change.id, change.value));
            }
          }
          expect(list.shown).toEqual(sorted());
          expect([...list.ids()].sort()).toEqual([...plain.keys()].sort());
        },
      ),
    );
  });

  it('keeps an order of its own the same way, also when items move in it', () => {
    const compare = (a: Item, b: Item) => a.value - b.value || compareSnowflakes(a.id, b.id);
    const id = fc.integer({ min: 1, max: 80 }).map(String);
    const change = fc.record({ id, value: fc.option(fc.nat({ max: 9 }), { nil: undefined }), look: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200, size: 'max' }), changes => {
        const plain = new Map<string, Item>();
        const list = new LiveList<Item>([], compare);
        for (const { id, value, look } of changes) {
          if (value === undefined) expect(list.remove(id)).toBe(plain.delete(id));
          else {
            plain.set(id, item(id, value));
            list.put(item(id, value));
          }
          if (look) expect(list.shown).toEqual([...plain.values()].sort(compare));
        }
        expect(list.shown).toEqual([...plain.values()].sort(compare));
      }),
    );
  });
});
