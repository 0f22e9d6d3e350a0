import { isSnowflake } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { CommandChoiceSnapshot, CommandOptionSnapshot, CommandSnapshot, Named } from './snapshot.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the commands of a command index, in its order; one that cannot be read is ignored.
 *
 * @returns undefined when the answer is no index
 */
export function readCommandIndex(body: unknown): readonly CommandSnapshot[] | undefined {
  const commands = asRecord(body)?.application_commands;
  return Array.isArray(commands) ? readAll(commands, readCommand) : undefined;
}

function readCommand(value: unknown): CommandSnapshot | undefined {
  const fields = asRecord(value) ?? {};
  const { id, application_id, type, guild_id, options, nsfw } = fields;
  const named = readNamed(fields);
  if (!named || !isSnowflake<'command'>(id) || !isSnowflake<'application'>(application_id)) return undefined;
  if (typeof type !== 'number') return undefined;
  return Object.freeze({
    id,
    applicationId: application_id,
    type,
    ...named,
    guildId: isSnowflake<'guild'>(guild_id) ? guild_id : undefined,
    options: readAll(options, readOption),
    nsfw: nsfw === true,
  });
}

function readOption(value: unknown): CommandOptionSnapshot | undefined {
  const option = asRecord(value) ?? {};
  const named = readNamed(option);
  if (!named || typeof option.type !== 'number') return undefined;
  return Object.freeze({
    type: option.type,
    ...named,
    required: option.required === true,
    autocomplete: option.autocomplete === true,
    choices: readAll(option.choices, readChoice),
    options: readAll(option.options, readOption),
    channelTypes: readAll(option.channel_types, numberOf),
    minValue: numberOf(option.min_value),
    maxValue: numberOf(option.max_value),
    minLength: numberOf(option.min_length),
    maxLength: numberOf(option.max_length),
  });
}

function readChoice(value: unknown): CommandChoiceSnapshot | undefined {
  const choice = asRecord(value) ?? {};
  const { name, value: chosen } = choice;
  if (typeof name !== 'string' || (typeof chosen !== 'string' && typeof chosen !== 'number')) return undefined;
  return Object.freeze({ name, displayName: textOf(choice, 'name_localized') ?? name, value: chosen });
}

function readNamed(fields: Fields): Named | undefined {
  const name = textOf(fields, 'name');
  if (name === undefined) return undefined;
  const description = textOf(fields, 'description') ?? '';
  return {
    name,
    displayName: textOf(fields, 'name_localized') ?? name,
    description,
    displayDescription: textOf(fields, 'description_localized') ?? description,
  };
}

function readAll<Item>(values: unknown, read: (value: unknown) => Item | undefined): readonly Item[] {
  const items = Array.isArray(values) ? values.map(read) : [];
  return Object.freeze(items.filter(item => item !== undefined));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(fields: Fields, name: string): string | undefined {
  const text = fields[name];
  return typeof text === 'string' ? text : undefined;
}
