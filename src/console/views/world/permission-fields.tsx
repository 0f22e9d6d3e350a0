import { Checkbox, TextField } from '../../ui/field.tsx';
import { worldWords } from '../../words/en/world.ts';
import { hasPermission, permissionNames, readPermissions, withPermission } from './bits.ts';

const words = worldWords.guilds;

/** Permissions by name, and the bits as text for those without one. */
export function PermissionFields({
  value,
  error,
  onChange,
}: {
  /** Decimal text. */
  readonly value: string;
  readonly error?: string;
  onChange(value: string): void;
}) {
  const shown = error ?? (readPermissions(value) === undefined ? words.permissionBitsWrong : undefined);
  return (
    <fieldset class="stack">
      <legend>{words.permissions}</legend>
      <div class="world-permissions">
        {permissionNames.map(name => (
          <Checkbox
            key={name}
            label={<code>{name}</code>}
            isChecked={hasPermission(value, name)}
            onChange={isOn => onChange(withPermission(value, name, isOn))}
          />
        ))}
      </div>
      <TextField
        label={words.permissionBits}
        value={value}
        isMono
        {...(shown !== undefined && { error: shown })}
        onInput={onChange}
      />
    </fieldset>
  );
}
