import type { ApplicationId, Snowflake, UserId } from '../../../../model/snowflake.ts';
import { isOfPresentEpoch, mayActAs, presentEpoch } from '../../../auth/credentials-epoch.ts';
import type { Core } from '../../../core.ts';
import { type Topic, topics } from '../../../events/announcement.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { AuthorizationRecord, TokenRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { removeProfile } from '../../social/users/profiles.ts';

/**
 * A user and an application have at most one authorization; all its codes and tokens change within this store scope.
 */
export function authorizationScope({ application_id, user_id }: Parties): string {
  return `authorization/${application_id}/${user_id}`;
}

/** The field names are those of the records that have both. */
export interface Parties {
  readonly application_id: ApplicationId;
  readonly user_id: UserId;
}

/** The user's grant to the application, if there is one. */
export async function findAuthorization(view: StoreView, parties: Parties): Promise<AuthorizationRecord | undefined> {
  const equals = [parties.user_id, parties.application_id];
  const [authorization] = await view.list('authorizations', { index: 'byUser', equals, limit: 1 });
  return authorization;
}

/** The authorization, if its user may still act by it. */
export async function findHolding(view: StoreView, id: Snowflake | null): Promise<AuthorizationRecord | undefined> {
  const authorization = await view.get('authorizations', id ?? '');
  if (!authorization) return undefined;
  return mayActAs(await view.get('users', authorization.user_id), authorization) ? authorization : undefined;
}

/**
 * Adds what the user grants to the one authorization that the user has for the application. Call it within the {@link
 * authorizationScope}.
 *
 * @param newId the id of the authorization if this is the first grant
 * @see docs/spec/oauth2.md#revocation
 */
export async function recordGrant(
  transaction: Transaction,
  parties: Parties,
  scopes: readonly string[],
  newId: Snowflake,
): Promise<AuthorizationRecord> {
  const { application_id, user_id } = parties;
  const user = await transaction.get('users', user_id);
  if (!user) throw new RequestError('unknown_user');
  const found = await findAuthorization(transaction, parties);
  const before = found && isOfPresentEpoch(user, found) ? found : undefined;
  // Its tokens must not become valid again.
  if (found && !before) await endAuthorization(transaction, found);
  const authorization: AuthorizationRecord = {
    ...(before ?? { id: newId, application_id, user_id, ...presentEpoch(user) }),
    scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
  };
  transaction.put('authorizations', authorization);
  if (!before && (await transaction.get('former_authorizations', user_id, application_id))) {
    announceAuthorization(transaction, parties);
  }
  return authorization;
}

/** Records that one transaction deletes, so that no other transaction waits long. */
export const deletedTogetherMax = 100;

/**
 * Ends an authorization with all its tokens, role connections and profiles; codes of it become invalid. The tokens are rejected
 * because their authorization is gone; those that this transaction does not delete are deleted by {@link deleteEndedTokens}.
 *
 * @see docs/spec/oauth2.md#revocation
 */
export async function endAuthorization(transaction: Transaction, authorization: AuthorizationRecord): Promise<void> {
  const { id, user_id: userId, application_id: applicationId } = authorization;
  const query = { index: 'byAuthorization', equals: [id], limit: deletedTogetherMax } as const;
  for (const { hash } of await transaction.list('tokens', query)) transaction.delete('tokens', hash);
  await recheckSessions(transaction, authorization);
  const connections = await transaction.list('role_connections', { index: 'byAuthorization', equals: [id] });
  for (const { application_id, user_id } of connections)
    transaction.delete('role_connections', application_id, user_id);
  for (const profile of await transaction.list('application_profiles', { equals: [userId] })) {
    const isIts = profile.authorization_id === id || profile.application_id === applicationId;
    if (isIts) await removeProfile(transaction, profile);
  }
  transaction.delete('authorizations', id);
  transaction.put('former_authorizations', { user_id: userId, application_id: applicationId });
  announceAuthorization(transaction, authorization);
}

/** The player's sessions check whether their credential is still valid, with the child applications, too. */
export async function recheckSessions(transaction: Transaction, { application_id, user_id }: Parties): Promise<void> {
  const children = await transaction.list('applications', { index: 'byParent', equals: [application_id] });
  for (const id of [application_id, ...children.map(child => child.id)]) {
    transaction.announce({ to: topics.player(id, user_id), recheck: true });
  }
}

/**
 * Deletes the tokens of an authorization that has ended, in several transactions. What remains when it fails is rejected all the same,
 * and deleted when it expires.
 */
export async function deleteEndedTokens(
  { store }: Pick<Core, 'store'>,
  { id, ...parties }: AuthorizationRecord,
): Promise<void> {
  const query = { index: 'byAuthorization', equals: [id], limit: deletedTogetherMax } as const;
  let deleted: number;
  do {
    deleted = await store.transact(authorizationScope(parties), async transaction => {
      // A snapshot may have brought it back.
      if (await transaction.get('authorizations', id)) return 0;
      const ended = await transaction.list('tokens', query);
      for (const { hash } of ended) transaction.delete('tokens', hash);
      return ended.length;
    });
  } while (deleted > 0);
}

/** For parts whose data depends on it: see {@link topics.authorizations}. */
function announceAuthorization(transaction: Transaction, { user_id, application_id }: Parties): void {
  transaction.announce({ to: topics.authorizations, notice: { user_id, application_id } });
}

/** Ends the tokens that one code and its refreshes gave, and leaves the user's other clients signed in. */
export async function endGrant(transaction: Transaction, grantId: string): Promise<void> {
  deleteTokens(transaction, await transaction.list('tokens', { index: 'byGrant', equals: [grantId] }));
}

/** Ends a single token. */
export function endToken(transaction: Transaction, token: TokenRecord): void {
  deleteTokens(transaction, [token]);
}

/**
 * Makes the sessions of the user check whether another token replaces theirs, including sessions with a child
 * application.
 */
function deleteTokens(transaction: Transaction, tokens: readonly TokenRecord[]): void {
  for (const { hash } of tokens) transaction.delete('tokens', hash);
  for (const to of new Set(tokens.flatMap(followersOf))) transaction.announce({ to, recheck: true });
}

/** Does the same for the user's own clients, which have no application. */
function followersOf({ application_id, user_id }: TokenRecord): Topic[] {
  if (user_id === null) return [];
  return [application_id === null ? topics.user(user_id) : topics.player(application_id, user_id)];
}
