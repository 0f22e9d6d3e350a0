import { describe, expect, it } from 'vitest';
import { requesterLocale } from '../../../../src/model/rules/locales/requester-locale.ts';

describe('the requester’s locale', () => {
  it('is the header’s, then that of Accept-Language, then the user’s setting', () => {
    expect(requesterLocale({ header: 'de', acceptLanguage: 'fr', setting: 'it' })).toBe('de');
    expect(requesterLocale({ acceptLanguage: 'fr', setting: 'it' })).toBe('fr');
    expect(requesterLocale({ setting: 'it' })).toBe('it');
    expect(requesterLocale({})).toBeUndefined();
  });

  it('is asked of the next source when one names none of ours', () => {
    expect(requesterLocale({ header: 'pt_BR', acceptLanguage: 'tlh', setting: 'it' })).toBe('it');
    expect(requesterLocale({ header: '', acceptLanguage: '*', setting: 'xx' })).toBeUndefined();
  });
});

describe('Accept-Language', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['EN-gb', 'en-GB'],
    ['en', 'en-US'],
    ['en-AU', 'en-US'],
    ['es', 'es-ES'],
    ['es-419', 'es-419'],
    ['pt', 'pt-BR'],
    ['sv', 'sv-SE'],
    ['zh', 'zh-CN'],
    ['zh-TW', 'zh-TW'],
    ['tlh, fr;q=0.5', 'fr'],
    ['fr;q=0.2, de;q=0.8, it;q=0.5', 'de'],
    ['fr;q=0, de;q=0.1', 'de'],
    ['fr ; q=0.5 , de', 'de'],
    ['fr, de', 'fr'],
  ])('%s is served by %s', (acceptLanguage, locale) => {
    expect(requesterLocale({ acceptLanguage })).toBe(locale);
  });

  it.each(['', ',,,', ';', 'fr;q=0', 'fr;q=x', 'fr;q=2', 'fr;q=-1', '__proto__', '*'])(
    '%j names no locale',
    acceptLanguage => {
      expect(requesterLocale({ acceptLanguage })).toBeUndefined();
    },
  );

  it('of a hostile length is read in no time', () => {
    expect(requesterLocale({ acceptLanguage: 'x-y;q=0.1,'.repeat(100_000) })).toBeUndefined();
  });
});
