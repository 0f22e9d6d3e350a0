import { defaultCommunicationScopes, splitScopes } from '../../../../model/oauth.ts';
import type { ProvisionalTokenResponse } from '../../../../model/provisional.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import { countIdentities, createOwnedBound } from '../../../owned-bound.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type { ApplicationRecord, ExternalIdentityRecord, UserRecord } from '../../../store/records.ts';
import { serviceFieldErrors } from '../../../support/api-messages.ts';
import { invalidBody, RequestError } from '../../../support/request-error.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { requireNotBanned } from '../../accounts/full-account.ts';
import { userView } from '../../accounts/user-view.ts';
import { presenceScope } from '../../social/presence/records.ts';
import { putChangedUser } from '../../social/users/user-changes.ts';
import { authorizationScope, recordGrant } from '../authorize/authorization-records.ts';
import type { IdTokens } from '../openid/signed-tokens.ts';
import { issueAccess } from '../token/tokens.ts';
import { type ExternalIdentity, identitiesOf, identityScope } from './identity.ts';
import { drawAccount, requireFreeUsername, usernameScope, userScope } from './user.ts';

/** What a server requests beyond a token; it overrides the identity. */
export interface AccountWishes {
  /** The new display name of the account. */
  readonly name?: string | undefined;
  /** The provisional account that a new identity is added to. */
  readonly userId?: UserId | undefined;
}

/**
 * Signs a player in by an external identity. The same identity always leads to the same account, which the first
 * sign-in creates. Earlier tokens stay valid.
 *
 * Unspecified: the sources give a token an hour (the client's header) or a week (the guides); it lives a week, like
 * every access token. The player's name in an identity token names a new account only, so that a player who changes
 * the name keeps the change.
 *
 * @throws RequestError `account_locked`, `account_not_provisional`, `no_unique_username`, `too_many_identities`,
 *   `missing_access` when the account is banned, `invalid_form_body` when the application has as many identities as allowed; for `wishes.userId` `invalid_form_body`, `invalid_user_type`
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export type SignIn = (
  application: ApplicationRecord,
  identity: ExternalIdentity,
  wishes?: AccountWishes,
) => Promise<ProvisionalTokenResponse>;

/** Unspecified: the scopes of a provisional token are those that a game requests from a full account. */
const scopes = splitScopes(defaultCommunicationScopes);

export function createSignIn(core: Core, idTokens: IdTokens): SignIn {
  const { store, ids, clock } = core;
  const { identitiesPerApplicationMax } = core.limits;
  const takeIdentity = createOwnedBound(core, 'external_identities', identitiesPerApplicationMax, countIdentities);

  return async (application, identity, wishes = {}) => {
    for (;;) {
      const issued = await attempt(application, identity, wishes);
      if (issued) return issued;
    }
  };

  async function aim(application: ApplicationRecord, identity: ExternalIdentity, wishes: AccountWishes): Promise<Aim> {
    const known = await store.get('external_identities', application.id, identity.hash);
    if (known) return { known, userId: known.user_id };
    if (wishes.userId !== undefined) return { userId: wishes.userId };
    const drawn = await drawAccount(core, application.id, wishes.name ?? identity.name);
    return { drawn, userId: drawn.id };
  }

  /** Undefined when another request added the identity to another account first. */
  async function attempt(application: ApplicationRecord, identity: ExternalIdentity, wishes: AccountWishes) {
    const { known, drawn, userId } = await aim(application, identity, wishes);
    if (!known && !(await takeIdentity(application.id))) {
      const message = serviceFieldErrors.PROVISIONAL_ACCOUNTS_MAX(identitiesPerApplicationMax ?? 0);
      throw invalidBody([{ path: [], code: 'PROVISIONAL_ACCOUNTS_MAX', message }]);
    }
    const parties = { application_id: application.id, user_id: userId };
    const newId = ids.next();
    const guards = [identityScope(application.id, identity), userScope(userId)];
    if (drawn) guards.push(usernameScope(drawn));
    if (wishes.name !== undefined) guards.push(presenceScope(userId));
    const token = await store.transact(
      authorizationScope(parties),
      async transaction => {
        const record = await transaction.get('external_identities', application.id, identity.hash);
        if (record?.user_id !== known?.user_id) return undefined;
        const stamped = { ...wishes, nowMs: clock.now() };
        if (record) await reenter(transaction, application, record, stamped);
        else if (drawn) await enter(transaction, identity, drawn);
        else await join(transaction, application, identity, userId, stamped);
        const authorization = await recordGrant(transaction, parties, scopes, newId);
        return issueAccess(
          core,
          transaction,
          { authorization, grantId: authorization.id, scopes },
          identity.tokenEndsAtMs,
        );
      },
      guards,
    );
    if (!token) return undefined;
    const expires_at_s = Math.floor(clock.now() / 1000) + token.expires_in;
    const id_token = await idTokens.sign({ ...parties, nonce: null }, token.expires_in);
    return { ...token, id_token, scopes, expires_at_s };
  }
}

/** The account that an identity leads to, as read before its transaction begins. */
interface Aim {
  readonly userId: UserId;
  readonly known?: ExternalIdentityRecord;
  /** An account that does not exist yet. */
  readonly drawn?: UserRecord;
}

type StampedWishes = AccountWishes & { readonly nowMs: number };

/** Signs in a player whose identity is known. */
async function reenter(
  transaction: Transaction,
  application: ApplicationRecord,
  { type, user_id, operation_id }: ExternalIdentityRecord,
  { name, userId, nowMs }: StampedWishes,
): Promise<void> {
  if (operation_id !== null) throw new RequestError('account_locked');
  const user = await transaction.get('users', user_id);
  if (!user) throw new RequestError('unknown_user');
  if (user.provisional_of !== application.id) {
    throw new RequestError('account_not_provisional', { user: userView(user), provider: type });
  }
  if (userId !== undefined && userId !== user_id) throw unknownAccount();
  requireNotBanned(user);
  await rename(transaction, user, { name, nowMs });
}

/** Creates the account of a player who signs in for the first time. */
async function enter(transaction: Transaction, identity: ExternalIdentity, user: UserRecord): Promise<void> {
  await requireFreeUsername(transaction, user);
  transaction.put('users', user);
  putIdentity(transaction, user, identity);
}

/** Adds an identity to a known account. */
async function join(
  transaction: Transaction,
  application: ApplicationRecord,
  identity: ExternalIdentity,
  userId: UserId,
  { name, nowMs }: StampedWishes,
): Promise<void> {
  const user = await transaction.get('users', userId);
  if (user?.provisional_of === null) throw new RequestError('invalid_user_type');
  if (user?.provisional_of !== application.id) throw unknownAccount();
  requireNotBanned(user);
  await requireRoomForIdentities(transaction, application, userId, 1);
  putIdentity(transaction, user, identity);
  await rename(transaction, user, { name, nowMs });
}

function putIdentity(transaction: Transaction, { id, provisional_of }: UserRecord, identity: ExternalIdentity): void {
  if (provisional_of === null) return;
  const { type, hash } = identity;
  transaction.put('external_identities', {
    application_id: provisional_of,
    hash,
    type,
    user_id: id,
    operation_id: null,
  });
}

async function rename(transaction: Transaction, user: UserRecord, { name, nowMs }: StampedWishes): Promise<void> {
  if (name === undefined || name === user.global_name) return;
  await putChangedUser(transaction, { ...user, global_name: name }, nowMs);
}

/** @throws RequestError `too_many_identities` */
export async function requireRoomForIdentities(
  view: StoreView,
  { id }: ApplicationRecord,
  userId: UserId,
  more: number,
): Promise<void> {
  const held = await identitiesOf(view, id, userId);
  if (held.length + more > serviceLimits.externalIdentitiesPerUserMax) throw new RequestError('too_many_identities');
}

function unknownAccount(): RequestError {
  const message = serviceFieldErrors.ID_UNKNOWN('provisional account');
  return invalidBody([{ path: ['provisional_user_id'], code: 'ID_UNKNOWN', message }]);
}
