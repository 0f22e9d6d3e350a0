import type { Core } from '../../../core.ts';
import type { TokenRecord } from '../../../store/records.ts';
import { hashSecret } from '../../../support/secret.ts';
import { authorizationScope, endAuthorization, endToken, type Parties } from '../authorize/authorization-records.ts';
import { type AuthenticatedClient, type Form, field, requiredField } from './client-request.ts';
import { deleteEndedLater, type EndingDeps } from './end-user-tokens.ts';
import { oauthFaults } from './oauth-request-error.ts';
import { findRefreshToken } from './tokens.ts';

const tokenTypes: ReadonlySet<string> = new Set(['access_token', 'refresh_token']);

/**
 * Ends a token. With a user's token, every code and token of the user's authorization for the application ends. A
 * child application's token ends alone, because the authorization is its parent's.
 *
 * Unspecified: a token that is unknown or another application's is no error (RFC 7009, section 2.2).
 *
 * @throws OAuthRequestError `invalid_request` without a token, `unsupported_token_type`
 * @see docs/spec/oauth2.md#revocation
 */
export async function revoke(
  core: Core,
  deps: EndingDeps,
  { application }: AuthenticatedClient,
  form: Form,
): Promise<void> {
  const secret = requiredField(form, 'token');
  const hint = field(form, 'token_type_hint');
  if (hint !== undefined && !tokenTypes.has(hint)) throw oauthFaults.tokenType();
  const token = (await findRefreshToken(core.store, secret)) ?? (await core.store.get('tokens', hashSecret(secret)));
  if (!token || token.application_id !== application.id) return;
  await (isUsers(token) ? endUsers(core, deps, token) : endApplications(core, token.hash, application.id));
}

type UsersToken = TokenRecord & Parties & { readonly authorization_id: string };

function isUsers(token: TokenRecord): token is UsersToken {
  return token.application_id !== null && token.user_id !== null && token.authorization_id !== null;
}

async function endUsers(core: Core, deps: EndingDeps, token: UsersToken): Promise<void> {
  const ended = await core.store.transact(authorizationScope(token), async transaction => {
    const authorization = await transaction.get('authorizations', token.authorization_id);
    if (authorization?.application_id !== token.application_id) {
      endToken(transaction, token);
      return undefined;
    }
    await endAuthorization(transaction, authorization);
    return { authorization, afterCommit: await deps.events.deauthorized(transaction, authorization) };
  });
  if (!ended) return;
  ended.afterCommit();
  deleteEndedLater(core, deps, ended.authorization);
}

async function endApplications(core: Core, hash: string, applicationId: string): Promise<void> {
  await core.store.transact(`application/${applicationId}`, transaction => transaction.delete('tokens', hash));
}
