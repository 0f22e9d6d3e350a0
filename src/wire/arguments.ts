import { ArgumentError } from '../model/errors/errors.ts';

const articles = {
  boolean: 'a boolean',
  function: 'a function',
  object: 'an object',
  string: 'a string',
} as const;

/** For callers without TypeScript. @throws ArgumentError `invalid_argument` */
export function requireType(name: string, value: unknown, type: keyof typeof articles): void {
  if (typeof value === type && value !== null) return;
  throw wrong(name, articles[type], value);
}

/** @throws ArgumentError `invalid_argument` */
export function requireList(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw wrong(name, 'an array', value);
}

/** The options of a call, which may be left out. @throws ArgumentError `invalid_argument` */
export function parseOptions<Options extends object>(options: Options = {} as Options): Options {
  requireType('options', options, 'object');
  const { signal } = options as { readonly signal?: Partial<AbortSignal> };
  if (signal && !signal.addEventListener) throw wrong('signal', 'an AbortSignal', signal);
  return options;
}

function wrong(name: string, form: string, value: unknown): ArgumentError {
  return new ArgumentError('invalid_argument', `${name} must be ${form} (got ${formOf(value)}).`);
}

/** @throws ArgumentError `invalid_argument` when the value is no number, or less than `min`; undefined stands for the default */
export function requireNumber(name: string, value: number | undefined, min = Number.NEGATIVE_INFINITY): void {
  if (value === undefined || (typeof value === 'number' && value >= min)) return;
  const bound = Number.isFinite(min) ? ` of at least ${min}` : '';
  throw wrong(name, `a number${bound}`, value);
}

/** @throws ArgumentError `invalid_argument` when the value is none of the texts; undefined stands for the default */
export function requireChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw wrong(name, choices.join(' or '), value);
}

function formOf(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value);
  return typeof value === 'string' ? JSON.stringify(value) : typeof value;
}

// What a header can hold (RFC 9110, section 5.5), without spaces.
const headerSafe = /^[\x21-\x7E]+$/;

/** Whether a value can be sent as the credential of an Authorization header. */
export function isCredential(value: unknown): value is string {
  return typeof value === 'string' && headerSafe.test(value);
}

/**
 * @param type what the header says before the credential
 * @throws ArgumentError `invalid_credential`, which does not repeat the value
 */
export function requireCredential(name: string, value: unknown, type: 'Bearer' | 'Bot'): void {
  if (isCredential(value)) return;
  throw new ArgumentError(
    'invalid_credential',
    `${name} must be printable ASCII without spaces, and without "${type} " in front.`,
  );
}
