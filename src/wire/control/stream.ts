import type { LobbyId } from '../../model/snowflake.ts';
import type { LobbyDetails } from './lobbies.ts';
import type { ControlMetrics } from './metrics.ts';
import type { TrafficEntry, TrafficQuery } from './traffic.ts';

/**
 * The query of `GET /control/stream`: the filters of the traffic, and what is wanted. An event's `id` is what `after` continues from,
 * which the header `last-event-id` may carry as well.
 */
export interface StreamQuery extends Omit<TrafficQuery, 'before' | 'limit' | 'chain'> {
  /** Names of {@link StreamEvents}, separated by commas; default: all. */
  readonly events?: string;
  /** The lobby whose changes are sent. */
  readonly lobby?: LobbyId;
}

/** What changed, so that views that show it read it again. */
export type ControlArea =
  | 'applications'
  | 'users'
  | 'guilds'
  | 'lobbies'
  | 'commands'
  | 'permissions'
  | 'authorizations'
  /** Relationships, presences, settings and messages between users. */
  | 'social'
  | 'interactions'
  | 'sessions'
  | 'faults'
  | 'clock'
  | 'everything';

/** The events of the stream: name → data, as JSON. */
export interface StreamEvents {
  /** The first event. */
  readonly hello: {
    /** The node whose stream it is; null for a service on its own. */
    readonly node: string | null;
    /** Where the traffic stands. */
    readonly next: number;
    /** When the process started; another value after a reconnect means that numbers and ids began anew. */
    readonly started_at_ms: number;
    /** The samples of the last minutes, as far as there are any. */
    readonly metrics: readonly ControlMetrics[];
  };
  /** Every second. */
  readonly metrics: ControlMetrics;
  /** At most every 100 ms. */
  readonly traffic: { readonly entries: readonly TrafficEntry[]; readonly next: number };
  /** At once, and whenever something in the lobby changed: at most four times a second. Null: it has ended. */
  readonly lobby: { readonly lobby_id: LobbyId; readonly lobby: LobbyDetails | null };
  /** At most every 500 ms. */
  readonly changed: { readonly areas: readonly ControlArea[] };
  /** The reader was too slow, or asked for entries that are no longer kept: so many entries were left out. */
  readonly omitted: { readonly entries: number; readonly next: number };
}
export type StreamEventName = keyof StreamEvents;
