import type { RallypointError } from '../../model/errors/errors.ts';
import type { UserId } from '../../model/snowflake.ts';

/**
 * The state of a client's connection to the gateway.
 *
 * - `disconnected`: not connected, and not trying to be
 * - `connecting`: the first attempt is under way
 * - `connected`: the socket is open, the session is being opened
 * - `ready`: events flow, lobby state is current
 * - `reconnecting`: the connection was lost; lobby state is the last known one
 * - `disconnecting`: on the way to `disconnected` because the game disconnects, or nobody waits for the first attempt any more
 * - `http_wait`: as `reconnecting`, while the gateway's address cannot be fetched over HTTP. Unspecified: the sources name
 *   the status but not its meaning
 *
 * @see docs/spec/client.md#statuses
 */
export type ConnectionStatus =
  | 'disconnected'
  | 'connecting'
  | 'connected'
  | 'ready'
  | 'reconnecting'
  | 'disconnecting'
  | 'http_wait';

/** Frozen. */
export interface ConnectionSnapshot {
  readonly status: ConnectionStatus;
  /** Why the connection is not up; absent when nothing went wrong. */
  readonly error?: RallypointError;
  /** The code with which the gateway closed the last connection; absent when it did not. @see docs/spec/gateway.md#close-codes */
  readonly closeCode?: number;
  /** When the next attempt begins, or began, in milliseconds since the Unix epoch; until its socket is open. */
  readonly retryAtMs?: number;
  /** Whose session it is; in `ready`. */
  readonly userId?: UserId;
}

export function isSameConnection(a: ConnectionSnapshot, b: ConnectionSnapshot): boolean {
  const keys: readonly (keyof ConnectionSnapshot)[] = ['status', 'error', 'closeCode', 'retryAtMs', 'userId'];
  return keys.every(key => a[key] === b[key]);
}
