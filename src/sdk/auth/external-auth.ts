import type { ExternalAuthType } from '../../model/external-auth.ts';
import type { ExternalAuthFields } from '../../model/provisional.ts';
import { checkProvisionalToken } from '../../model/rules/accounts/provisional.ts';
import { rejectIssues } from '../../wire/http/check.ts';

/** Proof of the player's identity at another service. @see docs/spec/oauth2.md#external-identities */
export interface ExternalAuth {
  readonly type: ExternalAuthType;
  /** The token that the other service issued for the player: 1 to `externalAuthTokenLengthMax` characters. Secret. */
  readonly token: string;
}

/**
 * The proof as fields of a request.
 *
 * @throws ValidationError
 * @see docs/spec/oauth2.md#provisional-accounts
 */
export function externalAuthFields(clientId: string, { type, token }: ExternalAuth): Readonly<ExternalAuthFields> {
  const fields = { external_auth_type: type, external_auth_token: token };
  rejectIssues('The external auth', checkProvisionalToken({ client_id: clientId, ...fields }));
  return fields;
}
