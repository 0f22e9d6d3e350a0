import type { Metadata } from './lobby.ts';
import type { MessageParts } from './message.ts';
import type { ApplicationId, ChannelId, MessageId, UserId } from './snowflake.ts';
import type { User } from './user.ts';

/** Types of channels between two users. 18: nothing of it is kept. @see docs/spec/social.md#direct-messages */
export const directChannelTypes = { DM: 1, EPHEMERAL_DM: 18 } as const;

/** What an invite asks for. @see docs/spec/social.md#invites */
export const activityActionTypes = { JOIN: 1, JOIN_REQUEST: 5 } as const;
export type ActivityActionType = (typeof activityActionTypes)[keyof typeof activityActionTypes];

/** The invite of a message. */
export interface MessageActivity {
  type: ActivityActionType;
  party_id?: string;
  /** Of the activity that is meant. */
  session_id?: string;
}

/** A channel between two users. @see docs/spec/social.md#direct-messages */
export interface DirectChannel {
  id: ChannelId;
  type: (typeof directChannelTypes)[keyof typeof directChannelTypes];
  last_message_id: MessageId | null;
  flags: number;
  recipients?: readonly User[];
  /** Instead of `recipients`, where users are listed apart. */
  recipient_ids?: readonly UserId[];
}

/** The application whose activity an invite is about. */
export interface InviteApplication {
  id: ApplicationId;
  name: string;
  icon: string | null;
  description: string;
}

/** A message between two users as answers of the history show it; it has no time but its id's. @see docs/spec/social.md#messages */
export interface PartialDirectMessage {
  id: MessageId;
  channel_id: ChannelId;
  type: number;
  content: string;
  author: User;
  flags: number;
  activity?: MessageActivity;
  application?: InviteApplication;
  application_id?: ApplicationId;
  recipient_id: UserId;
  /** Only of {@link directChannelTypes} EPHEMERAL_DM. */
  channel?: DirectChannel;
  moderation_metadata?: Metadata;
}

/** A message between two users as answers to its sender and dispatches show it. */
export interface DirectMessage extends PartialDirectMessage, MessageParts {
  channel_type: number;
  nonce?: string;
  /** What the sender sent along: it is delivered live and never again. */
  metadata?: Metadata;
}

/** What sends a message to a user. @see docs/spec/social.md#messages */
export interface DirectMessageInput {
  /** At most 2000 characters. */
  content?: string;
  nonce?: string | number | null;
  flags?: number | null;
  /** At most 25 entries. */
  metadata?: Metadata | null;
  activity?: MessageActivity | null;
  application_id?: ApplicationId | null;
}

/** A conversation and its last message, which may have been deleted. */
export interface ConversationSummary {
  user_id: UserId;
  last_message_id: MessageId | null;
}

/** An invite, for sessions that do not receive messages between users. */
export interface ActivityInvite {
  message_id: MessageId;
  channel_id: ChannelId;
  author: User;
  application: InviteApplication;
  activity: MessageActivity;
}
