import type { CommandType, OptionType } from '../../../model/command.ts';
import type { Modal } from '../../../model/component.ts';
import type { InteractionType } from '../../../model/interaction.ts';
import type { InteractionMetadata, Message } from '../../../model/message.ts';
import type { ApplicationId, ChannelId, GuildId, InteractionId, MessageId, UserId } from '../../../model/snowflake.ts';

export interface InteractionRecord {
  id: InteractionId;
  application_id: ApplicationId;
  user_id: UserId;
  guild_id: GuildId | null;
  channel_id: ChannelId;
  type: InteractionType;
  /** Of the command that it is the use of, or that led to the modal that was submitted; null: there was none. */
  command_type: CommandType | null;
  /** While an option is typed: the type of that option. */
  focused_type: OptionType | null;
  token_hash: string;
  /** What the user's client called this use; it comes back with the outcome. */
  nonce: string | null;
  /** Integration type → who installed the application there: a guild, a user, or `0` for the bot's own DM. */
  owners: Readonly<Record<string, string>>;
  /** `waiting` until answered; `failed` if no answer came in time. */
  state: 'waiting' | 'answered' | 'failed';
  created_at_ms: number;
  /**
   * While waiting: when it fails. After that: when its token expires and the record is deleted, or is kept for messages whose
   * components can still be used.
   */
  expires_at_ms: number;
  /** The message it was answered with, also after that was deleted; null while there was none. */
  original_id: MessageId | null;
  /** How many messages came after the first. */
  follow_ups: number;
  /** Of the use of a component, and of a modal that came of it: the message of the component. */
  source?: MessageSource;
  /** Of a modal's submission: what was answered with the modal. */
  trigger?: InteractionMetadata;
  /** The modal it was answered with, which can be submitted while it is open. */
  modal?: Modal & { open: boolean };
}

/** A message, and the interaction it answers, in whose scope it changes. */
export interface MessageSource {
  message_id: MessageId;
  interaction_id: InteractionId;
}

/** A message that answers an interaction, as long as the interaction is kept. */
export interface InteractionMessageRecord {
  id: MessageId;
  interaction_id: InteractionId;
  /** As the interface shows it. */
  message: Message;
}
