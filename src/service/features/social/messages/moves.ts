import type { ApplicationId, UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { DirectChannelRecord, DirectMessageRecord, UserRecord } from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';
import { pairOf } from '../pair.ts';
import { announceChannel } from './announce.ts';
import { channelOf, deleteRecord, ephemeralPlace, laterMessage, messagesScope, pairName, putPlaces } from './pair.ts';

/** Conversations that move to another account. */
export interface ChannelMoves {
  /**
   * Moves the conversations of a provisional account to the full account that it was merged into, one transaction for each; may be
   * repeated.
   *
   * Deviation: a conversation that the full account has already with the same user takes the messages up; the hosted service makes a
   * group of three of them. A conversation between the two accounts themselves is deleted.
   *
   * An account that an identity is taken from keeps its conversations.
   *
   * @see docs/spec/social.md#direct-messages
   */
  move(applicationId: ApplicationId, from: UserId, to: UserId): Promise<void>;
  /** Deletes the conversations of a user who is deleted, with their messages. */
  endAll(userId: UserId): Promise<void>;
}

export function createChannelMoves({ store }: Pick<Core, 'store'>): ChannelMoves {
  async function moveOne(from: UserId, to: UserRecord, otherId: UserId): Promise<void> {
    const old = pairOf(from, otherId);
    const pair = pairOf(to.id, otherId);
    const work = async (transaction: Transaction) => {
      const channel = await channelOf(transaction, old);
      if (!channel) return;
      const messages = await transaction.list('direct_messages', { equals: [channel.id] });
      const [former = to, other] = await Promise.all([
        transaction.get('users', from),
        transaction.get('users', otherId),
      ]);
      endPlaces(transaction, channel);
      for (const message of messages) deleteRecord(transaction, message);
      transaction.delete('direct_channels', channel.id);
      const known = otherId === to.id ? undefined : await channelOf(transaction, pair);
      if (known || otherId === to.id) announceChannel(transaction, 'CHANNEL_DELETE', channel, otherId, former);
      if (otherId === to.id) return;
      const taking = known ?? {
        ...channel,
        ...{ pair: pairName(pair), user_ids: pair, last_message_id: null, message_count: 0 },
      };
      const taken = {
        ...taking,
        last_message_id: laterMessage(taking.last_message_id, channel.last_message_id),
        message_count: taking.message_count + messages.length,
      };
      putPlaces(transaction, taking);
      transaction.put('direct_channels', taken);
      for (const message of messages) transaction.put('direct_messages', moved(message, from, to, taking));
      announceChannel(transaction, 'CHANNEL_UPDATE', taken, otherId, to);
      if (other) announceChannel(transaction, known ? 'CHANNEL_UPDATE' : 'CHANNEL_CREATE', taken, to.id, other);
    };
    // Between the two accounts themselves there is only the old pair.
    const guards = otherId === to.id ? [] : [messagesScope(pair)];
    await store.transact(messagesScope(old), work, guards);
  }

  async function endOne(userId: UserId, otherId: UserId): Promise<void> {
    const pair = pairOf(userId, otherId);
    await store.transact(messagesScope(pair), async transaction => {
      const channel = await channelOf(transaction, pair);
      if (!channel) return;
      for (const place of [channel.id, ephemeralPlace(pair)]) {
        for (const message of await transaction.list('direct_messages', { equals: [place] })) {
          deleteRecord(transaction, message);
        }
      }
      endPlaces(transaction, channel);
      transaction.delete('direct_channels', channel.id);
      const user = await transaction.get('users', userId);
      if (user) announceChannel(transaction, 'CHANNEL_DELETE', channel, otherId, user);
    });
  }

  return {
    async endAll(userId) {
      for (const { other_id } of await store.list('direct_recipients', { equals: [userId] })) {
        await endOne(userId, other_id);
      }
    },

    async move(_applicationId, from, toId) {
      const to = await store.get('users', toId);
      if (to?.provisional_of !== null) return;
      const places = await store.list('direct_recipients', { equals: [from] });
      for (const { other_id } of places) await moveOne(from, to, other_id);
    },
  };
}

function endPlaces(transaction: Transaction, { id, user_ids }: DirectChannelRecord): void {
  for (const userId of user_ids) transaction.delete('direct_recipients', userId, id);
}

function moved(
  record: DirectMessageRecord,
  from: UserId,
  to: UserRecord,
  { id: channel_id }: DirectChannelRecord,
): DirectMessageRecord {
  const isAuthor = record.author_id === from;
  return {
    ...record,
    channel_id,
    author_id: isAuthor ? to.id : record.author_id,
    recipient_id: record.recipient_id === from ? to.id : record.recipient_id,
    message: isAuthor ? { ...record.message, author: userView(to) } : record.message,
  };
}
