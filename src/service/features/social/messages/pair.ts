import {
  type ChannelId,
  compareSnowflakes,
  type MessageId,
  snowflakeTimeMs,
  type UserId,
} from '../../../../model/snowflake.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { DirectChannelRecord, DirectMessageRecord } from '../../../store/records.ts';

/** Two users, the lower id first. */
export type Pair = readonly [UserId, UserId];

/** How a pair is stored. */
export function pairName(pair: Pair): string {
  return pair.join('/');
}

/** The store scope of the messages of two users. It is not the one of their relationship, whose revision gateway sessions have seen. */
export function messagesScope(pair: Pair): string {
  return `messages/${pairName(pair)}`;
}

/** Excludes changes of the pair's relationship: no message is sent while one of the two blocks the other. */
export function messagesGuards([lower]: Pair): readonly string[] {
  return [`social/${lower}`];
}

export async function channelOf(view: StoreView, pair: Pair): Promise<DirectChannelRecord | undefined> {
  const [channel] = await view.list('direct_channels', { index: 'byPair', equals: [pairName(pair)], limit: 1 });
  return channel;
}

/** The place of ephemeral messages, which have no channel. */
export function ephemeralPlace(pair: Pair): ChannelId {
  return pairName(pair) as ChannelId;
}

/** A message of a pair, ephemeral or not. */
export async function messageOf(
  view: StoreView,
  pair: Pair,
  id: MessageId,
): Promise<{ readonly record?: DirectMessageRecord; readonly channel?: DirectChannelRecord }> {
  const atMs = snowflakeTimeMs(id);
  const ephemeral = await view.get('direct_messages', ephemeralPlace(pair), atMs, id);
  if (ephemeral) return { record: ephemeral };
  const channel = await channelOf(view, pair);
  const record = channel && (await view.get('direct_messages', channel.id, atMs, id));
  return { ...(channel && { channel }), ...(record && { record }) };
}

export function deleteRecord(transaction: Transaction, { channel_id, sent_at_ms, id }: DirectMessageRecord): void {
  transaction.delete('direct_messages', channel_id, sent_at_ms, id);
}

/** A channel that is not stored yet. */
export function newChannel(id: ChannelId, pair: Pair): DirectChannelRecord {
  return { id, pair: pairName(pair), user_ids: pair, last_message_id: null, message_count: 0 };
}

/** Lets both users find the channel. */
export function putPlaces(transaction: Transaction, { id, user_ids: [a, b] }: DirectChannelRecord): void {
  transaction.put('direct_recipients', { user_id: a, channel_id: id, other_id: b });
  transaction.put('direct_recipients', { user_id: b, channel_id: id, other_id: a });
}

/** The later of two messages. */
export function laterMessage(a: MessageId | null, b: MessageId | null): MessageId | null {
  if (a === null || b === null) return a ?? b;
  return compareSnowflakes(a, b) >= 0 ? a : b;
}
