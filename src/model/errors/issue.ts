/**
 * One fault the rulebook found.
 *
 * `path` leads from the request body to the fault, array indices as decimal text (`['options', '0', 'name']`); an
 * empty path means the body as a whole. Keys stay apart because a dictionary key may itself contain a dot.
 */
export interface Issue {
  readonly path: readonly string[];
  /** From {@link fieldErrors} or, from another service, whatever it said. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/**
 * Codes of what the rules find, and their wording, one row each. Services have more, for what only they can know.
 *
 * @see docs/spec/errors.md#field-error-codes
 */
export const fieldErrors = {
  BASE_TYPE_REQUIRED: () => 'This field is required',
  BASE_TYPE_BAD_LENGTH: (min: number, max: number) => `Must be between ${min} and ${max} in length.`,
  BASE_TYPE_MAX_LENGTH: (max: number) => `Must be ${max} or fewer in length.`,
  BASE_TYPE_MIN_LENGTH: (min: number) => `Must be ${min} or more in length.`,
  BASE_TYPE_CHOICES: (choices: readonly (string | number)[]) => `Value must be one of ${tuple(choices)}.`,
  BOOLEAN_TYPE_CONVERT: () => 'Must be either true or false.',
  DICT_TYPE_CONVERT: () => 'Only dictionaries may be used in a DictType',
  LIST_TYPE_CONVERT: () => 'Only iterables may be used in a ListType',
  LIST_ITEM_VALUE_REQUIRED: () => 'List item values of ModelType are required',
  MODEL_TYPE_CONVERT: () => 'Only dictionaries may be used in a ModelType',
  NUMBER_TYPE_COERCE: (value: unknown, type: 'int' | 'float' | 'snowflake') =>
    `Value "${shorten(value)}" is not ${type}.`,
  NUMBER_TYPE_MAX: (max: number | bigint, type = 'int') => `${type} value should be less than or equal to ${max}.`,
  NUMBER_TYPE_MIN: (min: number | bigint, type = 'int') => `${type} value should be greater than or equal to ${min}.`,
  STRING_TYPE_CONVERT: () => 'Could not interpret value as string.',
  STRING_TYPE_REGEX: () => 'String value did not match validation regex.',
  UNION_TYPE_CHOICES: (choices: readonly number[]) => `Value of field "type" must be one of ${tuple(choices)}.`,
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
  MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2: (field: string) =>
    `The '${field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
  SELECT_COMPONENT_OPTION_VALUE_DUPLICATED: () => 'The specified option value is already used',
  SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES: () =>
    'The specified number of default values exceeds the specified maximum values',
  DATE_TIME_TYPE_PARSE: (value: string) => `Could not parse ${shorten(value)}. Should be ISO8601.`,
  USERNAME_INVALID_CONTAINS: (part: string) => `Username cannot contain "${part}"`,
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
  IMAGE_INVALID: () => 'Must be a JPEG, PNG, GIF or WebP picture as a data URI in base64.',
  LIST_ITEM_DUPLICATE: () => 'List items must be unique',
  USERNAME_RESERVED: (name: string) => `Username cannot be "${name}"`,
  URL_TYPE_INVALID_SCHEME: () => "Scheme must be one of ('http', 'https').",
  URL_TYPE_INVALID_URL: () => 'Not a well formed URL.',
  INTERACTION_APPLICATION_COMMAND_OPTION_FOCUS: () => 'Exactly one option that has autocomplete must have the focus',
  INTERACTION_APPLICATION_COMMAND_OPTION_MISSING: (name: string) => `The required option "${shorten(name)}" is missing`,
  INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN: (name: string) => `There is no option "${shorten(name)}" here`,
  INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED: () => 'Exactly one subcommand must be given here',
} as const;

export type FieldErrorCode = keyof typeof fieldErrors;

function tuple(choices: readonly (string | number)[]): string {
  return choices.length === 1 ? `(${choices[0]},)` : `(${choices.join(', ')})`;
}

function shorten(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}';
  const text = String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** `options[0].name: …` lines, one an issue. */
export function formatIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, code, message }) => `  ${formatPath(path)}: ${message} (${code})`).join('\n');
}

/** `options.0.name`, or `(body)` for the body as a whole. */
export function formatPath(path: readonly string[]): string {
  return path.length === 0 ? '(body)' : path.join('.');
}

/** Leaves of the interface's nested error body. */
export interface ErrorTree {
  [key: string]: ErrorTree | readonly { readonly code: string; readonly message: string }[];
}

const leaf = '_errors';

/** Lays issues out as the interface's `errors` tree: keys and indices outside, `_errors` lists at the leaves. */
export function issuesToTree(issues: readonly Issue[]): ErrorTree {
  const root = branch();
  for (const { path, code, message } of issues) {
    let node = root;
    for (const key of path) {
      if (key === leaf) break; // a dictionary key of that name is reported at its dictionary
      node[key] ??= branch();
      node = node[key] as ErrorTree;
    }
    const list = (node[leaf] ?? []) as { code: string; message: string }[];
    list.push({ code, message });
    node[leaf] = list;
  }
  return root;
}

/** Reads an `errors` tree back into issues; parts with another shape are ignored. */
export function treeToIssues(tree: unknown, path: readonly string[] = []): Issue[] {
  if (typeof tree !== 'object' || tree === null || path.length > maxDepth) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    if (key !== leaf || !Array.isArray(value)) return treeToIssues(value, [...path, key]);
    return value.map(item => ({ path, code: textOf(item?.code), message: textOf(item?.message) }));
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

// An answer nests as deep as a command does (some ten levels); a hostile one must not exhaust the stack.
const maxDepth = 64;

// Without a prototype a path step named `__proto__` is a key like any other.
function branch(): ErrorTree {
  return Object.create(null) as ErrorTree;
}
