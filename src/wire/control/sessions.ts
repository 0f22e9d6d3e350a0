import type { PresenceUpdate } from '../../model/presence.ts';
import type { ApplicationId, UserId } from '../../model/snowflake.ts';
import type { ListPage, ListQuery } from './world.ts';

/** The query of `GET /control/sessions`: gateway sessions of this node. */
export interface SessionsQuery extends ListQuery {
  readonly user_id?: UserId;
}

export interface SessionsPage extends ListPage {
  readonly sessions: readonly SessionDetails[];
  /** The node whose sessions they are; null for a service on its own. */
  readonly node: string | null;
}

export interface SessionDetails {
  readonly id: string;
  /** `session` is a user's own client. */
  readonly kind: 'bot' | 'user' | 'session';
  readonly application_id: ApplicationId | null;
  readonly user_id: UserId;
  readonly username: string | null;
  /** Null: receives every event. */
  readonly intents: number | null;
  /** Names of the intents. */
  readonly intent_names: readonly string[];
  readonly shard: readonly [id: number, count: number] | null;
  readonly presence: PresenceUpdate | null;
  /** Number of its last event, and up to which number its client has acknowledged them. */
  readonly sequence: number;
  readonly acknowledged: number;
  /** The replay buffer. */
  readonly replay: {
    readonly events: number;
    readonly bytes: number;
    readonly events_max: number;
    readonly bytes_max: number;
  };
  /** The topics that it follows, at most 100, and how many there are. */
  readonly topics: readonly string[];
  readonly topic_count: number;
  /** Null: its client is gone and may resume it until then. */
  readonly connection: SessionConnection | null;
  readonly resumable_until_ms: number | null;
}

export interface SessionConnection {
  /** As in the traffic's entries. */
  readonly id: number;
  readonly opened_at_ms: number;
  readonly encoding: 'json' | 'etf';
  readonly compression: string | null;
  /** Bytes that wait for the client to read them. */
  readonly backlog_bytes: number;
  /** A fault froze it: nothing is sent or received any more. */
  readonly is_frozen: boolean;
}

/** `POST /control/sessions/{id}` `{"action":"drop"}`. @see SessionAction */
export interface SessionActionBody {
  readonly action: SessionAction;
  /** Only for `invalidate`: whether the client may resume. Default false: the session ends. */
  readonly resumable?: boolean;
}

/**
 * `drop` cuts the connection, `freeze` leaves it open and silent, `thaw` ends that (a client that has missed something is
 * asked to reconnect, and receives it when it resumes), `reconnect` asks the client to reconnect (op 7), `invalidate` sends an
 * invalid session (op 9), `end` ends the session.
 */
export type SessionAction = 'drop' | 'freeze' | 'thaw' | 'reconnect' | 'invalidate' | 'end';
