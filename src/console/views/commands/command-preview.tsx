import { useState } from 'preact/hooks';
import { type CommandInput, type CommandOption, commandTypes, optionTypes } from '../../../model/command.ts';
import { formatPath } from '../../../model/errors/issue.ts';
import { isLocale, type Locale, localeFallbacks, locales } from '../../../model/locale.ts';
import { type PlacedText, shownText, shownTexts } from '../../../model/rules/locales/shown-texts.ts';
import { Select } from '../../ui/field.tsx';
import { commandWords as words } from '../../words/en/commands.ts';

const names = new Intl.DisplayNames(['en'], { type: 'language' });

export function localeName(locale: string): string {
  try {
    return `${names.of(locale) ?? locale} (${locale})`;
  } catch {
    return locale;
  }
}

const localeChoices = locales
  .map(locale => ({ value: locale as string, label: localeName(locale) }))
  .toSorted((a, b) => a.label.localeCompare(b.label, 'en'));

/** The command as a player sees it, in each language, with what the player sees instead of missing texts. */
export function CommandPreview({ command }: { readonly command: CommandInput | undefined }) {
  const [chosen, setLocale] = useState('en-US');
  const locale: Locale = isLocale(chosen) ? chosen : 'en-US';
  if (!command) {
    return (
      <section class="card stack">
        <h3>{words.preview.title}</h3>
        <p class="hint">{words.preview.nothing}</p>
      </section>
    );
  }
  const texts = textsOf(command, locale);
  const count = (reason: PlacedText['reason']) => texts.filter(text => text.reason === reason).length;
  return (
    <section class="card stack" aria-label={words.preview.title}>
      <div class="commands-preview-head">
        <h3>{words.preview.title}</h3>
        <Select
          label={words.preview.locale}
          isLabelHidden
          value={chosen}
          choices={localeChoices}
          onChange={setLocale}
        />
      </div>
      <p class="hint">{words.preview.texts(count('own'), count('fallback'), count('default'))}</p>
      <Shown command={command} locale={locale} />
      <AllLocales command={command} />
    </section>
  );
}

/** A draft may have texts that are none. */
function textsOf(command: CommandInput, locale: Locale): readonly PlacedText[] {
  return shownTexts(command, locale).filter(({ text }) => typeof text === 'string');
}

function Shown({ command, locale }: { readonly command: CommandInput; readonly locale: Locale }) {
  const type = command.type ?? commandTypes.CHAT_INPUT;
  const name = <Text of={command.name} localizations={command.name_localizations} locale={locale} />;
  if (type === commandTypes.USER || type === commandTypes.MESSAGE) {
    return (
      <div class="commands-menu">
        <span class="hint">{type === commandTypes.USER ? words.preview.menuUser : words.preview.menuMessage}</span>
        <strong>{name}</strong>
      </div>
    );
  }
  return (
    <div class="commands-shown">
      {type === commandTypes.PRIMARY_ENTRY_POINT && <span class="hint">{words.preview.launcher}</span>}
      <p class="commands-shown-name">
        {type === commandTypes.CHAT_INPUT && <span aria-hidden="true">/</span>}
        <strong>{name}</strong>
      </p>
      <p class="soft">
        <Text of={command.description} localizations={command.description_localizations} locale={locale} />
      </p>
      <ShownOptions options={command.options ?? []} locale={locale} />
    </div>
  );
}

const { SUB_COMMAND, SUB_COMMAND_GROUP } = optionTypes;

function ShownOptions({ options, locale }: { readonly options: readonly CommandOption[]; readonly locale: Locale }) {
  if (options.length === 0) return null;
  return (
    <ul class="commands-shown-options">
      {options.map((option, i) => {
        const isNesting = option.type === SUB_COMMAND || option.type === SUB_COMMAND_GROUP;
        return (
          <li key={String(i)}>
            <div class="row">
              <strong>
                <Text of={option.name} localizations={option.name_localizations} locale={locale} />
              </strong>
              <span class="badge">{words.optionTypes[option.type] ?? String(option.type)}</span>
              {!isNesting && (
                <span class="hint">{option.required === true ? words.preview.required : words.preview.optional}</span>
              )}
              {option.autocomplete === true && <span class="hint">{words.preview.suggests}</span>}
            </div>
            <p class="soft">
              <Text of={option.description} localizations={option.description_localizations} locale={locale} />
            </p>
            {(option.choices ?? []).length > 0 && (
              <ul class="commands-shown-choices" aria-label={words.preview.choices}>
                {option.choices?.map((choice, n) => (
                  <li key={String(n)}>
                    <Text of={choice.name} localizations={choice.name_localizations} locale={locale} />
                  </li>
                ))}
              </ul>
            )}
            <ShownOptions options={option.options ?? []} locale={locale} />
          </li>
        );
      })}
    </ul>
  );
}

/** A text with a mark of where it comes from. */
function Text({
  of,
  localizations,
  locale,
}: {
  readonly of: unknown;
  readonly localizations: CommandInput['name_localizations'];
  readonly locale: Locale;
}) {
  if (typeof of !== 'string' || of === '') return null;
  const texts = typeof localizations === 'object' ? localizations : null;
  const { text, reason, from } = shownText(of, texts, locale);
  const mark =
    reason === 'own'
      ? words.preview.own
      : reason === 'fallback'
        ? words.preview.fallback(from ?? '')
        : words.preview.default;
  return (
    <>
      <span>{text}</span>
      {(reason !== 'default' || texts) && <span class={`commands-mark ${reason}`}> {mark}</span>}
    </>
  );
}

/** A row for each text, a column for each language in which any text is not the default one. */
function AllLocales({ command }: { readonly command: CommandInput }) {
  const columns = locales
    .map(locale => ({ locale, texts: textsOf(command, locale) }))
    .filter(({ texts }) => texts.some(({ reason }) => reason !== 'default'));
  if (columns.length === 0) return null;
  const rows = textsOf(command, 'en-US').map(({ path }) => path);
  return (
    <details>
      <summary>{words.preview.all}</summary>
      <p class="hint">{words.preview.allHint}</p>
      <div class="commands-scroll" tabIndex={0} role="region" aria-label={words.preview.all}>
        <table class="commands-changes">
          <thead>
            <tr>
              <th scope="col">{words.preview.text}</th>
              {columns.map(({ locale }) => (
                <th key={locale} scope="col" title={localeName(locale)}>
                  {locale}
                  {localeFallbacks[locale] && <span class="hint"> → {localeFallbacks[locale]}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((path, i) => (
              <tr key={path.join('\n')}>
                <th scope="row" class="mono">
                  {formatPath(path)}
                </th>
                {columns.map(({ locale, texts }) => {
                  const { text, reason, from } = texts[i] ?? { text: '', reason: 'default' as const };
                  return (
                    <td key={locale} class={reason === 'default' ? 'soft' : undefined}>
                      {text}
                      {reason === 'fallback' && (
                        <span class="commands-mark fallback"> {words.preview.fallback(from ?? '')}</span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
