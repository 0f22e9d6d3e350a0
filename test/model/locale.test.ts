import { describe, expect, it } from 'vitest';
import { isLocale, localeFallbacks, locales } from '../../src/model/locale.ts';

describe('locales', () => {
  it('are the 32 of the documentation and two more, each once', () => {
    expect(new Set(locales).size).toBe(34);
    expect(locales).toEqual(expect.arrayContaining(['ar', 'he', 'en-US', 'es-419', 'pt-BR', 'zh-TW']));
  });

  it('are known by their exact code', () => {
    for (const locale of locales) expect(isLocale(locale)).toBe(true);
    for (const value of ['', 'en', 'en-us', 'EN-US', 'pt_BR', 'pt', '__proto__', null, undefined, 5, ['de']]) {
      expect(isLocale(value)).toBe(false);
    }
  });

  it('fall back in three cases only', () => {
    expect(localeFallbacks).toEqual({ 'en-US': 'en-GB', 'en-GB': 'en-US', 'es-419': 'es-ES' });
  });
});
