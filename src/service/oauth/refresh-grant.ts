import { splitScopes, type TokenResponse } from '../../model/oauth.ts';
import type { Core } from '../core.ts';
import { hashSecret } from '../secret.ts';
import type { Transaction } from '../store/contract.ts';
import type { TokenRecord } from '../store/records.ts';
import { authorizationScope, endGrant, type Parties } from './authorization-records.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import { type Form, field, requiredField } from './form.ts';
import type { IdTokens } from './id-token.ts';
import { oauthFaults } from './oauth-fault.ts';
import { issuePair } from './tokens.ts';

/** A refresh token, with the parties that every token of a user's authorization names. */
type RefreshToken = TokenRecord & Parties & { readonly grant_id: string };

/**
 * Grant `refresh_token`: a new pair takes the place of the old one, which ends. Of several refreshes with one token,
 * one wins.
 *
 * Our choice: a token used again is refused, and that is all. Windows and processes of one game refresh at the same
 * moment, and to end the winner's pair for the loser's sake would sign the player out.
 *
 * @throws OAuthFault `invalid_grant`; `invalid_scope` when more is asked for than was granted
 * @see oauth2.md 3
 */
export async function refresh(
  core: Core,
  idTokens: IdTokens,
  { application }: AuthenticatedClient,
  form: Form,
): Promise<TokenResponse> {
  const hash = hashSecret(requiredField(form, 'refresh_token'));
  const token = await core.store.get('tokens', hash);
  if (!isRefreshToken(token) || token.application_id !== application.id) throw oauthFaults.refreshToken();
  const accessScopes = judgeScopes(form, token.scopes);
  const response = await core.store.transact(authorizationScope(token), transaction =>
    rotate(core, transaction, hash, accessScopes),
  );
  if (!response) throw oauthFaults.refreshToken();
  return idTokens.add(response, { ...token, nonce: null });
}

function isRefreshToken(token: TokenRecord | undefined): token is RefreshToken {
  return (
    token?.kind === 'refresh' && token.application_id !== null && token.user_id !== null && token.grant_id !== null
  );
}

/** Fewer scopes may be asked for than were granted. @see RFC 6749, 6 */
function judgeScopes(form: Form, granted: readonly string[]): readonly string[] {
  const text = field(form, 'scope');
  if (text === undefined) return granted;
  const scopes = splitScopes(text);
  if (scopes.length === 0 || !scopes.every(scope => granted.includes(scope))) throw oauthFaults.scope();
  return scopes;
}

/** @returns undefined when the token was used or its authorization ended meanwhile */
async function rotate(
  core: Core,
  transaction: Transaction,
  hash: string,
  accessScopes: readonly string[],
): Promise<TokenResponse | undefined> {
  const token = await transaction.get('tokens', hash);
  const authorization = await transaction.get('authorizations', token?.authorization_id ?? '');
  if (!isRefreshToken(token) || !authorization) return undefined;
  await endGrant(transaction, token.grant_id);
  return issuePair(core, transaction, { authorization, grantId: token.grant_id, scopes: token.scopes }, accessScopes);
}
