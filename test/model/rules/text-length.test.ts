import fc from 'fast-check';
import { describe, it } from 'vitest';
import { codePoints, isLonger } from '../../../src/model/rules/text-length.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '日', '🎲', '\ud83c', '\udfb2') });

describe('the length of a text', () => {
  it('is its number of code points, lone surrogates counted one each', () => {
    fc.assert(fc.property(anyText, text => codePoints(text) === [...text].length));
  });

  it('is longer than a bound exactly when the count is greater', () => {
    fc.assert(fc.property(anyText, fc.nat({ max: 12 }), (text, max) => isLonger(text, max) === [...text].length > max));
  });
});
