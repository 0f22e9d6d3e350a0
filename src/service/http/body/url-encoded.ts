import { Buffer } from 'node:buffer';
import { intakeLimits } from '../../support/service-limits.ts';

/** The fields of a URL-encoded form, in the order they were sent. */
export class FormFields {
  readonly #fields: readonly (readonly [name: string, value: string])[];

  constructor(fields: readonly (readonly [name: string, value: string])[] = []) {
    this.#fields = fields;
  }

  [Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    return this.#fields[Symbol.iterator]();
  }

  /** The first of that name. */
  get(name: string): string | null {
    return this.#fields.find(field => field[0] === name)?.[1] ?? null;
  }

  getAll(name: string): string[] {
    return this.#fields.filter(field => field[0] === name).map(field => field[1]);
  }
}

const { formFieldsMax } = intakeLimits;

/**
 * Reads `application/x-www-form-urlencoded`, in linear time; `URLSearchParams` of Node.js 24 and 26 takes quadratic
 * time.
 *
 * @returns undefined when there are more than `intakeLimits.formFieldsMax` fields
 */
export function parseForm(text: string): FormFields | undefined {
  const pairs = text.split('&', formFieldsMax + 1);
  return pairs.length > formFieldsMax ? undefined : new FormFields(readPairs(pairs));
}

/**
 * Reads a query as {@link parseForm} does a form; fields beyond `intakeLimits.formFieldsMax` are ignored.
 *
 * @param search from its `?` on, or empty
 */
export function parseQuery(search: string): URLSearchParams {
  const pairs = search.slice(1).split('&', formFieldsMax);
  return new URLSearchParams(readPairs(pairs) as [string, string][]);
}

function readPairs(pairs: readonly string[]): readonly (readonly [string, string])[] {
  return pairs.filter(pair => pair !== '').map(readPair);
}

function readPair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 0) return [decode(pair), ''];
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
}

/** Invalid escapes stay as they are; bytes that are not UTF-8 become U+FFFD. @see https://url.spec.whatwg.org/#percent-decode */
function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? spaced.replace(/(?:%[\da-f]{2})+/gi, decodeEscapes) : spaced;
}

function decodeEscapes(escapes: string): string {
  return Buffer.from(escapes.replaceAll('%', ''), 'hex').toString();
}
