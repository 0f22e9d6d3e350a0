/** A value that a store or bus in this process returns directly, and a remote one asynchronously. */
export type MaybePromise<T> = T | Promise<T>;

/*
 * Steps that continue synchronously if the value is not a promise: awaiting a value that is there already would cost as much CPU as a
 * small step itself.
 */

/** Passes a value to `next`, synchronously unless it is a promise. */
export function andThen<A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All values, synchronously unless one is a promise. */
export function all<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.every(isThere) ? values : Promise.all(values);
}

/** Two values, as {@link all}. */
export function both<A, B>(a: MaybePromise<A>, b: MaybePromise<B>): MaybePromise<readonly [A, B]> {
  return a instanceof Promise || b instanceof Promise ? Promise.all([a, b]) : [a, b];
}

function isThere<T>(value: MaybePromise<T>): value is T {
  return !(value instanceof Promise);
}
