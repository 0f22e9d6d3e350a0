/**
 * One fault the rulebook found.
 *
 * `path` leads from the request body to the fault, array indices as decimal text (`['options', '0', 'name']`); an
 * empty path means the body as a whole. Keys stay apart because a dictionary key may itself contain a dot.
 */
export interface Issue {
  readonly path: readonly string[];
  /** From `fieldErrors` or, from another service, whatever it said. */
  readonly code: string;
  /** For people. */
  readonly message: string;
}

/**
 * Codes of what the rules find in bodies of any kind, and their wording, one row each. Those of commands, components and interactions
 * are in field-errors.ts, so that a client, which checks none of them, does not carry them.
 *
 * @see docs/spec/errors.md#field-error-codes
 */
export const commonFieldErrors = {
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
  DATE_TIME_TYPE_PARSE: (value: string) => `Could not parse ${shorten(value)}. Should be ISO8601.`,
  USERNAME_INVALID_CONTAINS: (part: string) => `Username cannot contain "${part}"`,
  // Unspecified, from here: the hosted service's texts for these faults are unknown.
  IMAGE_INVALID: () => 'Must be a JPEG, PNG, GIF or WebP picture as a data URI in base64.',
  LIST_ITEM_DUPLICATE: () => 'List items must be unique',
  USERNAME_RESERVED: (name: string) => `Username cannot be "${name}"`,
  URL_TYPE_INVALID_SCHEME: () => "Scheme must be one of ('http', 'https').",
  URL_TYPE_INVALID_URL: () => 'Not a well formed URL.',
} as const;

export type CommonFieldErrorCode = keyof typeof commonFieldErrors;

function tuple(choices: readonly (string | number)[]): string {
  return `(${choices.join(', ')})`;
}

/** A value of the caller's, as much of it as a message can show. */
export function shorten(value: unknown): string {
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

/**
 * Lays issues out as the interface's `errors` tree: keys and indices outside, `_errors` lists at the leaves.
 *
 * A level has either `_errors` or fields, because readers such as `@discordjs/rest` ignore fields beside `_errors`. So a fault of an object
 * or list as a whole is omitted while something in it has faults.
 */
export function issuesToTree(issues: readonly Issue[]): ErrorTree {
  const root = branch();
  for (const { path, code, message } of issues) {
    let node = root;
    for (const key of path) {
      if (key === leaf) break; // a dictionary key of that name is reported at its dictionary
      delete node[leaf];
      node[key] ??= branch();
      node = node[key] as ErrorTree;
    }
    if (Object.keys(node).some(key => key !== leaf)) continue;
    const list = (node[leaf] ?? []) as { code: string; message: string }[];
    list.push({ code, message });
    node[leaf] = list;
  }
  return root;
}

/** Reads an `errors` tree back into issues; parts with another shape are ignored, and what follows {@link treeTextMax}. */
export function treeToIssues(tree: unknown): Issue[] {
  const issues: Issue[] = [];
  let left = treeTextMax;
  const read = (part: unknown, path: readonly string[]): void => {
    if (typeof part !== 'object' || part === null || path.length > maxDepth) return;
    for (const [key, value] of Object.entries(part)) {
      left -= 1;
      if (left < 0) return;
      if (key !== leaf || !Array.isArray(value)) {
        read(value, [...path, key]);
        continue;
      }
      const pathLength = formatPath(path).length;
      for (const item of value) {
        const issue = { path, code: textOf(item?.code), message: textOf(item?.message) };
        left -= 1 + pathLength + issue.code.length + issue.message.length;
        if (left < 0) return;
        issues.push(issue);
      }
    }
  };
  read(tree, []);
  return issues;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

// An answer nests as deep as a command does (some ten levels); a hostile one must not exhaust the stack.
const maxDepth = 64;

/** How many characters the issues of an answer have together: enough for thousands, and little for a message or a log. */
export const treeTextMax = 256 * 1024;

// Without a prototype a path step named `__proto__` is a key like any other.
function branch(): ErrorTree {
  return Object.create(null) as ErrorTree;
}
