import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoints, isLonger } from '../../../src/model/rules/field.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '日', '🎲', '\ud83c', '\udfb2') });

describe('the length of a text', () => {
  it('is its number of code points, lone surrogates counted one each', () => {
    fc.assert(fc.property(anyText, text => codePoints(text) === [...text].length));
  });

  it.each([
    ['\ud800\udc00', 1],
    ['\udbff\udfff', 1],
    ['\ud7ff\udc00', 2],
    ['\ud800\udbff', 2],
    ['\ud800\ue000', 2],
    ['\udc00\ud800', 2],
    ['\ue000\udc00', 2],
  ])('of %j is %i, at the edges of the surrogates', (text, length) => {
    expect(codePoints(text)).toBe(length);
    expect([isLonger(text, length - 1), isLonger(text, length)]).toEqual([true, false]);
  });

  it('is longer than a bound exactly when the count is greater', () => {
    fc.assert(fc.property(anyText, fc.nat({ max: 12 }), (text, max) => isLonger(text, max) === [...text].length > max));
  });
});
