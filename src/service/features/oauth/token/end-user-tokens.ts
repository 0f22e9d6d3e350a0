import type { ApplicationId, Snowflake, UserId } from '../../../../model/snowflake.ts';
import { isOfPresentEpoch } from '../../../auth/credentials-epoch.ts';
import type { Core } from '../../../core.ts';
import { topics } from '../../../events/announcement.ts';
import type { Transaction } from '../../../store/contract.ts';
import type { AuthorizationRecord, Records, SignInRecord, TokenRecord, UserRecord } from '../../../store/records.ts';
import type { PendingWork } from '../../../support/pending-work.ts';
import type { AuthorizationEvents } from '../authorize/authorization-events.ts';
import {
  authorizationScope,
  deleteEndedTokens,
  endAuthorization,
  endToken,
  recheckSessions,
} from '../authorize/authorization-records.ts';
import { userScope } from '../provisional/user.ts';

/** What the ends of credentials depend on. */
export interface EndingDeps {
  readonly events: AuthorizationEvents;
  /** Counts deletions that nobody waits for. */
  readonly pendingWork: PendingWork;
}

/** Ends one authorization with all its tokens. @returns whether there was one */
export async function endOneAuthorization(core: Core, deps: EndingDeps, id: Snowflake): Promise<boolean> {
  const found = await core.store.get('authorizations', id);
  if (!found) return false;
  const afterCommit = await core.store.transact(authorizationScope(found), async transaction => {
    const authorization = await transaction.get('authorizations', id);
    if (!authorization) return undefined;
    await endAuthorization(transaction, authorization);
    return deps.events.deauthorized(transaction, authorization);
  });
  afterCommit?.();
  if (afterCommit) deleteEndedLater(core, deps, found);
  return afterCommit !== undefined;
}

/** Deletes what {@link endAuthorization} left. */
export function deleteEndedLater(core: Core, { pendingWork }: EndingDeps, authorization: AuthorizationRecord): void {
  pendingWork
    .run(() => deleteEndedTokens(core, authorization))
    .catch(error =>
      core.log.warn({ error }, 'Tokens that have ended could not be deleted; they stay until they expire.'),
    );
}

/**
 * Ends everything that lets somebody act as the user: authorizations with their tokens and unused codes, tokens of
 * the user's own clients, and sign-ins at the pages. Gateway sessions that depend on them are closed. The user may
 * sign in again. Idempotent.
 *
 * One write to the user rejects all of it; what is then deleted one after another only takes up room.
 */
export async function endUserTokens(core: Core, deps: EndingDeps, userId: UserId): Promise<void> {
  await core.store.transact(userScope(userId), async transaction => {
    const user = await transaction.get('users', userId);
    if (user) await endCredentials(transaction, user);
  });
  await deleteEndedCredentials(core, deps, userId);
}

/** The write of {@link endUserTokens}, for a transaction that also does something else; {@link deleteEndedCredentials} follows. */
export async function endCredentials(transaction: Transaction, user: UserRecord): Promise<void> {
  transaction.put('users', { ...user, credentials_epoch: (user.credentials_epoch ?? 0) + 1 });
  transaction.announce({ to: topics.user(user.id), recheck: true });
  for (const authorization of await transaction.list('authorizations', { index: 'byUser', equals: [user.id] })) {
    await recheckSessions(transaction, authorization);
  }
}

/** Deletes what {@link endCredentials} ended. It does not fail: what remains is rejected all the same. */
export async function deleteEndedCredentials(core: Core, deps: EndingDeps, userId: UserId): Promise<void> {
  const { store } = core;
  const query = { index: 'byUser', equals: [userId] } as const;
  try {
    const user = await store.get('users', userId);
    for (const authorization of await store.list('authorizations', query)) {
      if (isEnded(authorization, user)) await endOneAuthorization(core, deps, authorization.id);
    }
    // Tokens of authorizations are deleted with these.
    const tokens = (await store.list('tokens', { ...query, limit: tokensReadMax })).filter(
      token => token.authorization_id === null && isEnded(token, user),
    );
    const signIns = (await store.list('sign_ins', query)).filter(signIn => isEnded(signIn, user));
    await store.transact(userScope(userId), transaction => {
      for (const { hash } of tokens) transaction.delete('tokens', hash);
      for (const { hash } of signIns) transaction.delete('sign_ins', hash);
    });
  } catch (error) {
    core.log.warn(
      { error, user_id: userId },
      'Authorizations and tokens that have ended could not be deleted. They are rejected.',
    );
  }
}

/** More than a user has, except in the store of an earlier version. */
const tokensReadMax = 1000;

function isEnded(issued: AuthorizationRecord | TokenRecord | SignInRecord, user: UserRecord | undefined): boolean {
  return user === undefined || !isOfPresentEpoch(user, issued);
}

/**
 * Ends everything that lets somebody act as an application, or as a user in it, and that belongs to no authorization
 * for it: its own tokens, those that it got for tokens of its parent, codes that were not redeemed, and role
 * connections. It reads all tokens, which no index finds by application, so it is for deletions.
 */
export async function endApplicationTokens({ store }: Core, applicationId: ApplicationId): Promise<void> {
  const scope = `application/${applicationId}`;
  const isIts = ({ application_id }: { readonly application_id: ApplicationId | null }) =>
    application_id === applicationId;
  await inPieces(store, 'tokens', async tokens => {
    const its = tokens.filter(isIts);
    if (its.length > 0)
      await store.transact(scope, transaction => {
        for (const token of its) endToken(transaction, token);
      });
  });
  for (const collection of ['codes', 'device_codes'] as const) {
    await inPieces(store, collection, async codes => {
      const its = codes.filter(isIts);
      if (its.length > 0)
        await store.transact(scope, transaction => {
          for (const { hash } of its) transaction.delete(collection, hash);
        });
    });
  }
  await store.transact(scope, async transaction => {
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
  await inPieces(store, 'tokens', async tokens => {
    for (const token of tokens) {
      if (token.application_id !== applicationId || token.authorization_id === null) continue;
      const authorization = await store.get('authorizations', token.authorization_id);
      if (!authorization || authorization.application_id === applicationId) continue;
      await store.transact(authorizationScope(authorization), async transaction => endToken(transaction, token));
    }
  });
}

/** Reads a collection in pieces, in the order of its keys, so that nobody waits long for any of them. */
async function inPieces<Name extends 'tokens' | 'codes' | 'device_codes'>(
  store: Core['store'],
  collection: Name,
  work: (records: readonly Records[Name][]) => Promise<void>,
): Promise<void> {
  let from: string | undefined;
  for (;;) {
    const records = await store.list(collection, { limit: piece, ...(from !== undefined && { from }) });
    await work(records);
    const last = records.at(-1)?.hash;
    if (records.length < piece || last === undefined) return;
    from = last;
  }
}

const piece = 500;
