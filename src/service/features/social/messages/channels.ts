import type { ConversationSummary, DirectChannel } from '../../../../model/direct-message.ts';
import { socialLimits } from '../../../../model/limits/social-limits.ts';
import { compareSnowflakes, type UserId } from '../../../../model/snowflake.ts';
import type { StoreView } from '../../../store/contract.ts';
import type { UserRecord } from '../../../store/records.ts';
import { channelView } from './view.ts';

/** The channels of a user. */

/** A channel, and the other user in it. */
export interface ReadChannel {
  readonly channel: DirectChannel;
  readonly other: UserRecord;
}

/** The user's channels, at most the newest `socialLimits.conversationsListedMax`, the one with the newest message first; without those whose other user no longer exists. */
export async function readDirectChannels(view: StoreView, userId: UserId): Promise<readonly ReadChannel[]> {
  const found = await readRecords(view, userId);
  const others = await Promise.all(found.map(({ otherId }) => view.get('users', otherId)));
  return found.flatMap(({ record }, at) => {
    const other = others[at];
    return other ? [{ channel: channelView(record, other), other }] : [];
  });
}

/** As {@link readDirectChannels}, without the other users. */
export async function readConversations(view: StoreView, userId: UserId): Promise<readonly ConversationSummary[]> {
  const found = await readRecords(view, userId);
  return found.map(({ record, otherId }) => ({ user_id: otherId, last_message_id: record.last_message_id }));
}

async function readRecords(view: StoreView, userId: UserId) {
  const query = { equals: [userId], descending: true, limit: socialLimits.conversationsListedMax } as const;
  const places = await view.list('direct_recipients', query);
  const records = await Promise.all(places.map(({ channel_id }) => view.get('direct_channels', channel_id)));
  return places
    .flatMap(({ other_id }, at) => {
      const record = records[at];
      return record ? [{ record, otherId: other_id }] : [];
    })
    .toSorted((a, b) => compareSnowflakes(b.record.last_message_id ?? '0', a.record.last_message_id ?? '0'));
}
