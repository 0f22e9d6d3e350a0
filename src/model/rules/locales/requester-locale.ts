import { isLocale, type Locale, locales } from '../../locale.ts';

/** The parts of a request that can name the caller's locale. */
export interface LocaleSources {
  /** The locale header's value. */
  readonly header?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  /** The user's own setting. */
  readonly setting?: string | undefined;
}

/**
 * The requester's locale: that of the first source which names one of ours.
 *
 * @see docs/spec/commands.md#locale-of-the-caller
 */
export function requesterLocale({ header, acceptLanguage = '', setting }: LocaleSources): Locale | undefined {
  if (isLocale(header)) return header;
  return negotiate(acceptLanguage) ?? (isLocale(setting) ? setting : undefined);
}

// Unspecified where a language has several locales and its name alone is given.
const preferred = ['en-US', 'es-ES', 'zh-CN'] as const satisfies readonly Locale[];

const negotiate = createNegotiator([...preferred, ...locales]);

// A hostile header may list thousands of languages.
const rangesMax = 32;

/**
 * Makes what finds the best of some locales for an Accept-Language value (RFC 9110, section 12.5.4), or for a single language
 * tag: `de-AT` is served by `de`, a language by the first of its locales.
 *
 * @param choices nothing else is found; those of one language in the order of preference
 */
export function createNegotiator<Choice extends Locale>(
  choices: readonly Choice[],
): (acceptLanguage: string) => Choice | undefined {
  /** Lower-case language tag → locale: every locale by itself, and one for every language. */
  const byTag = new Map<string, Choice>();
  for (const locale of choices.toReversed()) byTag.set(languageOf(locale), locale);
  for (const locale of choices) byTag.set(locale.toLowerCase(), locale);

  return acceptLanguage => {
    const ranges = acceptLanguage.toLowerCase().split(',', rangesMax).map(readRange);
    ranges.sort((a, b) => b.weight - a.weight);
    for (const { tag, weight } of ranges) {
      const locale = byTag.get(tag) ?? byTag.get(languageOf(tag));
      if (locale && weight > 0) return locale;
    }
    return undefined;
  };
}

function readRange(text: string): { readonly tag: string; readonly weight: number } {
  const [tag = '', ...parameters] = text.split(';').map(part => part.trim());
  const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  const weight = quality === undefined ? 1 : Number(quality);
  return { tag, weight: weight <= 1 ? weight : 0 };
}

function languageOf(tag: string): string {
  return tag.split('-', 1)[0] ?? tag;
}
