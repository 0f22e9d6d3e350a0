import type { ExternalAuth } from '../model/external-auth.ts';
import type { ExternalAuthFields } from '../model/provisional.ts';
import { checkProvisionalToken } from '../model/rules/accounts/provisional.ts';
import type { ApplicationId } from '../model/snowflake.ts';
import { requireType } from './arguments.ts';
import { rejectIssues } from './http/check.ts';

/**
 * A proof of identity as every endpoint takes it.
 *
 * @throws ValidationError; ArgumentError `invalid_argument`
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export function externalAuthFields(clientId: ApplicationId, external: ExternalAuth): Readonly<ExternalAuthFields> {
  requireType('external', external, 'object');
  const { type, token } = external;
  const fields = { external_auth_type: type, external_auth_token: token };
  rejectIssues('The external auth', checkProvisionalToken({ client_id: clientId, ...fields }));
  return fields;
}
