import { ArgumentError } from '../model/errors/errors.ts';

const articles = { boolean: 'a boolean', function: 'a function', object: 'an object', string: 'a string' } as const;

/** For callers without TypeScript. @throws ArgumentError `invalid_argument` */
export function requireType(name: string, value: unknown, type: keyof typeof articles): void {
  if (typeof value === type && value !== null) return;
  throw new ArgumentError('invalid_argument', `${name} must be ${articles[type]} (got ${formOf(value)}).`);
}

/** @throws ArgumentError `invalid_argument` when the value is no number, or less than `min`; undefined stands for the default */
export function requireNumber(name: string, value: number | undefined, min = Number.NEGATIVE_INFINITY): void {
  if (value === undefined || (typeof value === 'number' && value >= min)) return;
  const bound = Number.isFinite(min) ? ` of at least ${min}` : '';
  throw new ArgumentError(
    'invalid_argument',
    `${name} must be a number${bound} (got ${typeof value === 'number' ? value : formOf(value)}).`,
  );
}

/** @throws ArgumentError `invalid_argument` when the value is none of the texts; undefined stands for the default */
export function requireChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw new ArgumentError('invalid_argument', `${name} must be ${choices.join(' or ')} (got ${formOf(value)}).`);
}

function formOf(value: unknown): string {
  return value === null ? 'null' : typeof value === 'string' ? JSON.stringify(value) : typeof value;
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
