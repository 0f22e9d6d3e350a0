import type { ApplicationId, Snowflake, UserId } from '../../../model/snowflake.ts';
import type { Core } from '../../core.ts';
import type { AuthorizationEvents } from '../authorize/authorization-events.ts';
import { authorizationScope, endAuthorization, endToken } from '../authorize/authorization-records.ts';
import { userScope } from '../provisional/user.ts';

/** Ends one authorization with all its tokens. @returns whether there was one */
export async function endOneAuthorization(core: Core, events: AuthorizationEvents, id: Snowflake): Promise<boolean> {
  const found = await core.store.get('authorizations', id);
  if (!found) return false;
  const afterCommit = await core.store.transact(authorizationScope(found), async transaction => {
    const authorization = await transaction.get('authorizations', id);
    if (!authorization) return undefined;
    await endAuthorization(transaction, authorization);
    return events.deauthorized(transaction, authorization);
  });
  afterCommit?.();
  return afterCommit !== undefined;
}

/**
 * Ends everything that lets somebody act as the user: authorizations with their tokens and unused codes, tokens of
 * the user's own clients, and sign-ins at the pages. Gateway sessions that depend on them are closed. The user may
 * sign in again. Idempotent.
 */
export async function endUserTokens(core: Core, events: AuthorizationEvents, userId: UserId): Promise<void> {
  const { store } = core;
  for (const { id } of await store.list('authorizations', { index: 'byUser', equals: [userId] })) {
    await endOneAuthorization(core, events, id);
  }
  await store.transact(userScope(userId), async transaction => {
    const query = { index: 'byUser', equals: [userId] } as const;
    for (const token of await transaction.list('tokens', query)) {
      if (token.authorization_id === null) endToken(transaction, token);
    }
    for (const { hash } of await transaction.list('sign_ins', query)) transaction.delete('sign_ins', hash);
  });
}

/**
 * Ends everything that lets somebody act as an application, or as a user in it, and that belongs to no authorization
 * for it: its own tokens, those that it got for tokens of its parent, codes that were not redeemed, and role
 * connections. It reads all tokens, which no index finds by application, so it is for deletions.
 */
export async function endApplicationTokens({ store }: Core, applicationId: ApplicationId): Promise<void> {
  const isIts = ({ application_id }: { readonly application_id: ApplicationId | null }) =>
    application_id === applicationId;
  const tokens = (await store.list('tokens')).filter(isIts);
  const codes = (await store.list('codes')).filter(isIts);
  const devices = (await store.list('device_codes')).filter(isIts);
  await store.transact(`application/${applicationId}`, async transaction => {
    for (const token of tokens) endToken(transaction, token);
    for (const { hash } of codes) transaction.delete('codes', hash);
    for (const { hash } of devices) transaction.delete('device_codes', hash);
    for (const { user_id } of await transaction.list('role_connections', { equals: [applicationId] })) {
      transaction.delete('role_connections', applicationId, user_id);
    }
  });
}

/**
 * Ends the tokens that an application got for tokens of the parent that it had. It reads all tokens, like {@link endApplicationTokens},
 * so it is for changes of a parent.
 */
export async function endChildTokens({ store }: Core, applicationId: ApplicationId): Promise<void> {
  const tokens = await store.list('tokens');
  for (const token of tokens) {
    if (token.application_id !== applicationId || token.authorization_id === null) continue;
    const authorization = await store.get('authorizations', token.authorization_id);
    if (!authorization || authorization.application_id === applicationId) continue;
    await store.transact(authorizationScope(authorization), async transaction => endToken(transaction, token));
  }
}
