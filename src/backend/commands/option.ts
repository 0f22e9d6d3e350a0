import { type OptionType, optionTypes } from '../../model/command.ts';
import type { OptionDefinition, ParameterDefinition, SubcommandDefinition } from './definition.ts';

/** The fields of options of one type beyond type, name and description. */
type More<Option> = Option extends unknown ? Omit<Option, 'type' | 'name' | 'description'> : never;
type Of<Type extends OptionType> = Extract<OptionDefinition, { readonly type: Type }>;

/** An option as it was written, names and choices literally. */
type Made<Type, Name, Fields> = {
  readonly type: Type;
  readonly name: Name;
  readonly description: string;
} & Fields;

/** Makes options of one type. */
interface Maker<Type extends OptionType> {
  <const Name extends string>(name: Name, description: string): Made<Type, Name, unknown>;
  <const Name extends string, const Fields extends More<Of<Type>>>(
    name: Name,
    description: string,
    fields: Fields,
  ): Made<Type, Name, Fields>;
}

function maker<const Type extends OptionType>(type: Type): Maker<Type> {
  return (name: string, description: string, fields?: object) =>
    ({ type, name, description, ...fields }) as Made<Type, never, never>;
}

/**
 * Makes the options of a definition: `option.string('map', 'Where to meet', { required: true })`.
 *
 * `option.subcommand` and `option.group` take what they hold as a list.
 */
export const option = {
  string: maker(optionTypes.STRING),
  integer: maker(optionTypes.INTEGER),
  number: maker(optionTypes.NUMBER),
  boolean: maker(optionTypes.BOOLEAN),
  user: maker(optionTypes.USER),
  channel: maker(optionTypes.CHANNEL),
  role: maker(optionTypes.ROLE),
  mentionable: maker(optionTypes.MENTIONABLE),
  attachment: maker(optionTypes.ATTACHMENT),
  subcommand: <const Name extends string, const Options extends readonly ParameterDefinition[]>(
    name: Name,
    description: string,
    options: Options,
  ): Made<typeof optionTypes.SUB_COMMAND, Name, { readonly options: Options }> => ({
    type: optionTypes.SUB_COMMAND,
    name,
    description,
    options,
  }),
  group: <const Name extends string, const Options extends readonly SubcommandDefinition[]>(
    name: Name,
    description: string,
    options: Options,
  ): Made<typeof optionTypes.SUB_COMMAND_GROUP, Name, { readonly options: Options }> => ({
    type: optionTypes.SUB_COMMAND_GROUP,
    name,
    description,
    options,
  }),
} as const;
