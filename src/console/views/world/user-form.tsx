import { locales } from '../../../model/locale.ts';
import type { UserDetails } from '../../../wire/control/world.ts';
import { ask } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { worldWords } from '../../words/en/world.ts';
import { FormDialog, useForm } from './form-frame.tsx';
import { saveEntry } from './save-fixture.ts';

const words = worldWords.users;

/** Creates a user, or edits one. */
export function UserForm({
  user,
  onSaved,
  onClose,
}: {
  readonly user: UserDetails | undefined;
  onSaved(id: string): void;
  onClose(): void;
}) {
  const { running, fields, changed, isChanged, text, choice, flag } = useForm(() => ({
    username: user?.username ?? '',
    global_name: user?.global_name ?? '',
    locale: user?.locale ?? 'en-US',
    adult: user?.adult ?? true,
    banned: user?.banned ?? false,
    password: '',
  }));
  const save = async () => {
    if (user && !isChanged) return onClose();
    const question = {
      title: words.banTitle(user?.global_name ?? fields.username),
      text: words.banText,
      confirm: words.banConfirm,
      isDanger: true,
    };
    if (user && changed.banned === true && !(await ask(question))) return;
    const { global_name, password, ...rest } = user ? changed : fields;
    const saved = await running.run(() =>
      saveEntry('users', {
        ...(user && { id: user.id }),
        ...rest,
        ...(global_name !== undefined && { global_name: global_name === '' ? null : global_name }),
        ...(password && { password }),
      }),
    );
    if (!saved) return;
    toast(worldWords.saved(String(saved.username)));
    onSaved(String(saved.id));
  };
  return (
    <FormDialog
      title={user ? words.editTitle(user.username) : words.addTitle}
      running={running}
      isChanged={isChanged}
      shown={['username', 'global_name', 'locale', 'password']}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.username} {...text('username')} />
      <TextField label={words.globalName} hint={words.globalNameHint} {...text('global_name')} />
      <Select
        label={words.locale}
        choices={locales.map(value => ({ value: value as string, label: value }))}
        {...choice('locale')}
      />
      <TextField
        label={words.password}
        hint={words.passwordHint}
        type="password"
        autoComplete="new-password"
        {...text('password')}
      />
      <Checkbox label={words.adult} {...flag('adult')} />
      <Checkbox label={words.banned} hint={words.bannedHint} {...flag('banned')} />
    </FormDialog>
  );
}
