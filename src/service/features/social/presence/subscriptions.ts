import { activityActionTypes } from '../../../../model/direct-message.ts';
import { checkSubscriptions } from '../../../../model/rules/social/activity.ts';
import {
  type ApplicationId,
  type ChannelId,
  type MessageId,
  readSnowflake,
  type UserId,
} from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { topics } from '../../../events/announcement.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import { rejectIssues } from '../../../support/request-error.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { familyOfId } from '../family.ts';
import { messageOf } from '../messages/pair.ts';
import { pairOf } from '../pair.ts';
import { areFriends, areGameFriends, isBlockedBetween } from '../relationships/records.ts';
import { hiddenUpdateOf } from './changes.ts';
import { presenceScope, stateOf } from './records.ts';
import { seen } from './view.ts';
import type { Viewer } from './visible.ts';

interface Subscription {
  readonly user_id: UserId;
  readonly application_id: ApplicationId;
  readonly party_id: string;
  readonly message_id: MessageId;
  readonly channel_id: ChannelId;
}

/**
 * Lets the sessions of a user who was invited see the activity that the invite is about, also while its user hides it.
 *
 * Unspecified: a subscription without a valid invite, or by a user's own client, has no effect; subscriptions end with the sessions, and
 * when one of the two blocks the other.
 *
 * @throws RequestError `invalid_form_body`
 * @see docs/spec/social.md#presence
 */
export async function subscribeActivities(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  { userId, familyId }: Viewer,
  body: unknown,
): Promise<void> {
  rejectIssues(checkSubscriptions(body));
  const { subscriptions } = body as { subscriptions: readonly Subscription[] };
  const nowMs = clock.now();
  const inviterOf = ({ user_id }: Subscription) => readSnowflake<'user'>(user_id) ?? '';
  const guards = [...new Set(subscriptions.map(inviterOf))].filter(id => id !== userId).map(presenceScope);
  const work = async (transaction: Transaction) => {
    for (const subscription of subscriptions) {
      const inviter = inviterOf(subscription);
      const family = await familyOfId(transaction, readSnowflake<'application'>(subscription.application_id) ?? '');
      if (family !== familyId || (await isBlockedBetween(transaction, userId, inviter))) continue;
      if (!(await isInvited(transaction, userId, inviter, subscription, nowMs))) continue;
      const isFriend =
        (await areFriends(transaction, userId, inviter)) ||
        (await areGameFriends(transaction, family, userId, inviter));
      const viewer = isFriend ? 'friend' : 'stranger';
      const user = seen(await stateOf(transaction, inviter), nowMs);
      const event = user.hidden.length > 0 ? hiddenUpdateOf(inviter, user, family, viewer) : undefined;
      const follow = topics.hiddenActivities(inviter, viewer);
      transaction.announce({ to: topics.sessions(userId), families: [familyId], follow, ...(event && { event }) });
    }
  };
  await store.transact(presenceScope(userId), work, guards);
}

async function isInvited(
  view: StoreView,
  userId: UserId,
  inviter: UserId,
  { message_id, channel_id, party_id, application_id }: Subscription,
  nowMs: number,
): Promise<boolean> {
  const { record, channel } = await messageOf(
    view,
    pairOf(userId, inviter),
    readSnowflake<'message'>(message_id) ?? '',
  );
  if (record?.author_id !== inviter || record.recipient_id !== userId) return false;
  if (channel && channel.id !== readSnowflake(channel_id)) return false;
  const { activity, application_id: game } = record.message;
  // Who asks to join shows nothing to the one who is asked.
  if (activity?.type !== activityActionTypes.JOIN) return false;
  if (activity.party_id !== party_id || game !== readSnowflake(application_id)) return false;
  return nowMs - record.sent_at_ms < serviceLimits.activityInviteLifeMs;
}
