import {
  type DirectChannel,
  type DirectMessage,
  type DirectMessageInput,
  directChannelTypes,
  type InviteApplication,
  type MessageActivity,
  type PartialDirectMessage,
} from '../../../../model/direct-message.ts';
import type { Metadata } from '../../../../model/lobby.ts';
import { messageFlags, messageTypes } from '../../../../model/message.ts';
import { type ChannelId, type MessageId, snowflakeTimeMs, type UserId } from '../../../../model/snowflake.ts';
import { formatTimestamp } from '../../../../model/timestamp.ts';
import type {
  ApplicationRecord,
  DirectChannelRecord,
  DirectMessageContent,
  DirectMessageRecord,
  UserRecord,
} from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';

/** How messages between users are shown, and the channels they are in. */

/** An invite after its checks, with the application whose activity it is about. */
export interface Invite {
  readonly activity: MessageActivity;
  readonly application: ApplicationRecord;
}

/** A new message. Unspecified: it keeps its author as of the time of writing. */
export function composeMessage(
  id: MessageId,
  author: UserRecord,
  application: ApplicationRecord | null,
  { content, flags }: Pick<DirectMessageInput, 'content' | 'flags'>,
  invite: Invite | undefined,
): DirectMessageContent {
  const about = invite?.application ?? application;
  const fromGame = application ? messageFlags.SENT_BY_SOCIAL_LAYER_INTEGRATION : 0;
  return {
    id,
    type: messageTypes.DEFAULT,
    content: content ?? '',
    author: userView(author),
    flags: (flags ?? 0) | fromGame,
    ...(about && { application_id: about.id }),
    ...(invite && { activity: invite.activity, application: inviteApplication(invite.application) }),
  };
}

export function inviteApplication({ id, name, description }: ApplicationRecord): InviteApplication {
  return { id, name, icon: null, description };
}

/** Where a reader finds a message: an ephemeral one in no channel, but with the other user. */
function placeFor(record: DirectMessageRecord, readerId: UserId): ChannelId {
  if (!record.is_ephemeral) return record.channel_id;
  return (readerId === record.author_id ? record.recipient_id : record.author_id) as string as ChannelId;
}

/** A message as the history shows it. */
export function historyView(record: DirectMessageRecord, readerId: UserId): PartialDirectMessage {
  const { moderation_metadata, is_ephemeral, recipient_id } = record;
  const channel_id = placeFor(record, readerId);
  return {
    ...record.message,
    channel_id,
    recipient_id,
    ...(is_ephemeral && { channel: ephemeralChannel(record, readerId) }),
    ...(moderation_metadata && { moderation_metadata }),
  };
}

function ephemeralChannel(record: DirectMessageRecord, readerId: UserId): DirectChannel {
  const id = placeFor(record, readerId);
  const recipient_ids = [readerId === record.author_id ? record.recipient_id : record.author_id];
  return { id, type: directChannelTypes.EPHEMERAL_DM, last_message_id: record.id, flags: 0, recipient_ids };
}

/** What the sender added to a message that is delivered now. */
export interface Added {
  readonly metadata?: Metadata | null | undefined;
  readonly nonce?: string | number | null | undefined;
}

/** A message as its sender and live sessions receive it. @param withModeration as the application that noted it sees it */
export function messageView(
  record: DirectMessageRecord,
  readerId: UserId,
  { metadata, nonce }: Added,
  { withModeration }: { readonly withModeration: boolean },
): DirectMessage {
  const { is_ephemeral, edited_at_ms } = record;
  const shown = withModeration ? record : { ...record, moderation_metadata: null };
  return {
    ...historyView(shown, readerId),
    channel_type: is_ephemeral ? directChannelTypes.EPHEMERAL_DM : directChannelTypes.DM,
    timestamp: formatTimestamp(snowflakeTimeMs(record.id)),
    edited_timestamp: edited_at_ms === null ? null : formatTimestamp(edited_at_ms),
    ...plain,
    ...(nonce !== undefined && nonce !== null && { nonce: String(nonce) }),
    ...(metadata && { metadata }),
  };
}

/** Fields of a message that consists of text. */
const plain = {
  tts: false,
  pinned: false,
  mention_everyone: false,
  mentions: [],
  mention_roles: [],
  embeds: [],
  attachments: [],
  components: [],
} as const;

/** A channel as one of its users sees it. */
export function channelView({ id, last_message_id }: DirectChannelRecord, other: UserRecord): DirectChannel {
  return { id, type: directChannelTypes.DM, last_message_id, flags: 0, recipients: [userView(other)] };
}

/** A message as the application's server receives it. @see docs/spec/social.md#webhook-events-of-messages */
export function webhookView(
  record: DirectMessageRecord,
  users: readonly [author: UserRecord, recipient: UserRecord],
): object {
  const [author, recipient] = users;
  const { is_ephemeral, recipient_id, channel_id } = record;
  const id = is_ephemeral ? recipient_id : channel_id;
  const type = is_ephemeral ? directChannelTypes.EPHEMERAL_DM : directChannelTypes.DM;
  const recipients = [userView(author), userView(recipient)];
  const channel = { id, type, last_message_id: record.id, flags: 0, recipients };
  if (users.some(({ provisional_of }) => provisional_of === null)) {
    return { ...messageView(record, recipient_id, {}, { withModeration: true }), channel_id: id, channel };
  }
  const { activity, application, application_id, ...shown } = record.message;
  const invite = activity && { activity, application };
  return { ...shown, application_id, channel_id: id, channel, ...invite };
}
