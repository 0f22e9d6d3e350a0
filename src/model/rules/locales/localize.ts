import { isLocale, type Locale, type Localizations, localeFallbacks, locales } from '../../locale.ts';

/**
 * Drops the texts that say nothing more than the default; null when nothing is left. Locales come in the order of
 * {@link locales}, so that equal dictionaries are equal as text.
 *
 * Unspecified: an equal text stays while it keeps a fallback from being shown. With the default "color" and `en-GB`
 * "colour", an `en-US` "color" is what keeps American users from reading "colour"; the interface asks for it.
 *
 * @see docs/spec/commands.md#localization; docs/spec/commands.md#fallbacks
 */
export function dropEqualTexts(
  localizations: Readonly<Partial<Record<Locale, string | null>>> | null | undefined,
  defaultText: string,
): Localizations | null {
  if (localizations === null || localizations === undefined) return null;
  let kept: Partial<Record<Locale, string>> | null = null;
  // Few dictionaries have many of the locales.
  const given = Object.keys(localizations).filter(isLocale).sort(byOrder);
  for (const locale of given) {
    const text = localizations[locale];
    if (typeof text !== 'string') continue;
    const fallback = localeFallbacks[locale];
    const hidden = fallback === undefined ? undefined : localizations[fallback];
    if (text === defaultText && (typeof hidden !== 'string' || hidden === defaultText)) continue;
    kept ??= {};
    kept[locale] = text;
  }
  return kept;
}

function byOrder(a: Locale, b: Locale): number {
  return locales.indexOf(a) - locales.indexOf(b);
}

/**
 * The text for a reader of `locale`, or undefined when only the default is left.
 *
 * @see docs/spec/commands.md#fallbacks
 */
export function localize(texts: Localizations | null | undefined, locale: Locale): string | undefined {
  const fallback = localeFallbacks[locale];
  return texts?.[locale] ?? (fallback && texts?.[fallback]);
}
