import type { TokenResponse } from '../../../../model/oauth.ts';
import type { ChildTokenInput } from '../../../../model/provisional.ts';
import { checkChildToken } from '../../../../model/rules/accounts/provisional.ts';
import type { Core } from '../../../core.ts';
import type { ApplicationRecord, TokenRecord } from '../../../store/records.ts';
import { RequestError, rejectIssues } from '../../../support/request-error.ts';
import { hashSecret } from '../../../support/secret.ts';
import { serviceLimits } from '../../../support/service-limits.ts';
import { readId } from '../../lobbies/records.ts';
import { authorizationScope, findHolding } from '../authorize/authorization-records.ts';
import type { PartnerClients } from '../provisional/partner-client.ts';
import { createSecret, makeRoom, requireAccessToken, secondsBetween, tokenAnswer } from './tokens.ts';

/**
 * Exchanges a user's token of a publisher's application for a token of an application that belongs to the publisher,
 * with the same scopes. It belongs to the same authorization and the same grant, so it ends with the parent's token.
 *
 * @throws RequestError `invalid_form_body`; `invalid_access_token` when the parent's token is not valid;
 *   `wrong_client_secret`, `rate_limited`; `unknown_application` unless the child belongs to the parent
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export async function exchangeChildToken(
  core: Core,
  clients: PartnerClients,
  input: unknown,
  address: string,
): Promise<TokenResponse> {
  rejectIssues(checkChildToken(input));
  const { parent_access_token, child_application_id, parent_client_secret } = input as ChildTokenInput;
  const parentToken = await requireAccessToken(core, parent_access_token);
  const parent = await core.store.get('applications', parentToken.application_id ?? '');
  if (!parent) throw new RequestError('invalid_access_token');
  await clients.prove(parent, { secret: parent_client_secret, address });
  const child = await core.store.get('applications', readId<'application'>(child_application_id));
  if (child?.parent_id !== parent.id) throw new RequestError('unknown_application');
  return issue(core, parentToken, child);
}

async function issue(core: Core, { hash, authorization_id }: TokenRecord, child: ApplicationRecord) {
  const authorization = await findHolding(core.store, authorization_id);
  if (!authorization) throw new RequestError('invalid_access_token');
  const secret = createSecret(core);
  return core.store.transact(authorizationScope(authorization), async transaction => {
    const parentToken = await transaction.get('tokens', hash);
    const holding = await findHolding(transaction, authorization.id);
    if (!parentToken || !holding) throw new RequestError('invalid_access_token');
    // The child may have got another parent meanwhile, which ends only the tokens that are there.
    const present = await transaction.get('applications', child.id);
    if (present?.parent_id !== child.parent_id) throw new RequestError('unknown_application');
    await makeRoom(
      transaction,
      { index: 'byAuthorization', equals: [authorization.id] },
      serviceLimits.childTokensPerAuthorizationMax,
      ({ application_id }) => application_id !== authorization.application_id,
    );
    const serial = core.ids.next();
    transaction.put('tokens', { ...parentToken, hash: hashSecret(secret), application_id: child.id, serial });
    return tokenAnswer(secret, parentToken.scopes, secondsBetween(core.clock.now(), parentToken.expires_at_ms ?? 0));
  });
}
