import { externalAuthTokenLengthMax, isExternalAuthType } from '../../../../model/external-auth.ts';
import type { ExternalAuthFields } from '../../../../model/provisional.ts';
import type { UserId } from '../../../../model/snowflake.ts';
import type { Core } from '../../../core.ts';
import type { StoreView, Transaction } from '../../../store/contract.ts';
import type {
  AccountMoveRecord,
  ApplicationProfileRecord,
  ApplicationRecord,
  UserRecord,
} from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { putProfile, removeProfile } from '../../social/users/profiles.ts';
import { authorizationScope, endAuthorization, findAuthorization } from '../authorize/authorization-records.ts';
import { type AuthenticatedClient, type Form, field } from '../token/client-request.ts';
import { oauthFaults } from '../token/oauth-request-error.ts';
import { type AccountMoves, moveOf } from './account-moves.ts';
import { requireRoomForIdentities } from './accounts.ts';
import type { ExternalAuthentication } from './external-auth.ts';
import { identitiesOf, identityScope } from './identity.ts';
import { userScope } from './user.ts';

/** Merges provisional accounts into full ones, together with a grant of the token endpoint. @see docs/spec/oauth2.md#merging */
export interface ProvisionalMerges {
  /**
   * Verifies the provisional account that a grant's form names; undefined when it names none.
   *
   * @throws OAuthRequestError `invalid_request`; RequestError those of {@link ExternalAuthentication.verify}
   */
  prepare(client: AuthenticatedClient, form: Form): Promise<ProvisionalMerge | undefined>;
}

/** One merge: applied in the transaction that redeems the grant, and completed after its commit. */
export interface ProvisionalMerge {
  /** Further store scopes that the transaction needs. */
  readonly guards: readonly string[];
  /**
   * Checks the account before the grant is redeemed, because a banned account cannot redeem it. @throws RequestError
   * `invalid_merge_destination`
   */
  checkDestination(transaction: Transaction, destinationId: UserId): Promise<void>;
  /**
   * Ends the provisional account with its tokens, and lets its identities lead to the account that the grant is for.
   * Call it within that account's authorization scope. An identity that leads there already changes nothing.
   *
   * @throws RequestError `invalid_merge_source`, `merge_source_banned`, `invalid_merge_destination`,
   *   `too_many_identities`, `account_locked`
   */
  begin(transaction: Transaction, destinationId: UserId): Promise<void>;
  /** Moves the memberships. Unspecified: the tokens are answered after that, so that a game finds its lobbies. */
  complete(): Promise<void>;
}

export function createProvisionalMerges(
  core: Core,
  externalAuth: ExternalAuthentication,
  moves: AccountMoves,
): ProvisionalMerges {
  const { store, ids } = core;
  return {
    async prepare(client, form) {
      const { application } = client;
      const auth = readExternalAuth(form);
      if (!auth) return undefined;
      const identity = await externalAuth.verify(client, auth);
      const known = await store.get('external_identities', application.id, identity.hash);
      const operationId = ids.next();
      let begun: AccountMoveRecord | undefined;
      return {
        guards: [identityScope(application.id, identity), ...(known ? scopesOf(application, known.user_id) : [])],

        checkDestination: requireDestination,

        async begin(transaction, destinationId) {
          begun = undefined;
          const record = await transaction.get('external_identities', application.id, identity.hash);
          if (record?.user_id !== known?.user_id || (record && record.operation_id !== null)) {
            throw new RequestError('account_locked');
          }
          if (record?.user_id === destinationId) return;
          const source = validateSource(application, await transaction.get('users', record?.user_id ?? ''));
          await requireDestination(transaction, destinationId);
          const identities = await identitiesOf(transaction, application.id, source.id);
          await requireRoomForIdentities(transaction, application, destinationId, identities.length);
          const profile = await transaction.get('application_profiles', source.id, application.id);
          await endAccount(transaction, application, source);
          if (profile) await giveProfile(transaction, profile, destinationId);
          begun = moveOf(operationId, application.id, source.id, destinationId);
          moves.begin(transaction, begun, identities);
        },

        async complete() {
          if (begun) await moves.finish(begun);
        },
      };
    },
  };
}

/** The store scopes of everything that changes a provisional account. */
function scopesOf({ id }: ApplicationRecord, userId: UserId): string[] {
  return [authorizationScope({ application_id: id, user_id: userId }), userScope(userId)];
}

function readExternalAuth(form: Form): ExternalAuthFields | undefined {
  const type = field(form, 'external_auth_type');
  const token = field(form, 'external_auth_token');
  if (type === undefined && token === undefined) return undefined;
  if (type === undefined) throw oauthFaults.missing('external_auth_type');
  if (token === undefined) throw oauthFaults.missing('external_auth_token');
  if (!isExternalAuthType(type)) throw oauthFaults.invalid('external_auth_type');
  if (token.length > externalAuthTokenLengthMax) throw oauthFaults.invalid('external_auth_token');
  return { external_auth_type: type, external_auth_token: token };
}

function validateSource({ id }: ApplicationRecord, source: UserRecord | undefined): UserRecord {
  if (source?.provisional_of !== id) throw new RequestError('invalid_merge_source');
  if (source.banned) throw new RequestError('merge_source_banned');
  return source;
}

async function requireDestination(view: StoreView, userId: UserId): Promise<void> {
  const user = await view.get('users', userId);
  if (user?.provisional_of !== null || user.banned) throw new RequestError('invalid_merge_destination');
}

async function endAccount(transaction: Transaction, { id }: ApplicationRecord, source: UserRecord): Promise<void> {
  const authorization = await findAuthorization(transaction, { application_id: id, user_id: source.id });
  if (authorization) await endAuthorization(transaction, authorization);
  transaction.delete('former_authorizations', source.id, id);
  for (const profile of await transaction.list('application_profiles', { equals: [source.id] })) {
    await removeProfile(transaction, profile);
  }
  transaction.delete('users', source.id);
}

/** The profile goes with the identities, in the place of one that the full account has. */
async function giveProfile(
  transaction: Transaction,
  profile: ApplicationProfileRecord,
  user_id: UserId,
): Promise<void> {
  const { application_id } = profile;
  const authorization_id = (await findAuthorization(transaction, { application_id, user_id }))?.id ?? null;
  await putProfile(transaction, { ...profile, user_id, authorization_id });
}
