import { locales } from '../../../model/locale.ts';
import type { ApplicationDetails, GuildDetails } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { CheckboxSet, FormDialog, noOwner, useForm } from './form-frame.tsx';
import { saveEntry } from './save-fixture.ts';

const words = worldWords.guilds;

/** Creates a guild, or edits its own fields. */
export function GuildForm({
  guild,
  onSaved,
  onClose,
}: {
  readonly guild: GuildDetails | undefined;
  onSaved(id: string): void;
  onClose(): void;
}) {
  const applications =
    useControl<{ readonly applications: readonly ApplicationDetails[] }>('/applications', { query: { limit: 1000 } })
      .data?.applications ?? [];
  const { running, fields, changed, isChanged, set, at, text, choice } = useForm(() => ({
    name: guild?.name ?? '',
    owner_id: (guild?.owner_id ?? '') as string,
    locale: guild?.locale ?? 'en-US',
    applications: (guild?.applications ?? []) as readonly string[],
  }));
  const save = async () => {
    if (guild && !isChanged) return onClose();
    if (fields.owner_id === '') return running.fail(noOwner);
    const saved = await running.run(() => saveEntry('guilds', guild ? { id: guild.id, ...changed } : fields));
    if (!saved) return;
    toast(worldWords.saved(String(saved.name)));
    onSaved(String(saved.id));
  };
  return (
    <FormDialog
      title={guild ? words.editLabel(guild.name) : words.addTitle}
      running={running}
      isChanged={isChanged}
      shown={['name', 'owner_id', 'locale', 'applications']}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.name} {...text('name')} />
      <UserPicker label={words.owner} hint={words.ownerHint} {...choice('owner_id')} />
      <Select
        label={words.locale}
        choices={locales.map(value => ({ value: value as string, label: value }))}
        {...choice('locale')}
      />
      <CheckboxSet
        legend={words.applications}
        choices={applications.map(({ id, name }) => ({ value: id as string, label: `${name} (${id})` }))}
        value={fields.applications}
        {...at('applications')}
        onChange={ids => set({ applications: ids })}
      />
    </FormDialog>
  );
}
