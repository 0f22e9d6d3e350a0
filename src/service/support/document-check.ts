import type { Issue } from '../../model/errors/issue.ts';
import { isSnowflake } from '../../model/snowflake.ts';

/** Checks a value and adds what is wrong with it to `issues`. Only {@link object} checks for `undefined`. */
export type Check = (value: unknown, path: readonly string[], issues: Issue[]) => void;

/** Issues of documents that people write by hand, with their messages. */
export const documentErrors = {
  wrong_type: (wanted: string) => `must be ${wanted}`,
  bad_length: (min: number, max: number) => `must have ${min} to ${max} characters`,
  too_many: (max: number) => `must have at most ${max} entries`,
  out_of_range: (min: number, max: number) => `must be a whole number from ${min} to ${max}`,
  not_a_choice: (choices: readonly unknown[]) =>
    `must be one of ${choices.map(choice => JSON.stringify(choice)).join(', ')}`,
  unreadable: (wanted: string) => `must be ${wanted}`,
  required: () => 'is required',
  unknown_key: (known: readonly string[]) => `is not a known key; known are ${known.join(', ')}`,
  duplicate: (what: string) => `${what} is already in the document`,
  taken: (what: string) => `${what} already belongs to another record`,
  other_version: (read: number, found: unknown) =>
    `is ${JSON.stringify(found)?.slice(0, 20)}; this service reads version ${read}, so take it with a release that writes that`,
  unknown_reference: (what: string) => `names no ${what} that is in the document or in the service`,
} as const;

export type DocumentErrorCode = keyof typeof documentErrors;

/** `issue('duplicate', path, 'id 5')`: an issue with the wording of its code. */
export function issue<Code extends DocumentErrorCode>(
  code: Code,
  path: readonly string[],
  ...details: Parameters<(typeof documentErrors)[Code]>
): Issue {
  const word = documentErrors[code] as (...details: readonly unknown[]) => string;
  return { path, code, message: word(...details) };
}

/** All issues of `value`. */
export function check(value: unknown, by: Check): Issue[] {
  const issues: Issue[] = [];
  by(value, [], issues);
  return issues;
}

/** A plain object with no keys but those of `fields`; all may be absent save those in `required`. */
export function object(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const known = new Map(Object.entries(fields));
  return (value, path, issues) => {
    if (!isPlainObject(value)) {
      issues.push(issue('wrong_type', path, 'an object'));
      return;
    }
    for (const key of required) {
      if (value[key] === undefined) issues.push(issue('required', [...path, key]));
    }
    for (const [key, field] of Object.entries(value)) {
      const by = known.get(key);
      if (!by) issues.push(issue('unknown_key', [...path, key], [...known.keys()]));
      else if (field !== undefined) by(field, [...path, key], issues);
    }
  };
}

export function list(item: Check, max: number): Check {
  return (value, path, issues) => {
    if (!Array.isArray(value)) issues.push(issue('wrong_type', path, 'a list'));
    else if (value.length > max) issues.push(issue('too_many', path, max));
    else for (const [index, entry] of value.entries()) item(entry, [...path, String(index)], issues);
  };
}

export function nullable(by: Check): Check {
  return (value, path, issues) => {
    if (value !== null) by(value, path, issues);
  };
}

/** Well-formed text of `min` to `max` characters (code points). */
export function text(min: number, max: number): Check {
  return (value, path, issues) => {
    if (typeof value !== 'string') issues.push(issue('wrong_type', path, 'text'));
    else if (!value.isWellFormed()) issues.push(issue('unreadable', path, 'well-formed text, without lone surrogates'));
    else if (!hasLength(value, min, max)) issues.push(issue('bad_length', path, min, max));
  };
}

/** Text that `test` accepts; `wanted` completes "must be …". */
export function textThat(test: (value: string) => boolean, wanted: string): Check {
  return (value, path, issues) => {
    if (typeof value !== 'string' || !test(value)) issues.push(issue('unreadable', path, wanted));
  };
}

export function whole(min: number, max: number): Check {
  return (value, path, issues) => {
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return;
    issues.push(issue('out_of_range', path, min, max));
  };
}

export function oneOf(choices: readonly unknown[]): Check {
  return (value, path, issues) => {
    if (!choices.includes(value)) issues.push(issue('not_a_choice', path, choices));
  };
}

export const flag: Check = (value, path, issues) => {
  if (typeof value !== 'boolean') issues.push(issue('wrong_type', path, 'true or false'));
};

/** Ids are text because a JSON number loses their last digits. Zero is not an id. */
export const id: Check = textThat(
  value => isSnowflake(value) && value !== '0',
  'an id: decimal text, from "1" to 2^63 - 1',
);

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasLength(value: string, min: number, max: number): boolean {
  // A text has at most as many code points as code units, so a text that is far too long is not counted.
  if (value.length > 2 * max) return false;
  const { length } = [...value];
  return length >= min && length <= max;
}
