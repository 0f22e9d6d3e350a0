import type { TokenResponse } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import { hashSecret } from '../../support/secret.ts';
import { issueAccess, makeSecret } from '../token/tokens.ts';
import { authorizationScope, recordGrant } from './authorization-records.ts';
import type { Approval } from './authorization-request.ts';
import { lastingScopes } from './scope-rules.ts';

/**
 * Records that the user granted what the request asks for and gives an access token for it, which nothing renews. It
 * is a grant of its own: the user's other sign-ins do not end with it.
 *
 * @see docs/spec/oauth2.md#authorization-request; docs/spec/oauth2.md#answers
 */
export async function issueToken(core: Core, { request, userId }: Approval): Promise<TokenResponse> {
  const parties = { application_id: request.application.id, user_id: userId };
  const newId = core.ids.next();
  const grantId = hashSecret(makeSecret(core));
  return core.store.transact(authorizationScope(parties), async transaction => {
    const authorization = await recordGrant(transaction, parties, lastingScopes(request), newId);
    return issueAccess(core, transaction, { authorization, grantId, scopes: request.scopes });
  });
}
