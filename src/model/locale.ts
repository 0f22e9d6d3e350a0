/**
 * The locales a text can be given in.
 *
 * Unspecified: the 32 of the documentation and the two (`ar`, `he`) that only the OpenAPI document lists, so that no
 * valid body is rejected.
 *
 * @see docs/spec/commands.md#localization
 */
export const locales = [
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en-GB',
  'en-US',
  'es-419',
  'es-ES',
  'fi',
  'fr',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'nl',
  'no',
  'pl',
  'pt-BR',
  'ro',
  'ru',
  'sv-SE',
  'th',
  'tr',
  'uk',
  'vi',
  'zh-CN',
  'zh-TW',
] as const;

export type Locale = (typeof locales)[number];

/** Locale → text. Any subset of the locales. */
export type Localizations = Readonly<Partial<Record<Locale, string>>>;

const known: ReadonlySet<string> = new Set(locales);

export function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && known.has(value);
}

/**
 * Where a locale looks next when a text is not given in it; every other locale shows the default.
 *
 * @see docs/spec/commands.md#fallbacks
 */
export const localeFallbacks: Readonly<Partial<Record<Locale, Locale>>> = {
  'en-US': 'en-GB',
  'en-GB': 'en-US',
  'es-419': 'es-ES',
};
