import type { ExternalAuth } from '../model/external-auth.ts';
import type { ExternalAuthFields } from '../model/provisional.ts';
import { checkProvisionalToken } from '../model/rules/accounts/provisional.ts';
import type { ApplicationId } from '../model/snowflake.ts';
import { rejectIssues } from './http/check.ts';

/**
 * A proof of identity as every endpoint takes it.
 *
 * @throws ValidationError
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export function externalAuthFields(
  clientId: ApplicationId,
  { type, token }: ExternalAuth,
): Readonly<ExternalAuthFields> {
  const fields = { external_auth_type: type, external_auth_token: token };
  rejectIssues('The external auth', checkProvisionalToken({ client_id: clientId, ...fields }));
  return fields;
}
