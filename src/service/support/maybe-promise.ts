/** A value that a store or bus in this process returns directly, and a remote one asynchronously. Await it. */
export type MaybePromise<T> = T | Promise<T>;
