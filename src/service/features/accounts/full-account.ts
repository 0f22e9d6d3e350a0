import type { UserId } from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import type { UserRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';

/** @throws RequestError `invalid_user_type` when it is a provisional account @see docs/spec/errors.md#error-codes */
export function requireFullAccount({ provisional_of }: UserRecord): void {
  if (provisional_of !== null)
    throw new RequestError('invalid_user_type', { message: 'Only full accounts can do this' });
}

/**
 * Checks that the user may give this answer to an application's request: a banned user may only deny it.
 *
 * @throws RequestError `unknown_user`; `invalid_user_type` when it is a provisional account; `missing_access` when it
 *   is banned and approves
 */
export async function requireAuthorizer(view: StoreView, userId: UserId, decision: 'approve' | 'deny'): Promise<void> {
  const user = await view.get('users', userId);
  if (!user) throw new RequestError('unknown_user');
  requireFullAccount(user);
  if (decision === 'approve') requireNotBanned(user);
}

/** @throws RequestError `missing_access` */
export function requireNotBanned({ banned }: UserRecord): void {
  if (banned) throw new RequestError('missing_access', { message: 'This account is banned' });
}
