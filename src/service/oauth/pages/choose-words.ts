import type { Locale } from '../../../model/locale.ts';
import { createNegotiator } from '../../../model/rules/locales/requester-locale.ts';
import { de } from './words/de.ts';
import { en } from './words/en.ts';
import { esES } from './words/es-es.ts';
import { fr } from './words/fr.ts';
import { ja } from './words/ja.ts';
import { ptBR } from './words/pt-br.ts';
import type { PageWords } from './words/words.ts';

/** The languages of the pages, each under the locale it is written for. */
export const pageWords = {
  'en-US': en,
  de,
  fr,
  'es-ES': esES,
  'pt-BR': ptBR,
  ja,
} as const satisfies Readonly<Partial<Record<Locale, PageWords>>>;

type PageLocale = keyof typeof pageWords;

const negotiate = createNegotiator(Object.keys(pageWords) as PageLocale[]);

/**
 * The words for a reader: in the locale of whoever is signed in, else in what the browser asks for, else English. A
 * locale without words is served by another one of its language.
 */
export function chooseWords(locale: string | undefined, acceptLanguage: string | undefined): PageWords {
  return pageWords[negotiate(locale ?? '') ?? negotiate(acceptLanguage ?? '') ?? 'en-US'];
}
