import type { ApplicationId, GuildId, Snowflake, UserId } from './snowflake.ts';
import type { User } from './user.ts';

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

/** A user's presence as others in a guild, and friends, see it. @see docs/spec/gateway.md#events; docs/spec/social.md#presence */
export interface Presence {
  /** More than the id when the user's name has changed. */
  user: { id: UserId } & Partial<User>;
  /** Absent in the presence of a friend. */
  guild_id?: GuildId;
  status: Exclude<ClientStatus, 'invisible'>;
  activities: readonly Activity[];
  /** Platform → status; empty when offline. */
  client_status: Readonly<Record<string, string>>;
  /** What the user does not show to others, for somebody who was invited and has subscribed to it. */
  hidden_activities?: readonly Activity[];
  /** For sessions of games: whether the user has authorized this application. */
  has_played_game?: boolean;
}

/** A presence in a list whose users are listed apart. */
export type ListedPresence = Omit<Presence, 'user'> & { user_id: UserId };

/** What kind of program a session is of. */
export interface ClientInfo {
  /** `desktop`, `mobile`, `web`, `embedded` or `vr`; `unknown` for the session `all`. */
  client: string;
  os: string;
  version: number;
}

/** One of a user's own sessions; the one with the id `all` is what others see. @see docs/spec/social.md#sessions */
export interface OwnSession {
  session_id: string;
  client_info: ClientInfo;
  status: ClientStatus;
  activities: readonly Activity[];
  hidden_activities: readonly Activity[];
  active?: boolean;
}

/** What a user has set for the social layer. @see docs/spec/social.md#settings */
export interface SocialSettings {
  status: ClientStatus;
  custom_status: {
    text: string | null;
    emoji_id?: Snowflake | null;
    emoji_name?: string | null;
    expires_at?: string | null;
  } | null;
  show_current_game: boolean;
  allow_activity_party_privacy_friends: boolean;
  allow_activity_party_privacy_voice_channel: boolean;
  /** 0 unset and 1: from everybody; 2: from users with the game; 3: from nobody. */
  slayer_sdk_receive_dms_in_game: 0 | 1 | 2 | 3;
  allow_game_friend_dms_in_discord: boolean;
}

/** 0 playing, 1 streaming, 2 listening, 3 watching, 4 custom, 5 competing. */
export const activityTypeMax = 5;

/** What a user is doing. @see docs/spec/gateway.md#presence; docs/spec/social.md#activity */
export interface Activity {
  /** Set by the service, unique among the user's. */
  id?: string;
  name: string;
  type: number;
  url?: string | null;
  /** Milliseconds since the Unix epoch, set by the service. */
  created_at?: number;
  /** The user's session that has it, set by the service. */
  session_id?: string;
  timestamps?: { start?: number; end?: number };
  application_id?: ApplicationId;
  parent_application_id?: ApplicationId;
  /** 0 name, 1 state, 2 details. */
  status_display_type?: number | null;
  details?: string | null;
  details_url?: string | null;
  state?: string | null;
  state_url?: string | null;
  emoji?: { name: string; id?: Snowflake; animated?: boolean } | null;
  /** `privacy` (0 private, 1 public) is only ever sent. */
  party?: { id?: string; size?: readonly [current: number, max: number]; privacy?: 0 | 1 };
  assets?: Readonly<Record<string, string>>;
  /** Only ever sent. */
  secrets?: { join?: string; spectate?: string; match?: string };
  instance?: boolean;
  flags?: number;
  /** Others receive only the labels. */
  buttons?: readonly ({ label: string; url: string } | string)[];
  supported_platforms?: readonly string[];
  /** Of a session without a connection. */
  platform?: string;
  /** Only ever sent: the addresses of buttons that are given as labels. */
  metadata?: { button_urls?: readonly string[] };
}

/** Bits of an activity's `flags`. @see docs/spec/social.md#activity */
export const activityFlags = {
  INSTANCE: 1 << 0,
  /** Others can ask for its join secret by an invite. */
  JOIN: 1 << 1,
  PLAY: 1 << 5,
  PARTY_PRIVACY_FRIENDS: 1 << 6,
  PARTY_PRIVACY_VOICE_CHANNEL: 1 << 7,
  EMBEDDED: 1 << 8,
  CONTEXTLESS: 1 << 9,
} as const;
