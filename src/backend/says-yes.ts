import { ArgumentError } from '../model/errors/errors.ts';

/**
 * Whether the game's function says yes to the value, as `Array.filter` understands it. A promise is rejected: it would be
 * yes for every value.
 *
 * @param name of the option, for the error
 * @throws ArgumentError `invalid_filter`
 */
export function saysYes<Value>(name: string, decide: (value: Value) => unknown, value: Value): boolean {
  const answer = decide(value);
  if (!isPromise(answer)) return Boolean(answer);
  answer.then(undefined, () => {
    // The error below is what the caller learns.
  });
  throw new ArgumentError('invalid_filter', `${name} must return a boolean, not a promise.`);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
