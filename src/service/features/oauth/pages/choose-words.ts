import type { Locale } from '../../../../model/locale.ts';
import { createNegotiator } from '../../../../model/rules/locales/requester-locale.ts';
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

/** Where a reader's language may be known from. */
export interface Reader {
  /** `ui_locales` of the page's address: language tags between spaces, the most wanted first (OpenID Connect). */
  readonly uiLocales?: string | null;
  /** The locale of the signed-in user. */
  readonly locale?: string | undefined;
  /** The `Accept-Language` header of the browser. */
  readonly acceptLanguage?: string | undefined;
}

/**
 * Chooses the words for a reader: by the page's address, else the user's locale, else what the browser asks for, else
 * English. A locale without words is served by another one of its language.
 */
export function chooseWords({ uiLocales, locale, acceptLanguage }: Reader): PageWords {
  const named = (uiLocales ?? '').replaceAll(' ', ',');
  return pageWords[negotiate(named) ?? negotiate(locale ?? '') ?? negotiate(acceptLanguage ?? '') ?? 'en-US'];
}
