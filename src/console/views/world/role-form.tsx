import type { GuildDetails, GuildRole } from '../../../wire/control/world.ts';
import { useRun } from '../../control/use-run.ts';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { worldWords } from '../../words/en/world.ts';
import { errorAt, FormDialog, useFields } from './form-frame.tsx';
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
  const running = useRun();
  const { fields, changed, isChanged, set } = useFields(() => ({
    name: role?.name ?? '',
    permissions: role?.permissions ?? '0',
    position: String(role?.position ?? guild.roles.length),
  }));
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
  const at = (field: string) => errorAt(running, 'roles', '0', field);
  return (
    <FormDialog
      title={role ? words.editLabel(role.name) : words.addRole}
      running={running}
      isChanged={isChanged}
      shown={['roles']}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.roleName} value={fields.name} {...at('name')} onInput={name => set({ name })} />
      <TextField
        label={words.position}
        value={fields.position}
        {...at('position')}
        onInput={position => set({ position })}
      />
      <PermissionFields
        value={fields.permissions}
        error={at('permissions').error}
        onChange={permissions => set({ permissions })}
      />
    </FormDialog>
  );
}
