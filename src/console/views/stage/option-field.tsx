import { useEffect, useRef, useState } from 'preact/hooks';
import { type CommandChoice, type CommandOption, optionTypes } from '../../../model/command.ts';
import { limits } from '../../../model/limits/limits.ts';
import { Field, Select, TextField } from '../../ui/field.tsx';
import { bytesText } from '../../ui/text/numbers.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { words as kitWords } from '../../words/en.ts';
import { type Choice, channelChoices, roleChoices, userChoices } from './choices.ts';
import type { Names } from './names.ts';
import { shownDescription, shownName } from './option-values.ts';

const T = optionTypes;
const suggestAfterMs = 250;

/** The input for one option, of any type. */
export function OptionField({
  option,
  names,
  value,
  error,
  suggestions,
  onInput,
  onFile,
  onSuggest,
}: {
  readonly option: CommandOption;
  readonly names: Names;
  readonly value: string;
  readonly error: string | undefined;
  /** What the application suggests; undefined: it was not asked. */
  readonly suggestions: readonly CommandChoice[] | undefined;
  onInput(value: string): void;
  onFile(file: File | undefined): void;
  /** Asks the application what it suggests. */
  onSuggest(): void;
}) {
  const { type, required, choices = [], autocomplete, channel_types } = option;
  const name = shownName(option);
  const label = required === true ? name : `${name} (${words.composer.optional})`;
  const shared = { label, hint: shownDescription(option), ...(error !== undefined && { error }) };
  const chooseFrom = (list: readonly Choice[]) => (
    <Select
      {...shared}
      value={value}
      choices={[
        { value: '', label: required === true ? kitWords.kit.choose : words.composer.nothing },
        ...list.map(({ value, label }) => ({ value, label })),
      ]}
      onChange={onInput}
    />
  );
  if (autocomplete === true) {
    return (
      <SuggestField
        {...shared}
        name={name}
        value={value}
        suggestions={suggestions}
        onInput={onInput}
        onSuggest={onSuggest}
      />
    );
  }
  if (choices.length > 0) return chooseFrom(choices.map(one => ({ value: String(one.value), label: shownName(one) })));
  switch (type) {
    case T.BOOLEAN:
      return chooseFrom([
        { value: 'true', label: words.composer.yes },
        { value: 'false', label: words.composer.no },
      ]);
    case T.USER:
      return chooseFrom(userChoices(names));
    case T.ROLE:
      return chooseFrom(roleChoices(names));
    case T.MENTIONABLE:
      return chooseFrom([...userChoices(names), ...roleChoices(names)]);
    case T.CHANNEL:
      return chooseFrom(channelChoices(names, channel_types));
    case T.ATTACHMENT:
      return (
        <Field {...shared} hint={`${shared.hint} ${words.composer.tooLarge(bytesText(limits.attachmentBytesMax))}`}>
          {attributes => (
            <input
              {...attributes}
              class="input"
              type="file"
              onChange={event => onFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
      );
    default:
      return <TextField {...shared} value={value} onInput={onInput} />;
  }
}

/** A text for which the application suggests values, as a combobox. */
function SuggestField({
  label,
  hint,
  error,
  name,
  value,
  suggestions,
  onInput,
  onSuggest,
}: {
  readonly label: string;
  readonly hint: string;
  readonly error?: string;
  readonly name: string;
  readonly value: string;
  readonly suggestions: readonly CommandChoice[] | undefined;
  onInput(value: string): void;
  onSuggest(): void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [chosen, setChosen] = useState<CommandChoice>();
  const ask = useRef(onSuggest);
  ask.current = onSuggest;
  useEffect(() => {
    if (!isOpen || chosen) return;
    const timer = setTimeout(() => ask.current(), suggestAfterMs);
    return () => clearTimeout(timer);
  }, [value, isOpen]);
  const pick = (choice: CommandChoice) => {
    setChosen(choice);
    setOpen(false);
    onInput(String(choice.value));
  };
  const list = suggestions ?? [];
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || list.length === 0) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setAt((at + (event.key === 'ArrowDown' ? 1 : list.length - 1)) % list.length);
    }
    const choice = list[at];
    if (event.key === 'Enter' && choice) {
      event.preventDefault();
      pick(choice);
    }
    if (event.key === 'Escape') {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <Field label={label} hint={`${hint} ${words.composer.typeForSuggestions}`} {...(error !== undefined && { error })}>
      {attributes => (
        <div class="stage-combobox">
          <input
            {...attributes}
            class="input"
            role="combobox"
            autocomplete="off"
            aria-expanded={isOpen && list.length > 0}
            aria-controls={`${attributes.id}-list`}
            aria-autocomplete="list"
            {...(isOpen && list[at] && { 'aria-activedescendant': `${attributes.id}-${at}` })}
            value={chosen ? shownName(chosen) : value}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onInput={event => {
              setChosen(undefined);
              setOpen(true);
              setAt(0);
              onInput(event.currentTarget.value);
            }}
            onKeyDown={onKeyDown}
          />
          <ul
            id={`${attributes.id}-list`}
            class="stage-suggestions"
            role="listbox"
            aria-label={words.composer.suggestions(name)}
            hidden={!isOpen || list.length === 0}
          >
            {list.map((choice, i) => (
              <li
                key={String(choice.value)}
                id={`${attributes.id}-${i}`}
                role="option"
                aria-selected={i === at}
                // The field keeps the focus.
                onPointerDown={event => {
                  event.preventDefault();
                  pick(choice);
                }}
              >
                {shownName(choice)}
              </li>
            ))}
          </ul>
          {isOpen && suggestions?.length === 0 && <p class="hint">{words.composer.noSuggestions}</p>}
        </div>
      )}
    </Field>
  );
}
