import type { CommandChoice, CommandInput, CommandOption } from '../../command.ts';
import { type Locale, type Localizations, localeFallbacks } from '../../locale.ts';

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
 * @see docs/spec/commands.md#localization; docs/spec/commands.md#fallbacks
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
  visit(command, [], (path, text, texts) => found.push({ path: [...path], ...shownText(text, texts, locale) }));
  return found;
}

/**
 * The texts that readers of `locale` see in another locale although they are not given in their own, and although the
 * default says something else.
 *
 * @see docs/spec/commands.md#fallbacks
 */
export function shownFallbacks(command: CommandInput, locale: Locale): PlacedText[] {
  const found: PlacedText[] = [];
  visit(command, [], (path, text, texts) => {
    const shown = texts && shownText(text, texts, locale);
    if (shown?.reason === 'fallback' && shown.text !== text) found.push({ path: [...path], ...shown });
  });
  return found;
}

type Item = Pick<CommandInput, 'name' | 'name_localizations' | 'description' | 'description_localizations'> & {
  readonly options?: readonly CommandOption[] | null;
  readonly choices?: readonly CommandChoice[];
};

/** @param path stands at the text during the call, and moves on afterwards */
type Visit = (path: readonly string[], text: string, texts: Localizations | null | undefined) => void;

function visit(item: Item, path: string[], see: Visit): void {
  visitText(item.name, item.name_localizations, path, 'name', see);
  if (item.description) visitText(item.description, item.description_localizations, path, 'description', see);
  visitItems(item.choices, path, 'choices', see);
  visitItems(item.options, path, 'options', see);
}

function visitText(text: string, texts: Item['name_localizations'], path: string[], field: string, see: Visit): void {
  path.push(field);
  see(path, text, texts);
  path.pop();
}

function visitItems(items: readonly Item[] | null | undefined, path: string[], field: string, see: Visit): void {
  for (const [i, item] of items?.entries() ?? []) {
    path.push(field, String(i));
    visit(item, path, see);
    path.length -= 2;
  }
}
