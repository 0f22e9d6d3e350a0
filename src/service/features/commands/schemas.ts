import {
  commandTypes,
  entryPointHandlers,
  integrationTypes,
  interactionContexts,
  optionChannelTypes,
  optionTypes,
} from '../../../model/command.ts';
import { limits } from '../../../model/limits/limits.ts';
import { locales } from '../../../model/locale.ts';
import { overwriteTypes } from '../../../model/overwrite.ts';
import { chatNameCharacters } from '../../../model/rules/commands/name.ts';
import {
  boolean,
  enumeration,
  type Fields,
  integer,
  type JsonSchema,
  list,
  nullable,
  nullableFields,
  object,
  ref,
  text,
} from '../../http/json-schema.ts';

const name = text(1, limits.commandNameLengthMax);
const chatName: JsonSchema = { ...name, pattern: chatNameCharacters.source };
const description = text(1, limits.commandDescriptionLengthMax);
const choiceName = text(1, limits.choiceNameLengthMax);
const choiceValue = { anyOf: [text(1, limits.choiceValueLengthMax), { type: 'number' }] };
const permissionBits = { type: 'string', pattern: '^[0-9]+$', description: 'Permission bits as decimal text' };
const contexts = list(enumeration(interactionContexts), undefined, { minItems: 1, uniqueItems: true });
const installations = list(enumeration(integrationTypes), undefined, { minItems: 1, uniqueItems: true });

/** Locale → text; a null counts as no entry. */
export function localizations(translation: JsonSchema): JsonSchema {
  return { type: 'object', propertyNames: ref('Locale'), additionalProperties: nullable(translation) };
}

/** The documentation says which of them belong to which type of option; the schema does not. */
const optionParameters: Fields = {
  required: boolean,
  autocomplete: boolean,
  channel_types: list({ type: 'integer', enum: optionChannelTypes }, undefined, { uniqueItems: true }),
  min_value: { type: 'number', minimum: -limits.numberMax, maximum: limits.numberMax },
  max_value: { type: 'number', minimum: -limits.numberMax, maximum: limits.numberMax },
  min_length: integer(0, limits.optionLengthMax),
  max_length: integer(1, limits.optionLengthMax),
  file_types: list(text(1), limits.fileTypesMax),
};

/** What a request says about a command, beside its name and type. */
const commandFields: Fields = nullableFields({
  name_localizations: localizations(name),
  description: text(0, limits.commandDescriptionLengthMax),
  description_localizations: localizations(text(0, limits.commandDescriptionLengthMax)),
  options: list(ref('CommandOptionInput'), limits.commandOptionsMax),
  default_member_permissions: { anyOf: [permissionBits, integer(0)] },
  dm_permission: { ...boolean, deprecated: true },
  default_permission: { ...boolean, deprecated: true },
  integration_types: installations,
  contexts,
  nsfw: boolean,
  handler: enumeration(entryPointHandlers),
});

const type = nullable({ ...enumeration(commandTypes), default: commandTypes.CHAT_INPUT });

/** Names and descriptions as answers translate them: all of them, or the one text for the reader. */
const translated = (field: string): Fields => ({
  [`${field}_localized`]: text(1),
  [`${field}_localizations`]: nullable(ref('Localizations')),
});

/** @see docs/spec/commands.md#command; docs/spec/commands.md#options; docs/spec/commands.md#choices; docs/spec/commands.md#parameters */
export const commandSchemas = {
  Locale: { type: 'string', enum: locales },
  Localizations: { ...localizations(text(1)), description: 'Locale → text' },

  CommandInput: object('Registers a command', { name }, { type, ...commandFields }),
  CommandItem: object(
    'A command of a whole list; with its id a rename keeps it',
    { name },
    { id: nullable(ref('SnowflakeInput')), type, ...commandFields },
  ),
  CommandList: list(ref('CommandItem'), limits.commandsPerBulkMax),
  CommandEdit: object('Edits a command: fields given replace the stored ones whole', {}, { name, ...commandFields }),
  CommandOptionInput: object(
    'A parameter of a command, a subcommand or a group of subcommands',
    { type: enumeration(optionTypes), name: chatName, description },
    nullableFields({
      name_localizations: localizations(chatName),
      description_localizations: localizations(description),
      options: list(ref('CommandOptionInput'), limits.commandOptionsMax),
      choices: list(ref('CommandChoiceInput'), limits.optionChoicesMax),
      ...optionParameters,
    }),
  ),
  CommandChoiceInput: object(
    'A value to choose',
    { name: choiceName, value: choiceValue },
    nullableFields({ name_localizations: localizations(choiceName) }),
  ),

  Command: object(
    'A registered command',
    {
      id: ref('Snowflake'),
      application_id: ref('Snowflake'),
      version: { ...ref('Snowflake'), description: 'Rises with every substantial change' },
      default_member_permissions: nullable(permissionBits),
      type: enumeration(commandTypes),
      name,
      description: text(0, limits.commandDescriptionLengthMax),
      nsfw: boolean,
    },
    {
      ...translated('name'),
      ...translated('description'),
      guild_id: { ...ref('Snowflake'), description: 'Of a guild command' },
      dm_permission: { ...boolean, deprecated: true },
      contexts: nullable(contexts),
      integration_types: installations,
      options: list(ref('CommandOption'), limits.commandOptionsMax, { minItems: 1 }),
      handler: enumeration(entryPointHandlers),
    },
  ),
  Commands: list(ref('Command')),
  CommandOption: object(
    'A parameter of a command, a subcommand or a group of subcommands',
    { type: enumeration(optionTypes), name: chatName, description },
    {
      ...translated('name'),
      ...translated('description'),
      options: list(ref('CommandOption'), limits.commandOptionsMax),
      choices: list(ref('CommandChoice'), limits.optionChoicesMax, { minItems: 1 }),
      ...optionParameters,
    },
  ),
  Overwrite: object(
    'One allow or deny on a command; the guild’s own id is every role, and that less one every channel',
    {
      id: ref('Snowflake'),
      type: enumeration(overwriteTypes),
      permission: { ...boolean, description: 'True allows' },
    },
  ),
  OverwriteInput: object('One allow or deny on a command', {
    id: ref('SnowflakeInput'),
    type: enumeration(overwriteTypes),
    permission: boolean,
  }),
  GuildCommandPermissions: object(
    'All overwrites of a command in a guild; under the application’s own id those of all its other commands',
    {
      id: ref('Snowflake'),
      application_id: ref('Snowflake'),
      guild_id: ref('Snowflake'),
      permissions: list(ref('Overwrite'), limits.commandPermissionsMax),
    },
  ),
  GuildCommandPermissionsList: list(ref('GuildCommandPermissions')),
  OverwritesInput: object('Replaces all overwrites of a command in a guild', {
    permissions: list(ref('OverwriteInput'), limits.commandPermissionsMax),
  }),

  CommandIndex: object('The commands that a user may use in a place, in the language of the user', {
    applications: list(ref('IndexApplication')),
    application_commands: list(ref('Command')),
    version: { ...ref('Snowflake'), description: 'Equal exactly when all the rest is' },
  }),
  IndexApplication: object('An application that has commands in an index', {
    id: ref('Snowflake'),
    name: text(),
    icon: { type: 'null' },
    description: text(),
    bot: ref('User'),
  }),

  CommandChoice: object('A value to choose', { name: choiceName, value: choiceValue }, translated('name')),
};
