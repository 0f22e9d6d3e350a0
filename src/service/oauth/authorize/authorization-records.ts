import type { ApplicationId, Snowflake, UserId } from '../../../model/snowflake.ts';
import { removeProfile } from '../../domain/social/users/profiles.ts';
import { type Topic, topics } from '../../events/announcement.ts';
import type { StoreView, Transaction } from '../../store/contract.ts';
import type { AuthorizationRecord, TokenRecord } from '../../store/records.ts';

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
  const user = await view.get('users', authorization?.user_id ?? '');
  return user && !user.banned ? authorization : undefined;
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
  const before = await findAuthorization(transaction, parties);
  const authorization: AuthorizationRecord = {
    id: before?.id ?? newId,
    application_id,
    user_id,
    scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
  };
  transaction.put('authorizations', authorization);
  if (!before && (await transaction.get('former_authorizations', user_id, application_id))) {
    announceAuthorization(transaction, parties);
  }
  return authorization;
}

/**
 * Ends an authorization with all its tokens, role connections and profiles; codes of it become invalid.
 * @see docs/spec/oauth2.md#revocation
 */
export async function endAuthorization(transaction: Transaction, authorization: AuthorizationRecord): Promise<void> {
  const { id, user_id: userId, application_id: applicationId } = authorization;
  deleteTokens(transaction, await transaction.list('tokens', { index: 'byAuthorization', equals: [id] }));
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
