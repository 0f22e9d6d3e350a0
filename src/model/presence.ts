import type { ApplicationId, GuildId, Snowflake, UserId } from './snowflake.ts';

/** What a client says of its user. @see docs/spec/gateway.md#presence */
export interface PresenceUpdate {
  /** Since when the user is idle, in milliseconds since the Unix epoch. */
  since: number | null;
  activities: readonly Activity[];
  status: ClientStatus;
  afk: boolean;
}

/** `invisible` is shown to others as offline. */
export const clientStatuses = ['online', 'dnd', 'idle', 'invisible', 'offline'] as const;
export type ClientStatus = (typeof clientStatuses)[number];

/** A user's presence as others in a guild see it. @see docs/spec/gateway.md#events */
export interface Presence {
  user: { id: UserId };
  guild_id: GuildId;
  status: Exclude<ClientStatus, 'invisible'>;
  activities: readonly Activity[];
  /** Platform → status; empty when offline. */
  client_status: Readonly<Record<string, string>>;
}

/** 0 playing, 1 streaming, 2 listening, 3 watching, 4 custom, 5 competing. */
export const activityTypeMax = 5;

/** What a user is doing. @see docs/spec/gateway.md#presence */
export interface Activity {
  name: string;
  type: number;
  url?: string | null;
  /** Milliseconds since the Unix epoch, set by the service. */
  created_at?: number;
  timestamps?: { start?: number; end?: number };
  application_id?: ApplicationId;
  /** 0 name, 1 state, 2 details. */
  status_display_type?: number | null;
  details?: string | null;
  details_url?: string | null;
  state?: string | null;
  state_url?: string | null;
  emoji?: { name: string; id?: Snowflake; animated?: boolean } | null;
  party?: { id?: string; size?: readonly [current: number, max: number] };
  assets?: Readonly<Record<string, string>>;
  secrets?: { join?: string; spectate?: string; match?: string };
  instance?: boolean;
  flags?: number;
  buttons?: readonly { label: string; url: string }[];
}
