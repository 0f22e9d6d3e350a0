import type { UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { AuthorizationEvents } from '../authorize/authorization-events.ts';
import { authorizationScope, endAuthorization, endToken } from '../authorize/authorization-records.ts';
import { userScope } from '../provisional/user.ts';

/**
 * Ends everything that lets somebody act as the user: authorizations with their tokens and unused codes, tokens of
 * the user's own clients, and sign-ins at the pages. Gateway sessions that depend on them are closed. The user may
 * sign in again. Idempotent.
 */
export async function endUserTokens(core: Core, events: AuthorizationEvents, userId: UserId): Promise<void> {
  const { store } = core;
  for (const { id, application_id, user_id } of await store.list('authorizations', {
    index: 'byUser',
    equals: [userId],
  })) {
    const afterCommit = await store.transact(authorizationScope({ application_id, user_id }), async transaction => {
      const authorization = await transaction.get('authorizations', id);
      if (!authorization) return undefined;
      await endAuthorization(transaction, authorization);
      return events.deauthorized(transaction, authorization);
    });
    afterCommit?.();
  }
  await store.transact(userScope(userId), async transaction => {
    const query = { index: 'byUser', equals: [userId] } as const;
    for (const token of await transaction.list('tokens', query)) {
      if (token.authorization_id === null) endToken(transaction, token);
    }
    for (const { hash } of await transaction.list('sign_ins', query)) transaction.delete('sign_ins', hash);
  });
}
