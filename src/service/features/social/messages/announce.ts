import type { DispatchName } from '../../../../model/gateway.ts';
import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import { type Announcement, lazyEvent, topics } from '../../../events/announcement.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { DirectChannelRecord, DirectMessageRecord, UserRecord } from '../../../store/records.ts';
import { type Added, channelView, type Invite, inviteApplication, messageView } from './view.ts';

/**
 * The events of messages. Both users' sessions receive them, of every application; those of an ephemeral message only the sessions of
 * the game in which it was sent.
 *
 * @see docs/spec/social.md#direct-messages
 */

type Filter = Pick<Announcement, 'families' | 'exceptFamilies'>;

/** @param familyId of the application by whose session it was sent */
function sessionsFor({ is_ephemeral }: DirectMessageRecord, familyId: ApplicationId | null): Filter {
  return is_ephemeral && familyId !== null ? { families: [familyId] } : {};
}

/** The first message opens the channel; a merge moves it to another user, or ends it. @param other the one with whom `userId` has it */
export function announceChannel(
  transaction: Transaction,
  name: Extract<DispatchName, 'CHANNEL_CREATE' | 'CHANNEL_UPDATE' | 'CHANNEL_DELETE'>,
  channel: DirectChannelRecord,
  userId: UserId,
  other: UserRecord,
): void {
  const event = lazyEvent(name, () => channelView(channel, other));
  transaction.announce({ to: topics.directMessages(userId), event });
}

export function announceMessage(
  transaction: Transaction,
  name: Extract<DispatchName, 'MESSAGE_CREATE' | 'MESSAGE_UPDATE'>,
  record: DirectMessageRecord,
  familyId: ApplicationId | null,
  added: Added = {},
): void {
  const filter = sessionsFor(record, familyId);
  const { author_id, recipient_id } = record;
  const toAuthor = lazyEvent(name, () => messageView(record, author_id, added, { withModeration: false }));
  const toRecipient = lazyEvent(name, () => messageView(record, recipient_id, added, { withModeration: false }));
  transaction.announce({ to: topics.directMessages(author_id), event: toAuthor, ...filter });
  transaction.announce({ to: topics.directMessages(recipient_id), event: toRecipient, ...filter });
}

/** Sessions that do not receive messages receive invites. */
export function announceInvite(
  transaction: Transaction,
  record: DirectMessageRecord,
  { activity, application }: Invite,
  familyId: ApplicationId | null,
): void {
  const { id, recipient_id } = record;
  const event = lazyEvent('ACTIVITY_INVITE_CREATE', () => {
    const { channel_id, author } = messageView(record, recipient_id, {}, { withModeration: false });
    return { message_id: id, channel_id, author, application: inviteApplication(application), activity };
  });
  transaction.announce({ to: topics.invites(recipient_id), event, ...sessionsFor(record, familyId) });
}

/** What the application noted about the message: its own sessions see it. */
export function announceModeration(
  transaction: Transaction,
  record: DirectMessageRecord,
  familyId: ApplicationId,
): void {
  for (const userId of [record.author_id, record.recipient_id]) {
    const event = lazyEvent('MESSAGE_UPDATE', () => messageView(record, userId, {}, { withModeration: true }));
    transaction.announce({ to: topics.directMessages(userId), event, families: [familyId] });
  }
}

export function announceDeletion(
  transaction: Transaction,
  record: DirectMessageRecord,
  familyId: ApplicationId | null,
): void {
  for (const userId of [record.author_id, record.recipient_id]) {
    const event = lazyEvent('MESSAGE_DELETE', () => {
      const { id, channel_id } = messageView(record, userId, {}, { withModeration: false });
      return { id, channel_id };
    });
    transaction.announce({ to: topics.directMessages(userId), event, ...sessionsFor(record, familyId) });
  }
}
