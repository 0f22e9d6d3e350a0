import type { GuildDetails, GuildRole } from '../../../wire/control/world.ts';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { worldWords } from '../../words/en/world.ts';
import { FormDialog, useForm } from './form-frame.tsx';
import { PermissionFields } from './permission-fields.tsx';
import { saveEntry } from './save-fixture.ts';

const words = worldWords.guilds;

/** Adds a role to a guild, or edits one. */
export function RoleForm({
  guild,
  role,
  onSaved,
  onClose,
}: {
  readonly guild: GuildDetails;
  readonly role: GuildRole | undefined;
  onSaved(): void;
  onClose(): void;
}) {
  const initial = () => ({
    name: role?.name ?? '',
    permissions: role?.permissions ?? '0',
    position: String(role?.position ?? guild.roles.length),
  });
  const { running, fields, changed, isChanged, text, choice } = useForm(initial, ['roles', '0']);
  const save = async () => {
    if (role && !isChanged) return onClose();
    const { position, ...rest } = role ? changed : fields;
    const entry = {
      ...(role && { id: role.id }),
      ...rest,
      ...(position !== undefined && { position: Number(position) }),
    };
    if (!(await running.run(() => saveEntry('guilds', { id: guild.id, roles: [entry] })))) return;
    toast(worldWords.saved(fields.name));
    onSaved();
  };
  return (
    <FormDialog
      title={role ? words.editLabel(role.name) : words.addRole}
      running={running}
      isChanged={isChanged}
      shown={['roles']}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.roleName} {...text('name')} />
      <TextField label={words.position} {...text('position')} />
      <PermissionFields {...choice('permissions')} />
    </FormDialog>
  );
}
