import { asRecord } from '../../../../wire/http/codec.ts';
import type { Core } from '../../../core.ts';
import { signature } from '../../../outbound/signed-request.ts';
import type { ApplicationRecord, TicketProvider } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { type ExternalIdentity, identityOf, isExternalUserId } from './identity.ts';
import type { RequestProvider } from './provider-request.ts';

/** What the operator's server answers when the ticket itself is invalid. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404]);

/**
 * Asks the operator's server which player a ticket belongs to, because only its issuer can read it.
 *
 * @throws RequestError `invalid_access_token` when the ticket is not valid; `identity_provider_not_found` when the
 *   server does not answer as specified ({@link TicketProviderFixture})
 */
export async function verifyTicket(
  core: Pick<Core, 'clock' | 'vault'>,
  request: RequestProvider,
  application: ApplicationRecord,
  { type, verification_url }: TicketProvider,
  ticket: string,
): Promise<ExternalIdentity> {
  const question = { application_id: application.id, external_auth_type: type, external_auth_token: ticket };
  const answer = await request(verification_url, signed(core, application, JSON.stringify(question)));
  if (answer && refusals.has(answer.status)) throw new RequestError('invalid_access_token');
  const told = answer?.status === 200 ? asRecord(answer.body) : undefined;
  const subject = told?.external_user_id;
  if (!isExternalUserId(subject)) {
    throw new RequestError('identity_provider_not_found', {
      message: `The identity provider for ${type} did not answer as specified`,
    });
  }
  return identityOf({ type, subject, name: told?.preferred_global_name });
}

function signed(core: Pick<Core, 'clock' | 'vault'>, application: ApplicationRecord, body: string) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...signature(core, application, body),
  };
  return { method: 'POST', headers, body };
}
