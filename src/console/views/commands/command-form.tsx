import {
  type Command,
  type CommandChoice,
  type CommandInput,
  type CommandOption,
  commandTypes,
  type OptionType,
  optionTypes,
} from '../../../model/command.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { commandWords as words } from '../../words/en/commands.ts';
import { type Draft, setInText } from './draft.ts';

type Path = readonly (string | number)[];

interface Editing {
  set(path: Path, value: unknown): void;
  errorAt(path: Path): { readonly error?: string };
}

/** The command as a form; each change is made in its JSON, so that both are always the same. */
export function CommandForm({
  text,
  draft,
  stored,
  onInput,
}: {
  readonly text: string;
  readonly draft: Draft;
  readonly stored: Command | undefined;
  onInput(text: string): void;
}) {
  const { command } = draft;
  if (!command) return <p class="hint">{words.editor.formFirst}</p>;
  const editing: Editing = {
    set: (path, value) => onInput(setInText(text, path, value)),
    errorAt: path => {
      const wanted = path.map(String).join('\n');
      const found = draft.issues.find(issue => issue.path.join('\n') === wanted);
      return found ? { error: found.message } : {};
    },
  };
  const type = command.type ?? commandTypes.CHAT_INPUT;
  const isMenu = type === commandTypes.USER || type === commandTypes.MESSAGE;
  return (
    <div class="stack">
      <div class="commands-fields">
        <Select
          label={words.fields.type}
          value={String(type)}
          isDisabled={stored !== undefined}
          choices={Object.entries(words.types).map(([value, label]) => ({ value, label }))}
          onChange={value => editing.set(['type'], Number(value))}
        />
        <TextField
          label={words.fields.name}
          value={command.name}
          {...editing.errorAt(['name'])}
          onInput={name => editing.set(['name'], name)}
        />
      </div>
      {!isMenu && (
        <TextField
          label={words.fields.description}
          value={textOf(command.description)}
          {...editing.errorAt(['description'])}
          onInput={description => editing.set(['description'], description)}
        />
      )}
      {type === commandTypes.CHAT_INPUT && (
        <Options options={command.options ?? []} path={['options']} editing={editing} isNested={false} />
      )}
      <Placing command={command} editing={editing} />
      <p class="hint">{words.fields.rest}</p>
    </div>
  );
}

function Placing({ command, editing }: { readonly command: CommandInput; readonly editing: Editing }) {
  const toggled = (list: readonly number[] | null | undefined, value: number, isOn: boolean): readonly number[] => {
    const others = (Array.isArray(list) ? list : []).filter(one => one !== value);
    return (isOn ? [...others, value] : others).toSorted((a, b) => a - b);
  };
  return (
    <details>
      <summary>{words.fields.contexts}</summary>
      <div class="stack commands-placing">
        <fieldset>
          <legend>{words.fields.contexts}</legend>
          {words.fields.contextNames.map((label, context) => (
            <Checkbox
              key={label}
              label={label}
              isChecked={Array.isArray(command.contexts) && command.contexts.includes(context as 0)}
              onChange={isOn => editing.set(['contexts'], nonEmpty(toggled(command.contexts, context, isOn)))}
            />
          ))}
        </fieldset>
        <fieldset>
          <legend>{words.fields.installs}</legend>
          {words.fields.installNames.map((label, type) => (
            <Checkbox
              key={label}
              label={label}
              isChecked={Array.isArray(command.integration_types) && command.integration_types.includes(type as 0)}
              onChange={isOn =>
                editing.set(['integration_types'], nonEmpty(toggled(command.integration_types, type, isOn)))
              }
            />
          ))}
        </fieldset>
        <TextField
          label={words.fields.permissions}
          value={textOf(command.default_member_permissions)}
          {...editing.errorAt(['default_member_permissions'])}
          onInput={bits => editing.set(['default_member_permissions'], bits === '' ? undefined : bits)}
        />
        <Checkbox
          label={words.fields.nsfw}
          isChecked={command.nsfw === true}
          onChange={isOn => editing.set(['nsfw'], isOn || undefined)}
        />
      </div>
    </details>
  );
}

const { SUB_COMMAND, SUB_COMMAND_GROUP, STRING, INTEGER, NUMBER } = optionTypes;

function Options({
  options,
  path,
  editing,
  isNested,
}: {
  readonly options: readonly CommandOption[];
  readonly path: Path;
  readonly editing: Editing;
  readonly isNested: boolean;
}) {
  const add = () => {
    const names = new Set(options.map(({ name }) => name));
    const number = [...Array(options.length + 1).keys()].find(i => !names.has(`option-${i + 1}`)) ?? options.length;
    editing.set([...path, options.length], {
      type: STRING,
      name: `option-${number + 1}`,
      description: 'What it is for',
    });
  };
  const moveUp = (i: number) =>
    editing.set(path, options.with(i - 1, options[i] as CommandOption).with(i, options[i - 1] as CommandOption));
  return (
    <fieldset class="stack commands-options">
      <legend>{words.fields.options}</legend>
      {options.map((option, i) => (
        <div key={String(i)} class="commands-option stack">
          <div class="row">
            <strong class="grow">{words.fields.option(i + 1)}</strong>
            {i > 0 && (
              <Button kind="quiet" onClick={() => moveUp(i)}>
                {words.fields.moveUp(textOf(option.name))}
              </Button>
            )}
            <Button
              kind="quiet"
              icon="trash"
              label={words.fields.removeOption(textOf(option.name))}
              onClick={() => editing.set([...path, i], undefined)}
            />
          </div>
          <OptionFields option={option} path={[...path, i]} editing={editing} isNested={isNested} />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={add}>
          {words.fields.addOption}
        </Button>
      </div>
    </fieldset>
  );
}

function OptionFields({
  option,
  path,
  editing,
  isNested,
}: {
  readonly option: CommandOption;
  readonly path: Path;
  readonly editing: Editing;
  readonly isNested: boolean;
}) {
  const field = (name: string, label: string) => (
    <TextField
      label={label}
      value={textOf(option[name as 'name'])}
      {...editing.errorAt([...path, name])}
      onInput={value => editing.set([...path, name], value)}
    />
  );
  const bound = (name: 'min_value' | 'max_value' | 'min_length' | 'max_length', label: string) => (
    <TextField
      label={label}
      type="number"
      value={textOf(option[name])}
      {...editing.errorAt([...path, name])}
      onInput={value => editing.set([...path, name], value === '' ? undefined : Number(value))}
    />
  );
  const { type } = option;
  const isNesting = type === SUB_COMMAND || type === SUB_COMMAND_GROUP;
  const isNumber = type === INTEGER || type === NUMBER;
  const hasChoices = type === STRING || isNumber;
  return (
    <>
      <div class="commands-fields">
        <Select
          label={words.fields.type}
          value={String(type)}
          {...editing.errorAt([...path, 'type'])}
          choices={optionChoices(isNested)}
          onChange={value => editing.set([...path, 'type'], Number(value) as OptionType)}
        />
        {field('name', words.fields.name)}
      </div>
      {field('description', words.fields.description)}
      {!isNesting && (
        <Checkbox
          label={words.fields.required}
          isChecked={option.required === true}
          onChange={isOn => editing.set([...path, 'required'], isOn || undefined)}
        />
      )}
      {hasChoices && (
        <>
          <Checkbox
            label={words.fields.autocomplete}
            isChecked={option.autocomplete === true}
            onChange={isOn => editing.set([...path, 'autocomplete'], isOn || undefined)}
          />
          <div class="commands-fields">
            {isNumber && bound('min_value', words.fields.min)}
            {isNumber && bound('max_value', words.fields.max)}
            {type === STRING && bound('min_length', words.fields.minLength)}
            {type === STRING && bound('max_length', words.fields.maxLength)}
          </div>
          <Choices choices={option.choices ?? []} path={[...path, 'choices']} editing={editing} isNumber={isNumber} />
        </>
      )}
      {isNesting && <Options options={option.options ?? []} path={[...path, 'options']} editing={editing} isNested />}
    </>
  );
}

function Choices({
  choices,
  path,
  editing,
  isNumber,
}: {
  readonly choices: readonly CommandChoice[];
  readonly path: Path;
  readonly editing: Editing;
  readonly isNumber: boolean;
}) {
  const number = choices.length + 1;
  const add = () =>
    editing.set([...path, choices.length], { name: `Choice ${number}`, value: isNumber ? number : `choice-${number}` });
  return (
    <fieldset class="stack">
      <legend>{words.fields.choices}</legend>
      {choices.map((choice, i) => (
        <div key={String(i)} class="row commands-choice">
          <TextField
            label={words.fields.choiceName(i + 1)}
            value={textOf(choice.name)}
            {...editing.errorAt([...path, i, 'name'])}
            onInput={name => editing.set([...path, i, 'name'], name)}
          />
          <TextField
            label={words.fields.choiceValue(i + 1)}
            value={textOf(choice.value)}
            {...editing.errorAt([...path, i, 'value'])}
            onInput={value => editing.set([...path, i, 'value'], isNumber && value !== '' ? Number(value) : value)}
          />
          <Button
            kind="quiet"
            icon="trash"
            label={words.fields.removeChoice(textOf(choice.name))}
            onClick={() => editing.set(choices.length === 1 ? path : [...path, i], undefined)}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={add}>
          {words.fields.addChoice}
        </Button>
      </div>
    </fieldset>
  );
}

/** A subcommand takes no subcommands; a group takes nothing else, which the checks say. */
function optionChoices(isNested: boolean) {
  return Object.entries(words.optionTypes)
    .filter(([value]) => !isNested || Number(value) !== SUB_COMMAND_GROUP)
    .map(([value, label]) => ({ value, label }));
}

function nonEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** What a field of a text that is not checked yet shows. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
