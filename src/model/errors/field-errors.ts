import { commonFieldErrors, shorten } from './issue.ts';

/**
 * Codes of what the rules find, and their wording, one row each. Services have more, for what only they can know.
 *
 * @see docs/spec/errors.md#field-error-codes
 */
export const fieldErrors = {
  ...commonFieldErrors,
  APPLICATION_COMMAND_INVALID_NAME: () => 'Command name is invalid',
  APPLICATION_COMMANDS_DUPLICATE_NAME: () => 'Application command names must be unique',
  APPLICATION_COMMAND_OPTIONS_NAME_INVALID: (name: string) =>
    `Option name ${shorten(name)} is already used in these options`,
  APPLICATION_COMMAND_OPTIONS_TYPE_INVALID: () =>
    'Sub-command and sub-command group option types are mutually exclusive to all other types',
  APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID: () => 'Required options must be placed before non-required options',
  APPLICATION_COMMAND_REQUIRED_INVALID: () => 'Required cannot be configured for this type of option',
  APPLICATION_COMMAND_TOO_LARGE: (max: number) => `Command exceeds maximum size (${max})`,
  APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID: () => 'Context menu commands cannot have description',
  APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID: () => 'Context menu commands cannot have options',
  BUTTON_COMPONENT_CUSTOM_ID_REQUIRED: () => 'A custom id is required',
  BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE: () => 'A custom id and url cannot both be specified',
  COMPONENT_CUSTOM_ID_DUPLICATED: () => 'Component custom id cannot be duplicated',
  COMPONENT_LAYOUT_WIDTH_EXCEEDED: () => 'The specified component exceeds the maximum width',
  COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED: (max: number) => `The total number of components must not exceed ${max}`,
  MAX_EMBED_SIZE_EXCEEDED: (max: number) => `Embed size exceeds maximum size of ${max}`,
  MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2: (field: string) =>
    `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
  SELECT_COMPONENT_OPTION_VALUE_DUPLICATED: () => 'The specified option value is already used',
  SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES: () =>
    'The specified number of default values exceeds the specified maximum values',
  // Unspecified, from here: the hosted service's texts for these faults are unknown.
  APPLICATION_COMMANDS_DUPLICATE_ID: () => 'Application command ids must be unique',
  APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED: () =>
    'Entry point commands and their handler are for applications that have an Activity',
  APPLICATION_COMMAND_ENTRY_POINT_GUILD_INVALID: () => 'Entry point commands can only be global',
  APPLICATION_COMMAND_HANDLER_INVALID: () => 'Handler can only be configured for entry point commands',
  APPLICATION_COMMAND_NSFW_INVALID: () => 'Applications with discovery enabled cannot have age-restricted commands',
  APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID: () => 'Autocomplete cannot be enabled for an option with choices',
  APPLICATION_COMMAND_OPTION_FIELD_INVALID: (field: string) =>
    `"${field}" cannot be configured for this type of option`,
  APPLICATION_COMMAND_OPTION_RANGE_INVALID: () => 'The maximum must not be less than the minimum',
  COMPONENT_FIELD_INVALID: (field: string) => `"${field}" cannot be configured for this component here`,
  COMPONENT_ID_DUPLICATED: () => 'Component ids must be unique',
  COMPONENT_INPUT_MISSING: (customId: string) => `The required component "${shorten(customId)}" is not filled in`,
  COMPONENT_INPUT_UNKNOWN: (customId: string) => `There is no component "${shorten(customId)}" here`,
  COMPONENT_RANGE_INVALID: () => 'The maximum must not be less than the minimum',
  INTERACTION_APPLICATION_COMMAND_OPTION_FOCUS: () => 'Exactly one option that has autocomplete must have the focus',
  INTERACTION_APPLICATION_COMMAND_OPTION_MISSING: (name: string) => `The required option "${shorten(name)}" is missing`,
  INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN: (name: string) => `There is no option "${shorten(name)}" here`,
  INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED: () => 'Exactly one subcommand must be given here',
  UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND: (name: string) =>
    `The message has no attachment "${shorten(name)}"`,
} as const;

export type FieldErrorCode = keyof typeof fieldErrors;
