import type { GuildDetails, GuildMemberDetails } from '../../../wire/control/world.ts';
import { useRun } from '../../control/use-run.ts';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { errorAt, FormDialog, useFields } from './form-frame.tsx';
import { saveEntry } from './save-fixture.ts';

const words = worldWords.guilds;

/** Adds a member to a guild, or changes roles and nickname of one. */
export function MemberForm({
  guild,
  member,
  onSaved,
  onClose,
}: {
  readonly guild: GuildDetails;
  readonly member: GuildMemberDetails | undefined;
  onSaved(): void;
  onClose(): void;
}) {
  const running = useRun();
  const { fields, isChanged, set } = useFields(() => ({
    user_id: (member?.user_id ?? '') as string,
    nick: member?.nick ?? '',
    roles: (member?.roles ?? []) as readonly string[],
  }));
  const save = async () => {
    if (member && !isChanged) return onClose();
    if (fields.user_id === '') return running.fail({ message: words.noUser, issues: [] });
    const entry = { ...fields, nick: fields.nick === '' ? null : fields.nick };
    if (!(await running.run(() => saveEntry('guilds', { id: guild.id, members: [entry] })))) return;
    toast(words.memberSaved);
    onSaved();
  };
  const at = (field: string) => errorAt(running, 'members', '0', field);
  return (
    <FormDialog
      title={member ? words.editLabel(member.username ?? member.user_id) : words.addMember}
      running={running}
      isChanged={isChanged}
      shown={['members']}
      onSave={save}
      onClose={onClose}
    >
      {!member && (
        <UserPicker
          label={words.memberUser}
          value={fields.user_id}
          {...at('user_id')}
          onChange={user_id => set({ user_id })}
        />
      )}
      <TextField label={words.nick} value={fields.nick} {...at('nick')} onInput={nick => set({ nick })} />
      <fieldset class="stack">
        <legend>{words.memberRoles}</legend>
        {guild.roles
          .filter(({ id }) => (id as string) !== guild.id)
          .map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              isChecked={fields.roles.includes(id)}
              onChange={isOn =>
                set({ roles: isOn ? [...fields.roles, id] : fields.roles.filter(other => other !== id) })
              }
            />
          ))}
      </fieldset>
    </FormDialog>
  );
}
