/** What ends a call early. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What a game may say about any one operation. */
export interface OperationOptions extends RequestOptions {
  /**
   * How long the operation may take, with all its waits and repetitions. Default: the client's, which is
   * {@link deadlineMsDefault} unless it was told otherwise. Zero or less: it has passed, and nothing is sent; `Infinity`:
   * there is none.
   */
  readonly deadlineMs?: number | undefined;
  /** What becomes of it while the client is not ready. Default: the client's, which is `fail` unless told otherwise. */
  readonly whenOffline?: WhenOffline | undefined;
  /** Is told whenever the operation begins to wait, and with undefined when it goes on or ends. */
  readonly onWait?: ((wait: WaitSnapshot | undefined) => void) | undefined;
}

/**
 * What becomes of an operation while the client is not ready: `fail` rejects it at once with `client_not_ready`, `queue`
 * lets it wait for the next session, within its deadline; those that wait go in the order they came.
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
  /** The method's name, for example `sendLobbyMessage`. */
  readonly operation: string;
  readonly reason: WaitReason;
  /** In milliseconds since the Unix epoch, as is the next. */
  readonly sinceMs: number;
  /** When the wait is over at the earliest; undefined when nobody knows. */
  readonly untilMs: number | undefined;
}
