import type { UserSummary, UsersPage } from '../../wire/control/world.ts';
import { useControl } from '../control/use-control.ts';
import { words } from '../words/en/user-select.ts';
import { type FieldProps, Select } from './field.tsx';
import { UserPicker } from './user-picker.tsx';

const listedMax = 100;

/** Chooses a user from a list; where there are too many for one, by typing. */
export function UserSelect({
  value,
  onChange,
  ...field
}: FieldProps & {
  /** The id. */
  readonly value: string;
  onChange(id: string): void;
}) {
  const { data } = useControl<UsersPage>('/users', { query: { limit: listedMax }, areas: ['users'] });
  if (data && data.next !== null)
    return <UserPicker {...field} value={value} onChange={id => id !== '' && onChange(id)} />;
  const users = data?.users ?? [];
  const isListed = users.some(({ id }) => id === value);
  const choices = users.map(user => ({ value: user.id as string, label: nameOf(user) }));
  const all = isListed || value === '' ? choices : [{ value, label: words.unknown(value) }, ...choices];
  return <Select {...field} value={value} choices={all} onChange={onChange} />;
}

function nameOf({ username, global_name }: UserSummary): string {
  return global_name === null ? `@${username}` : `${global_name} · @${username}`;
}
