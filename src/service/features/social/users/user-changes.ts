import { lazyEvent, topics } from '../../../events/announcement.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { UserRecord } from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';
import { announceUser } from '../presence/changes.ts';

/**
 * Stores a user who is seen differently from now on, and announces that to the user's own sessions and to friends. Call it with the
 * {@link presenceScope} as a guard.
 *
 * @see docs/spec/social.md#users
 */
export async function putChangedUser(transaction: Transaction, user: UserRecord, nowMs: number): Promise<void> {
  transaction.put('users', user);
  const event = lazyEvent('USER_UPDATE', () => userView(user));
  transaction.announce({ to: topics.sessions(user.id), event });
  await announceUser(transaction, user, nowMs);
}
