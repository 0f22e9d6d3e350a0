/** Options of every call. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of an operation. */
export interface OperationOptions extends RequestOptions {
  /**
   * How long the operation may take, with all its waits and attempts, in milliseconds. Default: that of the client, which is
   * {@link deadlineMsDefault} by default. Zero or less: the deadline has passed, and nothing is sent; `Infinity`: none.
   */
  readonly deadlineMs?: number | undefined;
  /** What it does while the client is not ready. Default: that of the client, which is `fail` by default. */
  readonly whenOffline?: WhenOffline | undefined;
  /** Called whenever the operation begins to wait, and with undefined when it continues or ends. */
  readonly onWait?: ((wait: WaitSnapshot | undefined) => void) | undefined;
}

/**
 * What an operation does while the client is not ready: `fail` rejects immediately with `client_not_ready`, `queue` waits
 * for the next session, within the deadline; operations that wait continue in the order of the calls.
 */
export type WhenOffline = 'fail' | 'queue';

/**
 * Why an operation waits.
 *
 * - `offline`: for the client to be ready
 * - `order`: for an earlier message to the same lobby, which must arrive first
 * - `rate_limit`: for a limit of the service
 * - `retry`: for the next attempt after a failure
 */
export type WaitReason = 'offline' | 'order' | 'rate_limit' | 'retry';

/** An operation that waits. Frozen. */
export interface WaitSnapshot {
  /** The method's name, for example `send` or `call.join`. */
  readonly operation: string;
  readonly reason: WaitReason;
  /** In milliseconds since the Unix epoch, as is the next. */
  readonly sinceMs: number;
  /** When the wait is over at the earliest; undefined when that is unknown. */
  readonly untilMs: number | undefined;
}
