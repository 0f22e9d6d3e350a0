import type { InteractionType } from './interaction.ts';
import type { ApplicationId, ChannelId, GuildId, InteractionId, MessageId } from './snowflake.ts';
import type { User } from './user.ts';

/** Bits of a message's `flags` that this interface gives a meaning. @see commands.md 3.3 */
export const messageFlags = { SUPPRESS_EMBEDS: 1 << 2, EPHEMERAL: 1 << 6, SUPPRESS_NOTIFICATIONS: 1 << 12 } as const;

/** @see commands.md 3.4; 20 is the answer to a command of type CHAT_INPUT */
export const messageTypes = { DEFAULT: 0, CHAT_INPUT_COMMAND: 20, CONTEXT_MENU_COMMAND: 23 } as const;

/** A message that answers an interaction. */
export interface Message {
  id: MessageId;
  channel_id: ChannelId;
  guild_id?: GuildId;
  /** The application's bot. */
  author: User;
  application_id: ApplicationId;
  webhook_id: ApplicationId;
  /** At most 2000 characters. */
  content: string;
  /** ISO 8601 with microseconds. */
  timestamp: string;
  edited_timestamp: string | null;
  type: number;
  flags: number;
  tts: boolean;
  pinned: boolean;
  mention_everyone: boolean;
  mentions: readonly User[];
  mention_roles: readonly string[];
  embeds: readonly unknown[];
  attachments: readonly unknown[];
  components: readonly unknown[];
  interaction_metadata: {
    id: InteractionId;
    type: InteractionType;
    user: User;
    authorizing_integration_owners: Readonly<Record<string, string>>;
  };
  nonce?: string;
}
