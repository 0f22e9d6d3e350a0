import type { TokenResponse } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import { mayHoldItself, requireScopes } from '../authorize/scope-rules.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import { type Form, scopesIn } from './form.ts';
import { oauthFaults } from './oauth-fault.ts';
import { issueApplicationToken } from './tokens.ts';

/**
 * Grant `client_credentials`: a token of the application itself, without a refresh token. A public client needs its
 * secret here, too.
 *
 * @throws OAuthFault `invalid_client`, `invalid_scope`
 * @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#pkce
 */
export async function grantToClient(
  core: Core,
  { application, proven }: AuthenticatedClient,
  form: Form,
): Promise<TokenResponse> {
  if (!proven) throw oauthFaults.client();
  const scopes = requireScopes(scopesIn(form), mayHoldItself);
  return core.store.transact(`application/${application.id}`, transaction =>
    issueApplicationToken(core, transaction, application.id, scopes),
  );
}
