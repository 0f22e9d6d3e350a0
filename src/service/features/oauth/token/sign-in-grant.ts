import type { TokenResponse } from '../../../../model/oauth.ts';
import type { Core } from '../../../core.ts';
import type { Transaction } from '../../../store/contract.ts';
import { authorizationScope } from '../authorize/authorization-records.ts';
import type { IdTokenSubject, IdTokens } from '../openid/signed-tokens.ts';
import type { ProvisionalMerges } from '../provisional/merge.ts';
import type { AuthenticatedClient, Form } from './client-request.ts';

/** What the grants that sign users in depend on. */
export interface SignInGrantDeps {
  readonly idTokens: IdTokens;
  readonly merges: ProvisionalMerges;
}

/** A code that a user has approved, and the client that redeems it. */
export interface SignInGrant {
  readonly client: AuthenticatedClient;
  /** The form of the request, which may also name a provisional account to merge. */
  readonly form: Form;
  readonly subject: IdTokenSubject;
  /** Store scopes that the transaction needs besides that of the user's authorization. */
  readonly guards?: readonly string[];
  /** Issues the tokens once: undefined when the code was used, or its authorization has ended. */
  readonly redeem: (transaction: Transaction) => Promise<TokenResponse | undefined>;
}

/**
 * Redeems a code, together with the merge that the request asks for.
 *
 * @returns undefined when there was nothing to redeem
 * @throws OAuthRequestError, RequestError those of {@link ProvisionalMerges}
 */
export async function signInBy(
  core: Core,
  { idTokens, merges }: SignInGrantDeps,
  { client, form, subject, guards = [], redeem }: SignInGrant,
): Promise<TokenResponse | undefined> {
  const merge = await merges.prepare(client, form);
  const response = await core.store.transact(
    authorizationScope(subject),
    async transaction => {
      await merge?.checkDestination(transaction, subject.user_id);
      const issued = await redeem(transaction);
      if (issued) await merge?.begin(transaction, subject.user_id);
      return issued;
    },
    [...guards, ...(merge?.guards ?? [])],
  );
  if (!response) return undefined;
  await merge?.complete();
  return idTokens.add(response, subject);
}
