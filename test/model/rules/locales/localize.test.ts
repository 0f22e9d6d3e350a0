import { describe, expect, it } from 'vitest';
import { dropEqualTexts, localize } from '../../../../src/model/rules/locales/localize.ts';

describe('dropping texts equal to the default', () => {
  it('keeps what differs, in the order of the locales', () => {
    expect(JSON.stringify(dropEqualTexts({ fr: 'b', de: 'a', nl: 'x' }, 'x'))).toBe('{"de":"a","fr":"b"}');
  });

  it.each([[null], [undefined], [{}], [{ de: 'x' }], [{ de: null }]])(
    'gives null when nothing is left of %j',
    given => {
      expect(dropEqualTexts(given, 'x')).toBe(null);
    },
  );

  it('keeps an equal text that hides a fallback', () => {
    const texts = { 'en-US': 'color', 'en-GB': 'colour' };
    expect(dropEqualTexts(texts, 'color')).toEqual(texts);
    expect(dropEqualTexts({ 'es-419': 'color', 'es-ES': 'colór' }, 'color')).toEqual({
      'es-419': 'color',
      'es-ES': 'colór',
    });
  });

  it('drops an equal text whose fallback shows the default as well', () => {
    expect(dropEqualTexts({ 'en-US': 'color', 'en-GB': 'color' }, 'color')).toBe(null);
    expect(dropEqualTexts({ 'es-ES': 'color', 'es-419': 'colór' }, 'color')).toEqual({ 'es-419': 'colór' });
  });

  it('drops keys that are no locales', () => {
    expect(dropEqualTexts(JSON.parse('{"__proto__":"y","xx":"y"}'), 'x')).toBe(null);
  });
});

describe('the text for a reader', () => {
  const texts = { 'en-GB': 'colour', 'es-ES': 'color', de: 'Farbe' };

  it.each([
    ['de', 'Farbe'],
    ['en-GB', 'colour'],
    ['en-US', 'colour'],
    ['es-419', 'color'],
    ['fr', undefined],
  ] as const)('of %s is %s', (locale, text) => {
    expect(localize(texts, locale)).toBe(text);
  });

  it('falls back from en-GB to en-US, but from es-ES to nothing', () => {
    expect(localize({ 'en-US': 'color' }, 'en-GB')).toBe('color');
    expect(localize({ 'es-419': 'color' }, 'es-ES')).toBeUndefined();
  });

  it.each([[null], [undefined], [{}]])('is the default when there are none: %j', none => {
    expect(localize(none, 'en-US')).toBeUndefined();
  });
});
