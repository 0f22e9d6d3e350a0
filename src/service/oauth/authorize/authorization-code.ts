import type { Core } from '../../core.ts';
import { hashSecret } from '../../support/secret.ts';
import { serviceLimits } from '../../support/service-limits.ts';
import { makeSecret } from '../token/tokens.ts';
import { authorizationScope, recordGrant } from './authorization-records.ts';
import type { Approval } from './authorization-request.ts';
import { lastingScopes } from './scope-rules.ts';

/**
 * Records that the user granted what the request asks for and gives a code for it, good once and for
 * {@link serviceLimits.authorizationCodeLifeMs}.
 */
export async function issueCode(core: Core, { request, userId, guildId }: Approval): Promise<string> {
  const parties = { application_id: request.application.id, user_id: userId };
  const code = makeSecret(core);
  const newId = core.ids.next();
  await core.store.transact(authorizationScope(parties), async transaction => {
    const authorization = await recordGrant(transaction, parties, lastingScopes(request), newId);
    transaction.put('codes', {
      hash: hashSecret(code),
      authorization_id: authorization.id,
      ...parties,
      scopes: request.scopes,
      redirect_uri: request.redirectUri,
      code_challenge: request.codeChallenge,
      guild_id: guildId !== undefined && request.scopes.includes('bot') ? guildId : null,
      nonce: request.nonce,
      expires_at_ms: core.clock.now() + serviceLimits.authorizationCodeLifeMs,
      used: false,
    });
  });
  return code;
}
