import { optionChannelTypes } from '../../../model/command.ts';
import { type PermissionOverwrite, threadTypes } from '../../../model/guild.ts';
import type { GuildChannel, GuildDetails } from '../../../wire/control/world.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { hasPermission, permissionNames, withPermission } from './bits.ts';
import { FieldError, FormDialog, useForm } from './form-frame.tsx';
import { saveEntry } from './save-fixture.ts';

const words = worldWords.guilds;
const categoryType = 4;
/** Direct messages are channels of no guild. */
const guildTypes = optionChannelTypes.filter(type => type !== 1 && type !== 3);

/** Adds a channel to a guild, or edits one, with its overwrites. */
export function ChannelForm({
  guild,
  channel,
  onSaved,
  onClose,
}: {
  readonly guild: GuildDetails;
  readonly channel: GuildChannel | undefined;
  onSaved(): void;
  onClose(): void;
}) {
  const initial = () => ({
    name: channel?.name ?? '',
    type: channel?.type ?? 0,
    nsfw: channel?.nsfw ?? false,
    parent_id: (channel?.parent_id ?? '') as string,
    permission_overwrites: (channel?.permission_overwrites ?? []) as readonly PermissionOverwrite[],
  });
  const { running, fields, changed, isChanged, set, at, text, choice, flag } = useForm(initial, ['channels', '0']);
  const save = async () => {
    if (channel && !isChanged) return onClose();
    const { parent_id, ...rest } = channel ? changed : fields;
    const entry = {
      ...(channel && { id: channel.id }),
      ...rest,
      ...(parent_id !== undefined && { parent_id: parent_id === '' ? null : parent_id }),
    };
    if (!(await running.run(() => saveEntry('guilds', { id: guild.id, channels: [entry] })))) return;
    toast(worldWords.saved(fields.name));
    onSaved();
  };
  const isThread = threadTypes.has(fields.type);
  const parents = guild.channels.filter(
    ({ id, type }) =>
      id !== channel?.id && (isThread ? type !== categoryType && !threadTypes.has(type) : type === categoryType),
  );
  const changeOverwrite = (nth: number, changes: Partial<PermissionOverwrite>) =>
    set({
      permission_overwrites: fields.permission_overwrites.map((one, at) => (at === nth ? { ...one, ...changes } : one)),
    });
  return (
    <FormDialog
      title={channel ? words.editLabel(channel.name) : words.addChannel}
      running={running}
      isChanged={isChanged}
      shown={['channels']}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.channelName} {...text('name')} />
      <Select
        label={words.type}
        value={String(fields.type)}
        choices={guildTypes.map(type => ({ value: String(type), label: words.types[type] ?? String(type) }))}
        {...at('type')}
        onChange={type => set({ type: Number(type), parent_id: '' })}
      />
      <Select
        label={words.parent}
        hint={words.parentHint}
        choices={[
          { value: '', label: worldWords.none },
          ...parents.map(({ id, name }) => ({ value: id as string, label: name })),
        ]}
        {...choice('parent_id')}
      />
      <Checkbox label={words.nsfw} {...flag('nsfw')} />
      <fieldset class="stack">
        <legend>{words.overwrites}</legend>
        <FieldError error={at('permission_overwrites').error} />
        {fields.permission_overwrites.map((overwrite, nth) => (
          <OverwriteFields
            key={nth}
            guild={guild}
            overwrite={overwrite}
            onChange={changes => changeOverwrite(nth, changes)}
            onRemove={() => set({ permission_overwrites: fields.permission_overwrites.toSpliced(nth, 1) })}
          />
        ))}
        <div class="row">
          <Button
            icon="plus"
            onClick={() =>
              set({
                permission_overwrites: [
                  ...fields.permission_overwrites,
                  { id: guild.roles[0]?.id ?? guild.id, type: 0, allow: '0', deny: '0' },
                ],
              })
            }
          >
            {words.addOverwrite}
          </Button>
        </div>
      </fieldset>
    </FormDialog>
  );
}

function OverwriteFields({
  guild,
  overwrite,
  onChange,
  onRemove,
}: {
  readonly guild: GuildDetails;
  readonly overwrite: PermissionOverwrite;
  onChange(changes: Partial<PermissionOverwrite>): void;
  onRemove(): void;
}) {
  const { id, type, allow, deny } = overwrite;
  const states = { inherit: words.inherit, allow: words.allow, deny: words.deny };
  return (
    <fieldset class="card stack">
      <legend>{words.overwriteFor}</legend>
      <div class="world-overwrite-head">
        <Select
          label={words.overwriteKind}
          value={String(type)}
          choices={[
            { value: '0', label: words.overwriteRole },
            { value: '1', label: words.overwriteUser },
          ]}
          onChange={value => onChange(value === '0' ? { type: 0, id: guild.id } : { type: 1, id: guild.owner_id })}
        />
        {type === 0 ? (
          <Select
            label={words.role}
            value={id as string}
            choices={guild.roles.map(role => ({ value: role.id as string, label: role.name }))}
            onChange={id => onChange({ id })}
          />
        ) : (
          <UserPicker label={words.memberUser} value={id} onChange={id => onChange({ id })} />
        )}
        <Button icon="trash" label={words.removeOverwrite} onClick={onRemove} />
      </div>
      <div class="world-permissions">
        {permissionNames.map(name => {
          const state = hasPermission(allow, name) ? 'allow' : hasPermission(deny, name) ? 'deny' : 'inherit';
          return (
            <Select
              key={name}
              label={name}
              value={state}
              choices={Object.entries(states).map(([value, label]) => ({ value, label }))}
              onChange={value =>
                onChange({
                  allow: withPermission(allow, name, value === 'allow'),
                  deny: withPermission(deny, name, value === 'deny'),
                })
              }
            />
          );
        })}
      </div>
    </fieldset>
  );
}
