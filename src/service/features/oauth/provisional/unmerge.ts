import type { Core } from '../../../core.ts';
import type { ApplicationRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { putProfile } from '../../social/users/profiles.ts';
import type { AuthorizationEvents } from '../authorize/authorization-events.ts';
import { authorizationScope, endAuthorization, findAuthorization } from '../authorize/authorization-records.ts';
import { type AccountMoves, moveOf } from './account-moves.ts';
import { type ExternalIdentity, identityScope } from './identity.ts';
import { drawAccount, requireFreeUsername, usernameScope } from './user.ts';

/**
 * Takes an identity from the full account that it was merged into. It then leads to a new provisional account, which
 * gets the user's display name and lobbies of the application; everything that the user had granted the application ends.
 *
 * @throws RequestError `unknown_user` when nobody has signed in with the identity; `invalid_user_type` when its
 *   account is provisional; `account_locked`, `no_unique_username`
 * @see docs/spec/oauth2.md#provisional-accounts; docs/spec/oauth2.md#unmerging
 */
export async function unmerge(
  core: Core,
  { moves, events }: { readonly moves: AccountMoves; readonly events: AuthorizationEvents },
  application: ApplicationRecord,
  identity: ExternalIdentity,
): Promise<void> {
  const known = await core.store.get('external_identities', application.id, identity.hash);
  if (!known) throw new RequestError('unknown_user');
  const parties = { application_id: application.id, user_id: known.user_id };
  const account = await drawAccount(core, application.id);
  const move = moveOf(core.ids.next(), application.id, known.user_id, account.id);
  const afterCommit = await core.store.transact(
    authorizationScope(parties),
    async transaction => {
      const record = await transaction.get('external_identities', application.id, identity.hash);
      if (record?.user_id !== known.user_id || record.operation_id !== null) throw new RequestError('account_locked');
      const user = await transaction.get('users', known.user_id);
      if (user?.provisional_of !== null) throw new RequestError('invalid_user_type');
      await requireFreeUsername(transaction, account);
      const authorization = await findAuthorization(transaction, parties);
      const profile = await transaction.get('application_profiles', known.user_id, application.id);
      if (authorization) await endAuthorization(transaction, authorization);
      transaction.put('users', { ...account, global_name: user.global_name });
      if (profile?.identity_hash === record.hash) {
        await putProfile(transaction, { ...profile, user_id: account.id, authorization_id: null });
      }
      moves.begin(transaction, move, [record]);
      return authorization && events.deauthorized(transaction, parties);
    },
    [identityScope(application.id, identity), usernameScope(account)],
  );
  afterCommit?.();
  await moves.finish(move);
}
