import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { type Command, commandTypes } from '../../../model/command.ts';
import { interactionTypes } from '../../../model/interaction.ts';
import { checkInvocation } from '../../../model/rules/interactions/invocation.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';
import { stageWords as words } from '../../words/en/stage.ts';
import { type ChatClient, errorText } from './chat-client.ts';
import { filesOf } from './file-input.ts';
import { applicationNameIn, type Names } from './names.ts';
import { OptionField } from './option-field.tsx';
import {
  findUsages,
  type Inputs,
  optionValues,
  shownDescription,
  shownName,
  type Usage,
  usagesOf,
  usageText,
} from './option-values.ts';
import { useWithheld } from './withheld.ts';

const shownMax = 50;

/** Where a user types: `/` offers the commands, and a chosen one its options. */
export function Composer({
  client,
  commands,
  names,
  spot,
  applicationIds,
}: {
  readonly client: ChatClient;
  /** Those that the user may use here; undefined while they are read. */
  readonly commands: readonly Command[] | undefined;
  readonly names: Names;
  readonly spot: { readonly channel_id: string; readonly guild_id?: string };
  /** Whose commands there are in this place. */
  readonly applicationIds: readonly string[];
}) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Usage>();
  const [at, setAt] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const chat = (commands ?? []).filter(({ type }) => type === commandTypes.CHAT_INPUT);
  const launchers = (commands ?? []).filter(({ type }) => type === commandTypes.PRIMARY_ENTRY_POINT);
  const isListing = text.startsWith('/');
  const found = isListing ? findUsages(chat.flatMap(usagesOf), text).slice(0, shownMax) : [];
  const isWithoutMatch = isListing && found.length === 0 && commands !== undefined;
  const withheld = useWithheld(isWithoutMatch, {
    ...{ text, spot, applicationIds, userId: client.userId, offered: commands },
  });
  const pick = (usage: Usage) => {
    setText('');
    setAt(0);
    setChosen(usage);
  };
  if (chosen) {
    return (
      <UsageForm
        key={`${chosen.command.id}/${chosen.path.map(({ name }) => name).join('/')}`}
        usage={chosen}
        client={client}
        names={names}
        spot={spot}
        onDone={() => {
          setChosen(undefined);
          requestAnimationFrame(() => field.current?.focus());
        }}
      />
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const usage = found[at];
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && found.length > 0) {
      event.preventDefault();
      setAt((at + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length);
    } else if ((event.key === 'Enter' || event.key === 'Tab') && isListing && usage) {
      event.preventDefault();
      pick(usage);
    } else if (event.key === 'Escape') setText('');
    else if (event.key === 'Enter' && text.trim() !== '' && !isListing) toast(words.composer.notACommand, 'fault');
  };
  const launch = (command: Command) => {
    const { id, version, name, type, application_id } = command;
    const body = {
      application_id,
      type: interactionTypes.APPLICATION_COMMAND,
      ...spot,
      data: { id, version, name, type },
    };
    void client.use(body, shownName(command));
  };
  return (
    <div class="stage-composer">
      {isListing && (
        <ul id={`${id}-list`} class="stage-suggestions open" role="listbox" aria-label={words.composer.commands}>
          {found.map((usage, i) => (
            <li
              key={usageText(usage) + usage.command.id}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              onPointerDown={event => {
                event.preventDefault();
                pick(usage);
              }}
            >
              <strong>{usageText(usage)}</strong>{' '}
              <span class="soft">{shownDescription(usage.path.at(-1) ?? usage.command)}</span>{' '}
              <span class="hint">{words.composer.of(applicationNameIn(names, usage.command.application_id))}</span>
            </li>
          ))}
          {isWithoutMatch && (
            <li role="option" aria-selected={false} aria-disabled="true" class="hint">
              {withheld.map(reason => (
                <p key={reason}>{reason}</p>
              ))}
              {withheld.length === 0 && (chat.length === 0 ? words.composer.noneHere : words.composer.none)}
            </li>
          )}
        </ul>
      )}
      <div class="row">
        <input
          ref={field}
          class="input grow"
          role="combobox"
          aria-label={words.composer.label}
          aria-expanded={isListing}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-describedby={`${id}-hint`}
          {...(isListing && found[at] && { 'aria-activedescendant': `${id}-${at}` })}
          autocomplete="off"
          spellcheck={false}
          placeholder="/"
          value={text}
          onInput={event => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        {launchers.map(command => (
          <Button key={command.id} icon="play" onClick={() => launch(command)}>
            {shownName(command)}
          </Button>
        ))}
      </div>
      <p id={`${id}-hint`} class="hint">
        {words.composer.hint}
      </p>
    </div>
  );
}

function UsageForm({
  usage,
  client,
  names,
  spot,
  onDone,
}: {
  readonly usage: Usage;
  readonly client: ChatClient;
  readonly names: Names;
  readonly spot: { readonly channel_id: string; readonly guild_id?: string };
  onDone(): void;
}) {
  const [inputs, setInputs] = useState<Inputs>({});
  const [files, setFiles] = useState<ReadonlyMap<string, File>>(new Map());
  const [isTried, setTried] = useState(false);
  const [asked, setAsked] = useState<{ readonly option: string; readonly nonce: string }>();
  const form = useRef<HTMLFormElement>(null);
  const { command, options } = usage;
  const { suggestions } = client.screen.value;
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  }, []);

  const bodyOf = (values: Inputs, focused?: string) => {
    const { id, version, name, type, application_id } = command;
    const kind =
      focused === undefined ? interactionTypes.APPLICATION_COMMAND : interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
    const data = { id, version, name, type, options: optionValues(usage, values, focused) };
    return { application_id, type: kind, ...spot, data };
  };
  // Numbers in the place of ids, until the files are sent.
  const withFiles: Inputs = { ...inputs, ...Object.fromEntries([...files.keys()].map((name, i) => [name, String(i)])) };
  const issues = checkInvocation(optionValues(usage, withFiles), command);
  const errorOf = (name: string): string | undefined => {
    if (!isTried) return undefined;
    const index = optionsFilled(options, withFiles).indexOf(name);
    const place = ['options', String(index), 'value'].slice(usage.path.length === 0 ? 1 : 0).join('.');
    const own = issues.find(({ path }) => index >= 0 && path.join('.').endsWith(place));
    const missing = issues.find(({ message }) => withFiles[name] === undefined && message.includes(name));
    return (own ?? missing)?.message;
  };
  const shownAtFields = new Set(options.map(({ name }) => errorOf(name)));
  const otherIssues = isTried ? issues.filter(({ message }) => !shownAtFields.has(message)) : [];
  const suggest = async (name: string) => {
    try {
      setAsked({ option: name, nonce: await client.suggest(bodyOf(withFiles, name)) });
    } catch (error) {
      toast(errorText(error), 'fault');
    }
  };
  const send = async () => {
    setTried(true);
    if (issues.length > 0) return;
    const { parts, attachments } = await filesOf([...files.values()]);
    const body = bodyOf(withFiles);
    const data = attachments.length > 0 ? { ...body.data, attachments } : body.data;
    void client.use({ ...body, data }, usageText(usage), parts);
    onDone();
  };
  return (
    <form
      ref={form}
      class="stage-composer card stack"
      aria-label={usageText(usage)}
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={event => event.key === 'Escape' && onDone()}
    >
      <p>
        <strong>{usageText(usage)}</strong> <span class="soft">{shownDescription(usage.path.at(-1) ?? command)}</span>
      </p>
      {options.map(option => (
        <OptionField
          key={option.name}
          option={option}
          names={names}
          value={inputs[option.name] ?? ''}
          error={errorOf(option.name)}
          suggestions={
            asked?.option === option.name && suggestions?.nonce === asked.nonce ? suggestions.choices : undefined
          }
          onInput={value => setInputs(inputs => ({ ...inputs, [option.name]: value }))}
          onFile={file => {
            const next = new Map(files);
            if (file) next.set(option.name, file);
            else next.delete(option.name);
            setFiles(next);
          }}
          onSuggest={() => void suggest(option.name)}
        />
      ))}
      {otherIssues.length > 0 && (
        <ul class="field-error" role="alert">
          {otherIssues.map(({ path, message }) => (
            <li key={`${path.join('.')} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      <div class="row">
        <Button kind="primary" type="submit">
          {words.composer.use}
        </Button>
        <Button onClick={onDone}>{words.composer.cancel}</Button>
      </div>
    </form>
  );
}

/** The names of the options that are sent, in their order. */
function optionsFilled(options: Usage['options'], inputs: Inputs): readonly string[] {
  return options.map(({ name }) => name).filter(name => inputs[name] !== undefined && inputs[name] !== '');
}
