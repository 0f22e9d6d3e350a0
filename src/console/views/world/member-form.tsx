import type { GuildDetails, GuildMemberDetails } from '../../../wire/control/world.ts';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { CheckboxSet, FormDialog, useForm } from './form-frame.tsx';
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
  const initial = () => ({
    user_id: (member?.user_id ?? '') as string,
    nick: member?.nick ?? '',
    roles: (member?.roles ?? []) as readonly string[],
  });
  const { running, fields, isChanged, set, at, text, choice } = useForm(initial, ['members', '0']);
  const save = async () => {
    if (member && !isChanged) return onClose();
    if (fields.user_id === '') return running.fail({ message: words.noUser, issues: [] });
    const entry = { ...fields, nick: fields.nick === '' ? null : fields.nick };
    if (!(await running.run(() => saveEntry('guilds', { id: guild.id, members: [entry] })))) return;
    toast(words.memberSaved);
    onSaved();
  };
  return (
    <FormDialog
      title={member ? words.editLabel(member.username ?? member.user_id) : words.addMember}
      running={running}
      isChanged={isChanged}
      shown={['members']}
      onSave={save}
      onClose={onClose}
    >
      {!member && <UserPicker label={words.memberUser} {...choice('user_id')} />}
      <TextField label={words.nick} {...text('nick')} />
      <CheckboxSet
        legend={words.memberRoles}
        choices={guild.roles
          .filter(({ id }) => (id as string) !== guild.id)
          .map(({ id, name }) => ({ value: id as string, label: name }))}
        value={fields.roles}
        {...at('roles')}
        onChange={roles => set({ roles })}
      />
    </FormDialog>
  );
}
