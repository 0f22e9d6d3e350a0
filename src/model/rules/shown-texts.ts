import type { CommandChoice, CommandInput, CommandOption } from '../command.ts';
import { type Locale, type Localizations, localeFallbacks } from '../locale.ts';

/** A text as readers of one locale see it, and why it is that one. */
export interface ShownText {
  readonly text: string;
  /**
   * - `own`: it is given in the reader's locale
   * - `fallback`: it is not, and the locale has another to look in
   * - `default`: neither is given
   */
  readonly reason: 'own' | 'fallback' | 'default';
  /** The locale whose text it is; absent for the default. */
  readonly from?: Locale;
}

/** A text of a command, by where it stands. */
export interface PlacedText extends ShownText {
  /** `['options', '0', 'choices', '1', 'name']` */
  readonly path: readonly string[];
}

/**
 * What a reader of `locale` sees of one text.
 *
 * @param texts a text that is null counts as not given
 * @see interface.md, "Localization" 3, 4
 */
export function shownText(defaultText: string, texts: Localizations | null | undefined, locale: Locale): ShownText {
  const own = texts?.[locale];
  if (typeof own === 'string') return { text: own, reason: 'own', from: locale };
  const from = localeFallbacks[locale];
  const second = from && texts?.[from];
  if (from && typeof second === 'string') return { text: second, reason: 'fallback', from };
  return { text: defaultText, reason: 'default' };
}

/**
 * Every text of a command as readers of `locale` see it: names and descriptions of the command, its options on all
 * levels and their choices, in the order they stand there. An empty description is left out.
 *
 * @param command with whole dictionaries of translations
 */
export function shownTexts(command: CommandInput, locale: Locale): PlacedText[] {
  const found: PlacedText[] = [];
  collect(found, [], command, locale);
  return found;
}

type Item = Pick<CommandInput, 'name' | 'name_localizations' | 'description' | 'description_localizations'> & {
  readonly options?: readonly CommandOption[] | null;
  readonly choices?: readonly CommandChoice[];
};

function collect(found: PlacedText[], path: readonly string[], item: Item, locale: Locale): void {
  found.push({ path: [...path, 'name'], ...shownText(item.name, item.name_localizations, locale) });
  if (item.description) {
    const shown = shownText(item.description, item.description_localizations, locale);
    found.push({ path: [...path, 'description'], ...shown });
  }
  for (const [i, choice] of (item.choices ?? []).entries()) {
    collect(found, [...path, 'choices', String(i)], choice, locale);
  }
  for (const [i, option] of (item.options ?? []).entries()) {
    collect(found, [...path, 'options', String(i)], option, locale);
  }
}
