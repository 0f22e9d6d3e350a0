import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share, shareItems } from '../../../src/sdk/lobby/share.ts';
import { isDeeplyFrozen } from '../../support/runs/frozen.ts';

const frozen = <Value extends object>(value: Value): Value => {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) frozen(part);
  return Object.freeze(value);
};

describe('share', () => {
  it('gives the former object when all is equal, the new one when nothing is', () => {
    const before = frozen({ id: '1', metadata: { team: 'red' }, name: undefined });
    expect(share(before, frozen({ id: '1', metadata: { team: 'red' }, name: undefined }))).toBe(before);
    const other = frozen({ id: '2', metadata: { team: 'blue' }, name: 'x' });
    expect(share<object>(before, other)).toBe(other);
    expect(share(undefined, other)).toBe(other);
  });

  it('keeps the parts that are equal', () => {
    const before = frozen({ id: '1', metadata: { team: 'red' } });
    const shared = share(before, frozen({ id: '2', metadata: { team: 'red' } }));
    expect(shared).toEqual({ id: '2', metadata: { team: 'red' } });
    expect(shared.metadata).toBe(before.metadata);
  });

  it.each([
    [{ a: 'x' }, { b: 'x' }],
    [{ a: 'x', b: undefined }, { a: 'x' }],
    [
      { a: 'x', b: undefined },
      { a: 'x', c: undefined },
    ],
    [{ a: 'x' }, { a: 'x', toString: 'y' }],
    [{}, { constructor: 'y' }],
    [JSON.parse('{"__proto__":"a"}'), JSON.parse('{"__proto__":"b"}')],
    [{}, JSON.parse('{"__proto__":"b"}')],
  ])('tells %j from %j', (before, after) => {
    expect(share<object>(Object.freeze(before), Object.freeze(after))).toBe(after);
  });

  it('always equals the new value, and is the former one exactly when they are equal', () => {
    const text = fc.constantFrom('x', 'y', undefined);
    const texts = fc.dictionary(fc.constantFrom('a', 'b', 'toString'), fc.constantFrom('x', 'y'), {
      noNullPrototype: true,
    });
    const record = fc.record(
      { a: text, b: fc.nat({ max: 1 }), metadata: texts, user: fc.option(texts) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(record, record, (before, after) => {
        const shared = share(frozen(before), frozen(after));
        expect(shared).toStrictEqual(after);
        expect(isDeeplyFrozen(shared)).toBe(true);
        expect(shared === before).toBe(isDeepStrictEqual(before, after));
        if (isDeepStrictEqual(before.metadata, after.metadata)) expect(shared.metadata).toBe(before.metadata);
      }),
    );
  });
});

describe('shareItems', () => {
  it('gives the former list when the items are the very same, the new one, frozen, when one differs', () => {
    const [one, other] = [{}, {}];
    const before = Object.freeze([one, other]);
    expect(shareItems(before, [one, other])).toBe(before);
    for (const items of [[one], [other, one], [one, {}], [one, other, one], []]) {
      const next = shareItems(before, items);
      expect(next).toBe(items);
      expect(Object.isFrozen(next)).toBe(true);
    }
  });
});
