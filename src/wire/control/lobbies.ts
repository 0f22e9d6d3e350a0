import type { Metadata } from '../../model/lobby.ts';
import type { LobbyMessage } from '../../model/lobby-message.ts';
import type { ApplicationId, ChannelId, GuildId, LobbyId, UserId } from '../../model/snowflake.ts';
import type { ListPage, ListQuery } from './world.ts';

/**
 * The query of `GET /control/lobbies`. `search` looks in the lobby's id, its metadata and the ids of its members; `user_id` lists the
 * lobbies of a member by an index when `application_id` is given as well.
 */
export interface LobbiesQuery extends ListQuery {
  readonly user_id?: UserId;
}

export interface LobbiesPage extends ListPage {
  /** How many lobbies there are; null when the engine cannot tell cheaply. */
  readonly total: number | null;
  readonly lobbies: readonly LobbySummary[];
}

export interface LobbySummary {
  readonly id: LobbyId;
  readonly application_id: ApplicationId;
  readonly metadata: Metadata | null;
  readonly flags: number;
  readonly member_count: number;
  /** When it ends if no member is connected then; null while a channel is linked. */
  readonly expires_at_ms: number | null;
  readonly idle_timeout_seconds: number;
  readonly linked_channel_id: ChannelId | null;
  /** How many messages were ever sent to it. */
  readonly message_count: number;
}

/** `GET /control/lobbies/{id}` */
export interface LobbyDetails extends LobbySummary {
  /** When it was created, as its id says. */
  readonly created_at_ms: number;
  /** Rises with every change. */
  readonly revision: number;
  readonly override_event_webhooks_url: string | null;
  /** A client made it by a secret, which leads to it until then; null: a server made it. */
  readonly secret_expires_at_ms: number | null;
  readonly connected_count: number;
  readonly link: LobbyLinkDetails | null;
  /** The first 1000, in the order of their ids as text. */
  readonly members: readonly LobbyMemberDetails[];
  /** The members in the lobby's call. */
  readonly call: readonly LobbyCallMember[];
  /** The last 50, the newest last. */
  readonly messages: readonly LobbyMessage[];
  /** Invites to the guild of the linked channel that were not used yet, at most 100. Their codes are masked. */
  readonly invites: readonly LobbyInviteDetails[];
  readonly timers: readonly LobbyTimer[];
}

export interface LobbyLinkDetails {
  readonly guild_id: GuildId;
  readonly channel_id: ChannelId;
  readonly guild_name: string | null;
  readonly channel_name: string | null;
  readonly linked_by: UserId;
  readonly linked_at_ms: number;
}

export interface LobbyMemberDetails {
  readonly id: UserId;
  readonly username: string | null;
  readonly global_name: string | null;
  readonly metadata: Metadata | null;
  readonly flags: number;
  readonly additional_name: string | null;
  /** Whether a live session of the user is attached to the lobby. */
  readonly connected: boolean;
}

export interface LobbyCallMember {
  readonly user_id: UserId;
  readonly self_mute: boolean;
  readonly self_deaf: boolean;
  readonly self_video: boolean;
}

export interface LobbyInviteDetails {
  readonly user_id: UserId;
  readonly guild_id: GuildId;
  readonly channel_id: ChannelId;
  readonly expires_at_ms: number;
}

/** Something that happens to the lobby by itself, on the service's clock. */
export interface LobbyTimer {
  readonly kind: 'idle_end' | 'secret_expiry' | 'invite_expiry';
  readonly at_ms: number;
  /** False while it is held off: a lobby with a connected member does not end. */
  readonly is_running: boolean;
}
