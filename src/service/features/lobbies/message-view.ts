import type { Channel } from '../../../model/guild.ts';
import type { Metadata } from '../../../model/lobby.ts';
import {
  type GatewayLobbyMessage,
  type LobbyMessage,
  type LobbyMessageInput,
  lobbyChannelType,
} from '../../../model/lobby-message.ts';
import { type ChannelMessage, type MessageParts, messageFlags, messageTypes } from '../../../model/message.ts';
import { type MessageId, snowflakeTimeMs } from '../../../model/snowflake.ts';
import { formatTimestamp } from '../../../model/timestamp.ts';
import type { User } from '../../../model/user.ts';
import type { GuildMemberRecord, LobbyRecord, UserRecord } from '../../store/records.ts';
import { userView } from '../accounts/user-view.ts';
import { memberView } from '../guilds/view.ts';

/** How messages of lobbies are shown. */

/**
 * A new message. Unspecified: it keeps its author as of the time of writing, with the additional name.
 *
 * @see docs/spec/lobbies.md#message
 */
export function composeMessage(
  id: MessageId,
  lobby: LobbyRecord,
  author: UserRecord,
  additional_name: string | null,
  { content, flags }: LobbyMessageInput,
): LobbyMessage {
  return {
    id,
    type: messageTypes.DEFAULT,
    content,
    lobby_id: lobby.id,
    channel_id: lobby.id as string,
    author: userView(author),
    flags: (flags ?? 0) | messageFlags.SENT_BY_SOCIAL_LAYER_INTEGRATION,
    application_id: lobby.application_id,
    ...(additional_name !== null && { lobby_member: { additional_name } }),
  };
}

/**
 * A message as dispatches show it.
 *
 * @param author the author's membership in the guild of the linked channel, if any
 * @param metadata the metadata that the sender added
 * @see docs/spec/lobbies.md#events
 */
export function showGatewayMessage(
  message: LobbyMessage,
  { linked_guild_id }: LobbyRecord,
  author: GuildMemberRecord | undefined,
  metadata?: Metadata | null,
): GatewayLobbyMessage {
  return {
    ...message,
    channel_type: lobbyChannelType,
    tts: false,
    ...(metadata && { metadata }),
    ...(linked_guild_id !== null && { guild_id: linked_guild_id, ...plainParts(message.id) }),
    ...(author && { member: withoutUser(author, message.author) }),
  };
}

function withoutUser(author: GuildMemberRecord, user: User) {
  const { user: _, ...member } = memberView(author, user);
  return member;
}

/** The copy of a message in the linked channel. Unspecified: it has the same id. */
export function forwardedMessage({ id, author, application_id, content, flags }: LobbyMessage, to: Channel) {
  return channelMessage({ id, author, application_id, content, flags, type: messageTypes.DEFAULT }, to);
}

/** The message in a channel that announces the link. @see docs/spec/lobbies.md#link-a-channel */
export function linkedNote(id: MessageId, lobby: LobbyRecord, author: UserRecord, to: Channel): ChannelMessage {
  const { application_id } = lobby;
  const type = messageTypes.CHANNEL_LINKED_TO_LOBBY;
  return channelMessage({ id, author: userView(author), application_id, content: '', flags: 0, type }, to);
}

function channelMessage(
  message: Pick<ChannelMessage, 'id' | 'author' | 'application_id' | 'content' | 'flags' | 'type'>,
  channel: Channel,
): ChannelMessage {
  return {
    ...message,
    channel_id: channel.id,
    guild_id: channel.guild_id,
    ...plainParts(message.id),
  };
}

/** Fields of a message that consists of text. */
function plainParts(id: MessageId): MessageParts {
  return {
    timestamp: formatTimestamp(snowflakeTimeMs(id)),
    edited_timestamp: null,
    tts: false,
    pinned: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    embeds: [],
    attachments: [],
    components: [],
  };
}
