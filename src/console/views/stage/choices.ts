import { type Component, componentTypes } from '../../../model/component.ts';
import { memberName, type Names } from './names.ts';

/** Something to choose: in a select, or as the value of an option. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

const { STRING_SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT, RADIO_GROUP, CHECKBOX_GROUP } =
  componentTypes;

const withOptions: ReadonlySet<number> = new Set([STRING_SELECT, RADIO_GROUP, CHECKBOX_GROUP]);

export function userChoices({ members }: Names): readonly Choice[] {
  return members.map(member => ({ value: member.user_id, label: `@${memberName(member)}` }));
}

export function roleChoices({ guild }: Names): readonly Choice[] {
  return (guild?.roles ?? []).map(({ id, name }) => ({ value: id, label: name.startsWith('@') ? name : `@${name}` }));
}

/** @param types of the channels that may be chosen; empty: all */
export function channelChoices({ guild }: Names, types: readonly number[] = []): readonly Choice[] {
  return (guild?.channels ?? [])
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map(({ id, name }) => ({ value: id, label: `#${name}` }));
}

/** What can be chosen in a component. */
export function choicesOf({ type, options = [], channel_types }: Component, names: Names): readonly Choice[] {
  if (withOptions.has(type))
    return options.map(({ value, label, description }) => ({ value, label, ...(description && { description }) }));
  if (type === USER_SELECT) return userChoices(names);
  if (type === ROLE_SELECT) return roleChoices(names);
  if (type === MENTIONABLE_SELECT) return [...userChoices(names), ...roleChoices(names)];
  if (type === CHANNEL_SELECT) return channelChoices(names, channel_types);
  return [];
}

/** How many values a component takes. */
export function boundsOf({ type, min_values, max_values, options = [] }: Component): { min: number; max: number } {
  return { min: min_values ?? 1, max: max_values ?? (type === CHECKBOX_GROUP ? options.length : 1) };
}
