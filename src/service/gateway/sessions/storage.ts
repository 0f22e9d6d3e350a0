import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { Session } from './session.ts';

/** The store scope of everything that is written about one session. */
export function sessionScope(id: string): string {
  return `gateway/${id}`;
}

/** Stores sessions, so that they outlive their process. */
export interface SessionStorage {
  /** Stores a session that begins, before anybody is notified of it. */
  add(session: Session): MaybePromise<void>;
  /** Stores a change of the session. */
  put(session: Session): void;
  /** The session has stopped holding events: once this returns or, for a promise, resolves, it can be resumed. */
  settled(session: Session): MaybePromise<void>;
  /**
   * The session has ended: from now on it cannot be resumed.
   *
   * @returns false when it is no longer this node's; then nobody is to be notified, and nothing is left to delete
   */
  close(session: Session): MaybePromise<boolean>;
  /** Everybody has been notified of the end. */
  delete(session: Session): MaybePromise<void>;
  /** Deletes everything that is left when all sessions have ended. */
  clear(): Promise<void>;
  /** Stops writing periodically. The sessions stay stored. */
  stop(): Promise<void>;
}
