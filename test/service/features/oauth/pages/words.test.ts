import { describe, expect, it } from 'vitest';
import { locales } from '../../../../../src/model/locale.ts';
import { chooseWords, pageWords } from '../../../../../src/service/features/oauth/pages/choose-words.ts';
import { Html } from '../../../../../src/service/features/oauth/pages/views/html.ts';

/** Path → text of everything a table says; sentences and counts are said of something. */
function saidBy(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    const said = value(7);
    return [[path, said instanceof Html ? said.text : String(said)]];
  }
  return Object.entries(value as object).flatMap(([key, inner]) => saidBy(inner, `${path}/${key}`));
}

/** Only translations say so. */
const translationNote = '/translationNote';

const english = new Map(saidBy(pageWords['en-US']));

describe.each(Object.entries(pageWords))('the words in %s', (locale, words) => {
  const said = saidBy(words).filter(([path]) => path !== translationNote);

  it('say all that the English ones say, none of it empty, each about what it is about', () => {
    expect(said.map(([path]) => path)).toEqual([...english.keys()]);
    for (const [path, text] of said) {
      expect(text.trim(), path).not.toBe('');
      expect(text.includes('7'), path).toBe(english.get(path)?.includes('7'));
    }
  });

  it('are another language than English', () => {
    if (words.lang === 'en') return;
    const same = said.filter(([path, text]) => text === english.get(path)).map(([path]) => path);
    // Some languages share a word.
    expect(same.filter(path => path !== '/activate/code')).toEqual([]);
  });

  it('name their language by a tag that stands for their locale', () => {
    expect(locale.startsWith(words.lang)).toBe(true);
    expect(Intl.getCanonicalLocales(words.lang)).toEqual([words.lang]);
  });
});

describe('the words for a reader', () => {
  it.each([
    ['de', 'fr', 'de'],
    ['en-GB', 'fr', 'en'],
    ['es-419', undefined, 'es-ES'],
    ['sv-SE', 'fr', 'fr'],
    ['sv-SE', undefined, 'en'],
    [undefined, 'pt-PT,pt;q=0.9', 'pt-BR'],
    [undefined, 'sv, ja;q=0.3, en;q=0.2', 'ja'],
    [undefined, 'x', 'en'],
    [undefined, undefined, 'en'],
  ])('of the locale %j whose browser asks for %j are in %s', (locale, acceptLanguage, lang) => {
    expect(chooseWords({ locale, acceptLanguage }).lang).toBe(lang);
  });

  it.each([
    ['en', 'en'],
    ['fr-CA en', 'fr'],
    ['sv  ja', 'ja'],
    ['', 'de'],
    ['sv', 'de'],
  ])('are chosen by ui_locales=%j before the locale of the user', (uiLocales, lang) => {
    expect(chooseWords({ uiLocales, locale: 'de', acceptLanguage: 'es' }).lang).toBe(lang);
  });

  it('say in every language but English that they are machine-assisted', () => {
    for (const words of Object.values(pageWords)) {
      expect('translationNote' in words, words.lang).toBe(words.lang !== 'en');
    }
  });

  it.each(locales)('of the locale %s are in its language where the pages have it, otherwise in English', locale => {
    const languageOf = (tag: string) => tag.split('-')[0];
    const { lang } = chooseWords({ locale });
    const hasOwn = Object.keys(pageWords).some(one => languageOf(one) === languageOf(locale));
    expect(languageOf(lang)).toBe(hasOwn ? languageOf(locale) : 'en');
  });
});
