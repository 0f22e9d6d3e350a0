import type { GuildMember } from './guild.ts';
import type { Metadata } from './lobby.ts';
import type { MessageParts } from './message.ts';
import type { ApplicationId, ChannelId, GuildId, LobbyId, MessageId } from './snowflake.ts';
import type { User } from './user.ts';

/** The type of channel that a lobby behaves like. @see docs/spec/lobbies.md#message */
export const lobbyChannelType = 17;

/** A message as HTTP answers show it; it has no time but its id's. @see docs/spec/lobbies.md#message */
export interface LobbyMessage {
  id: MessageId;
  /** {@link messageTypes} */
  type: number;
  content: string;
  lobby_id: LobbyId;
  /** The lobby's id again, for those who take a lobby for a channel. */
  channel_id: ChannelId;
  author: User;
  /** {@link messageFlags} */
  flags: number;
  application_id: ApplicationId;
  /** The author's additional name when the message was sent; absent when there was none. */
  lobby_member?: { additional_name: string };
  /** What the application's server noted about the message. */
  moderation_metadata?: Metadata;
}

/**
 * A message as dispatches show it: in part or, where a channel is linked, with all that a message of a channel has.
 *
 * @see docs/spec/lobbies.md#events
 */
export interface GatewayLobbyMessage extends LobbyMessage, Partial<MessageParts> {
  /** {@link lobbyChannelType} */
  channel_type: number;
  tts: boolean;
  /** What the sender sent along: it is delivered live and never again. */
  metadata?: Metadata;
  /** Where the linked channel is. */
  guild_id?: GuildId;
  /** The author in that guild; absent when it is no member. */
  member?: Omit<GuildMember, 'user'>;
}

/** What sends a message. @see docs/spec/lobbies.md#send-a-message */
export interface LobbyMessageInput {
  /** 1 to 2000 characters, not blanks alone. */
  content: string;
  /** At most 25 entries. */
  metadata?: Metadata | null;
  /** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS of {@link messageFlags}. */
  flags?: number | null;
}
