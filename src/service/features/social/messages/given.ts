import type { Metadata } from '../../../../model/lobby.ts';
import {
  type ApplicationId,
  type ChannelId,
  type MessageId,
  snowflakeTimeMs,
  type UserId,
} from '../../../../model/snowflake.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { DirectMessageRecord } from '../../../store/records.ts';
import { familyOf, pairOf } from '../pair.ts';
import { announceChannel, announceMessage } from './announce.ts';
import { channelOf, laterMessage, newChannel, putPlaces } from './pair.ts';
import { composeMessage } from './view.ts';

/** A message between two users, as fixtures say. */
export interface GivenMessage {
  readonly id: MessageId;
  readonly author_id: UserId;
  readonly recipient_id: UserId;
  readonly content: string;
  readonly application_id?: ApplicationId | null;
  /** The channel of the two users, if they have none yet. Default: the id of the message. */
  readonly channel_id?: ChannelId;
  /** ISO 8601; null: it was not edited. */
  readonly edited_at?: string | null;
  readonly moderation_metadata?: Metadata | null;
}

/** Stores messages within one transaction, whatever the users are to each other; one that is stored already stays as it is. */
export async function settleMessages(transaction: Transaction, messages: readonly GivenMessage[]): Promise<void> {
  for (const message of messages) await settleOne(transaction, message);
}

async function settleOne(transaction: Transaction, given: GivenMessage): Promise<void> {
  const { id, author_id, recipient_id, content } = given;
  const pair = pairOf(author_id, recipient_id);
  const sent_at_ms = snowflakeTimeMs(id);
  const author = await transaction.get('users', author_id);
  const application = (await transaction.get('applications', given.application_id ?? '')) ?? null;
  const before = await channelOf(transaction, pair);
  // The channel of the first message has its id, so that a reset generates no other.
  const channel = before ?? newChannel(given.channel_id ?? (id as string), pair);
  if (!author || (await transaction.get('direct_messages', channel.id, sent_at_ms, id))) return;
  const record: DirectMessageRecord = {
    ...{ channel_id: channel.id, sent_at_ms, id, author_id, recipient_id },
    application_id: application?.id ?? null,
    message: composeMessage(id, author, application, { content }, undefined),
    edited_at_ms: given.edited_at == null ? null : Date.parse(given.edited_at),
    moderation_metadata: given.moderation_metadata ?? null,
    ...{ is_ephemeral: false, expires_at_ms: null },
  };
  transaction.put('direct_channels', {
    ...channel,
    last_message_id: laterMessage(channel.last_message_id, id),
    message_count: channel.message_count + 1,
  });
  transaction.put('direct_messages', record);
  if (!before) {
    putPlaces(transaction, channel);
    announceChannel(transaction, 'CHANNEL_CREATE', channel, recipient_id, author);
  }
  announceMessage(transaction, 'MESSAGE_CREATE', record, application && familyOf(application));
}
