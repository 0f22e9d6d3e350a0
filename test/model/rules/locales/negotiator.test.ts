import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNegotiator } from '../../../../src/model/rules/locales/requester-locale.ts';

const negotiate = createNegotiator(['en-US', 'de', 'es-ES', 'pt-BR', 'es-419']);

describe('negotiating a language', () => {
  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['en-GB', 'en-US'],
    ['pt-PT', 'pt-BR'],
    ['es', 'es-ES'],
    ['es-419', 'es-419'],
    ['es-MX', 'es-ES'],
    ['sv, de;q=0.5', 'de'],
    ['de;q=0.2, pt;q=0.8', 'pt-BR'],
    ['de;q=0, en;q=0.1', 'en-US'],
    ['sv', undefined],
    ['*', undefined],
    ['', undefined],
    ['de;q=2', undefined],
    ['de;q=x', undefined],
  ])('serves %j by %j', (asked, found) => {
    expect(negotiate(asked)).toBe(found);
  });

  it('finds nothing but supported locales, for any header', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        expect(['en-US', 'de', 'es-ES', 'pt-BR', 'es-419', undefined]).toContain(negotiate(text));
      }),
    );
  });
});
