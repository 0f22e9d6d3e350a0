import { describe, expect, it } from 'vitest';
import { sameMetadata } from '../../../../src/model/rules/lobbies/lobby.ts';

describe('metadata', () => {
  it.each([
    [null, null],
    [{}, {}],
    [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ],
  ])('%j says the same as %j', (a, b) => {
    expect(sameMetadata(a, b)).toBe(true);
    expect(sameMetadata(b, a)).toBe(true);
  });

  it.each([
    [null, {}],
    [{ a: '1' }, {}],
    [{ a: '1' }, { a: '2' }],
    [{ a: '1' }, { b: '1' }],
    [{ a: '1' }, { a: '1', b: '1' }],
    [JSON.parse('{"__proto__":"1"}'), { a: '1' }],
    [{ toString: '1' }, { a: '1' }],
  ])('%j does not say the same as %j', (a, b) => {
    expect(sameMetadata(a, b)).toBe(false);
    expect(sameMetadata(b, a)).toBe(false);
  });
});
