import { lazyEvent, topics } from '../../../events/announcement.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { UserRecord } from '../../../store/records.ts';
import { userView } from '../../accounts/user-view.ts';

/**
 * Stores a user who is seen differently from now on, and announces that to the user's own sessions and to friends.
 *
 * @see docs/spec/social.md#users
 */
export function putChangedUser(transaction: Transaction, user: UserRecord): void {
  transaction.put('users', user);
  const event = lazyEvent('USER_UPDATE', () => userView(user));
  transaction.announce({ to: topics.sessions(user.id), event });
}
