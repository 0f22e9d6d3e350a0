import { limits } from '../../../model/limits/limits.ts';
import type { TokenResponse } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import type { Transaction } from '../../store/contract.ts';
import type { TokenRecord } from '../../store/records.ts';
import { hashSecret } from '../../support/secret.ts';
import { authorizationScope, endGrant, type Parties } from '../authorize/authorization-records.ts';
import { requireScopes } from '../authorize/scope-rules.ts';
import type { IdTokens } from '../openid/id-token.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import { type Form, field, requiredField, scopesIn } from './form.ts';
import { oauthFaults } from './oauth-fault.ts';
import { openAnswer, type RefreshRequest, sealAnswer } from './refresh-answer.ts';
import { issuePair } from './tokens.ts';

/** A refresh token, with the parties that every token of a user's authorization names. */
type RefreshToken = TokenRecord & Parties & { readonly grant_id: string };

/**
 * Grant `refresh_token`: a new pair takes the place of the old one, which ends. Of several refreshes with one token,
 * one wins.
 *
 * Our choices: a token used again is refused, and that is all. Windows and processes of one game refresh at the same
 * moment, and to end the winner's pair for the loser's sake would sign the player out. And a client may name its request
 * by an `idempotency_key`: it then gets the same answer again, for as long as the new pair has not been refreshed in turn,
 * so that one that dies before it has kept the answer does not sign its player out.
 *
 * @throws OAuthFault `invalid_grant`; `invalid_scope` when more is asked for than was granted; `invalid_request`
 * @see docs/spec/oauth2.md#tokens; RFC 6749, section 3.2
 */
export async function refresh(
  core: Core,
  idTokens: IdTokens,
  { application }: AuthenticatedClient,
  form: Form,
): Promise<TokenResponse> {
  const request: RefreshRequest = { secret: requiredField(form, 'refresh_token'), key: readKey(form) };
  const token = await core.store.get('tokens', hashSecret(request.secret));
  if (!isRefreshToken(token) || token.application_id !== application.id) throw oauthFaults.refreshToken();
  const accessScopes = judgeScopes(form, token.scopes);
  const response = await core.store.transact(authorizationScope(token), transaction =>
    rotate(core, transaction, request, accessScopes),
  );
  if (!response) throw oauthFaults.refreshToken();
  return idTokens.add(response, { ...token, nonce: null });
}

function isRefreshToken(token: TokenRecord | undefined): token is RefreshToken {
  return (
    token?.kind === 'refresh' && token.application_id !== null && token.user_id !== null && token.grant_id !== null
  );
}

/** Fewer scopes may be asked for than were granted. @see RFC 6749, section 6 */
function judgeScopes(form: Form, granted: readonly string[]): readonly string[] {
  if (field(form, 'scope') === undefined) return granted;
  return requireScopes(scopesIn(form), scope => granted.includes(scope));
}

// What nobody guesses, and nobody fills the store with.
const { idempotencyKeyLengthMin, idempotencyKeyLengthMax } = limits;
const keyForm = new RegExp(`^[\\x21-\\x7E]{${idempotencyKeyLengthMin},${idempotencyKeyLengthMax}}$`);

function readKey(form: Form): string | undefined {
  const key = field(form, 'idempotency_key');
  if (key !== undefined && !keyForm.test(key)) throw oauthFaults.invalid('idempotency_key');
  return key;
}

/** @returns undefined when the token was used (by another request) or its authorization ended meanwhile */
async function rotate(
  core: Core,
  transaction: Transaction,
  request: RefreshRequest,
  accessScopes: readonly string[],
): Promise<TokenResponse | undefined> {
  const token = await transaction.get('tokens', hashSecret(request.secret));
  const authorization = await transaction.get('authorizations', token?.authorization_id ?? '');
  if (!isRefreshToken(token) || !authorization) return undefined;
  if (token.answered) return openAnswer(core, request, token.answered);
  await endGrant(transaction, token.grant_id);
  const grant = { authorization, grantId: token.grant_id, scopes: token.scopes };
  const response = issuePair(core, transaction, grant, accessScopes);
  const answered = sealAnswer(core, request, response);
  if (answered) transaction.put('tokens', { ...token, answered });
  return response;
}
