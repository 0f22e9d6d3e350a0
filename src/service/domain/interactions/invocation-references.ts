import { type CommandOption, commandTypes, optionTypes } from '../../../model/command.ts';
import { type Component, componentTypes } from '../../../model/component.ts';
import type { OptionValue } from '../../../model/interaction.ts';
import type { Snowflake } from '../../../model/snowflake.ts';
import type { CommandRecord } from '../../store/records.ts';
import type { Invocation } from './invocation-input.ts';

export type ReferenceKind = 'user' | 'role' | 'channel' | 'message';

/** An id in the use of a command, and the kinds of object that it may name. */
export interface Reference {
  readonly id: Snowflake;
  /** The kinds in order; the first that has the id counts. */
  readonly kinds: readonly ReferenceKind[];
  /** Its path in the body. */
  readonly path: readonly string[];
  /** For a channel: the types that the option accepts, unless it accepts all. */
  readonly channelTypes?: readonly number[];
}

const kindsByOption: Readonly<Record<number, readonly ReferenceKind[]>> = {
  [optionTypes.USER]: ['user'],
  [optionTypes.ROLE]: ['role'],
  [optionTypes.CHANNEL]: ['channel'],
  [optionTypes.MENTIONABLE]: ['user', 'role'],
};

const kindsBySelect: Readonly<Record<number, readonly ReferenceKind[]>> = {
  [componentTypes.USER_SELECT]: ['user'],
  [componentTypes.ROLE_SELECT]: ['role'],
  [componentTypes.MENTIONABLE_SELECT]: ['user', 'role'],
  [componentTypes.CHANNEL_SELECT]: ['channel'],
};

/** The ids chosen in a select, whose values are at `path`. */
export function valueReferences(
  { type, channel_types }: Component,
  values: readonly unknown[],
  path: readonly string[],
): readonly Reference[] {
  const kinds = kindsBySelect[type] ?? [];
  if (kinds.length === 0) return [];
  const types = (channel_types ?? []) as readonly number[];
  return values.map((value, i) => ({
    id: String(value),
    kinds,
    path: [...path, String(i)],
    ...(types.length > 0 && { channelTypes: types }),
  }));
}

/** Every id in a use of the command: the target of a context menu, and options that name an object. */
export function referencesOf(invocation: Invocation, command: CommandRecord): readonly Reference[] {
  const { targetId, options } = invocation;
  const kind = command.type === commandTypes.USER ? 'user' : 'message';
  const target = targetId === undefined ? [] : [{ id: targetId, kinds: [kind], path: ['data', 'target_id'] } as const];
  return [...target, ...inOptions(options as readonly OptionValue[], command.options ?? [], ['data', 'options'])];
}

function inOptions(
  values: readonly OptionValue[],
  options: readonly CommandOption[],
  path: readonly string[],
): readonly Reference[] {
  return values.flatMap((value, index) => {
    const option = options.find(({ name }) => name === value.name);
    const at = [...path, String(index)];
    if (value.options) return inOptions(value.options, option?.options ?? [], [...at, 'options']);
    const kinds = kindsByOption[value.type];
    if (!kinds) return [];
    const { channel_types: channelTypes } = option ?? {};
    return [{ id: String(value.value), kinds, path: [...at, 'value'], ...(channelTypes && { channelTypes }) }];
  });
}
