import type { Channel } from '../../../model/guild.ts';
import type { Metadata } from '../../../model/lobby.ts';
import type { LobbyMessage } from '../../../model/lobby-message.ts';
import type { ApplicationId, ChannelId, GuildId, LobbyId, MessageId, UserId } from '../../../model/snowflake.ts';

export interface LobbyRecord {
  id: LobbyId;
  application_id: ApplicationId;
  metadata: Metadata | null;
  flags: number;
  idle_timeout_seconds: number;
  override_event_webhooks_url: string | null;
  /** How many members it has, so that adding one need not count the others. */
  member_count: number;
  /** SHA-256 of the secret that clients join it by; null: a server made it. */
  secret_hash: string | null;
  /** When the secret no longer leads to it; null without one. */
  secret_expires_at_ms: number | null;
  /** The channel that is linked to it, and its guild; null: none. No two lobbies have the same. */
  linked_guild_id: GuildId | null;
  linked_channel_id: ChannelId | null;
  /** Who linked it, when, and the channel as it was then. */
  link: { readonly by: UserId; readonly at_ms: number; readonly channel: Channel } | null;
  /** How many messages were ever sent to it. */
  message_count: number;
  /** When the lobby ends if no member is connected then; null while a channel is linked: then it does not end. */
  expires_at_ms: number | null;
  /**
   * Whether a member was connected at the last check. A lobby that is due while this is true, and that no member is connected to, has
   * lost its members together with a service that ended, and is given its time once more.
   */
  attended: boolean;
}

export interface LobbyMemberRecord {
  lobby_id: LobbyId;
  user_id: UserId;
  application_id: ApplicationId;
  metadata: Metadata | null;
  flags: number;
  additional_name: string | null;
  /** The member's part in the lobby's call, and the gateway session that it belongs to; both null without one. */
  voice: LobbyVoice | null;
  voice_session_id: string | null;
}

/** How a member is in a call. */
export interface LobbyVoice {
  readonly self_mute: boolean;
  readonly self_deaf: boolean;
  readonly self_video: boolean;
}

/** A message of a lobby, in the order of sending. Those too old or too many to be shown go as others are sent. */
export interface LobbyMessageRecord {
  lobby_id: LobbyId;
  /** The time its id carries: it rises with the id, whose text does not. */
  sent_at_ms: number;
  id: MessageId;
  /** 1 for the lobby's first message, and so on. */
  number: number;
  /** As HTTP answers show it. */
  message: LobbyMessage;
}

/** An invite to the guild of a lobby's linked channel: for one user, once. */
export interface LobbyInviteRecord {
  code: string;
  application_id: ApplicationId;
  guild_id: GuildId;
  channel_id: ChannelId;
  user_id: UserId;
  expires_at_ms: number;
}
