/** A value that a store or bus in this process has at hand, and that one elsewhere delivers later. */
export type MaybePromise<T> = T | Promise<T>;

/*
 * Steps over what a store or bus in this process answers at once, and one elsewhere later: waiting for what is there
 * already would cost as much as a small step itself.
 */

/** Goes on with a value: at once when it is there. */
export function andThen<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All values: at once when all are there. */
export function all<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.every(isThere) ? values : Promise.all(values);
}

function isThere<T>(value: MaybePromise<T>): value is T {
  return !(value instanceof Promise);
}
