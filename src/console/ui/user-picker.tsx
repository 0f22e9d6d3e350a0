import { useEffect, useState } from 'preact/hooks';
import { isSnowflake } from '../../model/snowflake.ts';
import type { UserSummary, UsersPage } from '../../wire/control/world.ts';
import { useControl } from '../control/use-control.ts';
import { words } from '../words/en/user-picker.ts';
import { Field, type FieldProps } from './field.tsx';

const pauseMs = 200;

/** Chooses a user by id, username or display name, with suggestions while one types. */
export function UserPicker({
  value,
  onChange,
  ...field
}: FieldProps & {
  /** The id; empty: none is chosen. */
  readonly value: string;
  onChange(id: string): void;
}) {
  const [text, setText] = useState(value);
  const [isTyped, setTyped] = useState(false);
  const [search, setSearch] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim().replace(/^@/, '')), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  // A form that is filled in again from outside.
  useEffect(() => {
    if (value === '' || value === idOf(text, users)) return;
    setText(value);
    setTyped(false);
  }, [value]);
  const { data } = useControl<UsersPage>('/users', { query: { search, limit: 20 } });
  const users = data?.users ?? [];
  // A username that was typed as a whole is as good as an id, as soon as the service has found it.
  useEffect(() => {
    const id = idOf(text, users);
    if (id !== undefined && id !== value) onChange(id);
    // An id that the form came with reads as a name.
    const named = users.find(user => user.id === text);
    if (named && !isTyped) setText(`@${named.username}`);
  }, [data]);

  const chosen = users.find(({ id }) => id === value);
  const note = value !== '' && chosen ? nameOf(chosen) : text !== '' && value === '' ? words.nobody : undefined;
  return (
    <Field {...field} hint={note ?? field.hint ?? words.hint}>
      {attributes => (
        <>
          <input
            {...attributes}
            class="input"
            value={text}
            list={`${attributes.id}-list`}
            autocomplete="off"
            spellcheck={false}
            disabled={field.isDisabled}
            onInput={event => {
              const typed = event.currentTarget.value;
              setText(typed);
              setTyped(true);
              onChange(idOf(typed, users) ?? '');
            }}
          />
          <datalist id={`${attributes.id}-list`}>
            {users.map(user => (
              <option
                key={user.id}
                value={`@${user.username}`}
                label={`${user.global_name ?? user.username} · ${user.id}`}
              />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

/** `Ada · @ada` */
function nameOf({ username, global_name }: UserSummary): string {
  return global_name === null ? `@${username}` : `${global_name} · @${username}`;
}

function idOf(text: string, users: readonly UserSummary[]): string | undefined {
  const typed = text.trim();
  const named = users.find(({ username, id }) => username === typed.replace(/^@/, '') || id === typed);
  return named?.id ?? (isSnowflake(typed) ? typed : undefined);
}
