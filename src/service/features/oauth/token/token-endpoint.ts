import { deviceCodeGrantType, type TokenResponse } from '../../../../model/oauth.ts';
import type { Core } from '../../../core.ts';
import { mayHoldItself, requireScopes } from '../authorize/scope-rules.ts';
import type { IdTokens } from '../openid/signed-tokens.ts';
import type { ProvisionalMerges } from '../provisional/merge.ts';
import {
  type AuthenticatedClient,
  authenticateClient,
  type ClientRequest,
  type Form,
  field,
  scopesIn,
} from './client-request.ts';
import { exchangeCode } from './code-grant.ts';
import { redeemDevice } from './device-grant.ts';
import { oauthFaults } from './oauth-request-error.ts';
import { refresh } from './refresh-grant.ts';
import { issueApplicationToken } from './tokens.ts';

type Grant = (client: AuthenticatedClient, form: Form) => Promise<TokenResponse>;

/**
 * The token endpoint: chooses the grant, authenticates the client, then issues tokens.
 * @see docs/spec/oauth2.md#tokens
 */
export function createTokenEndpoint(core: Core, idTokens: IdTokens, merges: ProvisionalMerges) {
  const grants = new Map<string | undefined, Grant>([
    ['authorization_code', (client, form) => exchangeCode(core, { idTokens, merges }, client, form)],
    ['refresh_token', (client, form) => refresh(core, idTokens, client, form)],
    [deviceCodeGrantType, (client, form) => redeemDevice(core, { idTokens, merges }, client, form)],
    ['client_credentials', (client, form) => grantToClient(core, client, form)],
  ]);

  /** @throws OAuthRequestError; RequestError for an account that cannot be merged */
  return async (request: ClientRequest): Promise<TokenResponse> => {
    const { form } = request;
    const grantType = field(form, 'grant_type');
    const grant = grants.get(grantType);
    if (!grant) throw oauthFaults.grantType(grantType);
    return grant(await authenticateClient(core, request), form);
  };
}

/**
 * Grant `client_credentials`: a token of the application itself, without a refresh token. Here a public client needs
 * its secret, too.
 *
 * @throws OAuthRequestError `invalid_client`, `invalid_scope`
 * @see docs/spec/oauth2.md#tokens; docs/spec/oauth2.md#pkce
 */
async function grantToClient(
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
