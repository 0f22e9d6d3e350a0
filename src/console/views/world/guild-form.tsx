import { locales } from '../../../model/locale.ts';
import type { ApplicationDetails, GuildDetails } from '../../../wire/control/world.ts';
import { useControl } from '../../control/use-control.ts';
import { useRun } from '../../control/use-run.ts';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { errorAt, FormDialog, useFields } from './form-frame.tsx';
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
  const running = useRun();
  const applications =
    useControl<{ readonly applications: readonly ApplicationDetails[] }>('/applications', { query: { limit: 1000 } })
      .data?.applications ?? [];
  const { fields, changed, isChanged, set } = useFields(() => ({
    name: guild?.name ?? '',
    owner_id: (guild?.owner_id ?? '') as string,
    locale: guild?.locale ?? 'en-US',
    applications: (guild?.applications ?? []) as readonly string[],
  }));
  const save = async () => {
    if (guild && !isChanged) return onClose();
    const { owner_id, ...rest } = guild ? changed : fields;
    const saved = await running.run(() =>
      saveEntry('guilds', { ...(guild && { id: guild.id }), ...rest, ...(owner_id && { owner_id }) }),
    );
    if (!saved) return;
    toast(worldWords.saved(String(saved.name)));
    onSaved(String(saved.id));
  };
  return (
    <FormDialog
      title={guild ? words.editLabel(guild.name) : words.addTitle}
      running={running}
      isChanged={isChanged}
      shown={['name', 'owner_id', 'locale']}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.name} value={fields.name} {...errorAt(running, 'name')} onInput={name => set({ name })} />
      <UserPicker
        label={words.owner}
        hint={words.ownerHint}
        value={fields.owner_id}
        {...errorAt(running, 'owner_id')}
        onChange={owner_id => set({ owner_id })}
      />
      <Select
        label={words.locale}
        value={fields.locale}
        choices={locales.map(value => ({ value: value as string, label: value }))}
        onChange={locale => set({ locale })}
      />
      <fieldset class="stack">
        <legend>{words.applications}</legend>
        {applications.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={`${name} (${id})`}
            isChecked={fields.applications.includes(id)}
            onChange={isOn =>
              set({
                applications: isOn ? [...fields.applications, id] : fields.applications.filter(other => other !== id),
              })
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
