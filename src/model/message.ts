import type { ApplicationId, ChannelId, GuildId, InteractionId, MessageId, Snowflake } from './snowflake.ts';
import type { User } from './user.ts';

/** Bits of a message's `flags` that this interface gives a meaning. @see docs/spec/interactions.md#answers; docs/spec/lobbies.md#message */
export const messageFlags = {
  SUPPRESS_EMBEDS: 1 << 2,
  EPHEMERAL: 1 << 6,
  /** The application is thinking: the message is yet to be filled. */
  LOADING: 1 << 7,
  SUPPRESS_NOTIFICATIONS: 1 << 12,
  /** All it shows are components, of every type. */
  IS_COMPONENTS_V2: 1 << 15,
  /** It was written in a game. */
  SENT_BY_SOCIAL_LAYER_INTEGRATION: 1 << 16,
} as const;

/** 20 is the answer to a command of type CHAT_INPUT. @see docs/spec/interactions.md#messages */
export const messageTypes = {
  DEFAULT: 0,
  /** Here: the answer to the use of a component. */
  REPLY: 19,
  CHAT_INPUT_COMMAND: 20,
  CONTEXT_MENU_COMMAND: 23,
  /** The system's note that a channel was linked to a lobby. @see docs/spec/lobbies.md#link-a-channel */
  CHANNEL_LINKED_TO_LOBBY: 49,
} as const;

/** A file of a message. */
export interface Attachment {
  id: Snowflake<'attachment'>;
  filename: string;
  /** Bytes. */
  size: number;
  url: string;
  proxy_url: string;
  content_type?: string;
  description?: string;
  /** Its message is there for one user alone. */
  ephemeral?: true;
}

/** Fields of a channel's message besides author, content and place. */
export interface MessageParts {
  /** ISO 8601 with microseconds. */
  timestamp: string;
  edited_timestamp: string | null;
  tts: boolean;
  pinned: boolean;
  mention_everyone: boolean;
  mentions: readonly User[];
  mention_roles: readonly string[];
  embeds: readonly unknown[];
  attachments: readonly Attachment[];
  components: readonly unknown[];
}

/** What every message shows. */
interface MessageBase extends MessageParts {
  id: MessageId;
  channel_id: ChannelId;
  guild_id?: GuildId;
  author: User;
  application_id: ApplicationId;
  /** At most 2000 characters. */
  content: string;
  /** {@link messageTypes} */
  type: number;
  /** {@link messageFlags} */
  flags: number;
}

/** What a lobby leaves in the guild channel that is linked to it. */
export interface ChannelMessage extends MessageBase {
  guild_id: GuildId;
}

/** A message that answers an interaction; its author is the application's bot. */
export interface Message extends MessageBase {
  webhook_id: ApplicationId;
  interaction_metadata: InteractionMetadata;
  /** Of a {@link messageTypes} REPLY: the message whose component was used. */
  message_reference?: { type: 0; message_id: MessageId; channel_id: ChannelId; guild_id?: GuildId };
  nonce?: string;
}

/** The interaction that a message came of. */
export interface InteractionMetadata {
  id: InteractionId;
  /** Of the interaction: 2 for the use of a command, 3 of a component, 5 for a modal that was submitted. */
  type: number;
  user: User;
  authorizing_integration_owners: Readonly<Record<string, string>>;
  /** Of the use of a component: the message it belongs to. */
  interacted_message_id?: MessageId;
  /** Of a modal that was submitted: what was answered with it. */
  triggering_interaction_metadata?: InteractionMetadata;
}
