import type { ApplicationEdit } from '../../../model/application.ts';
import { checkApplicationEdit } from '../../../model/rules/accounts/application.ts';
import type { User } from '../../../model/user.ts';
import type { Core } from '../../core.ts';
import { PrivateAddressError } from '../../outbound/private-address.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import type { PendingWork } from '../../support/pending-work.ts';
import { invalidBody, type RequestError, rejectIssues } from '../../support/request-error.ts';
import { createEndpointProbe } from '../interactions/endpoint-probe.ts';
import { changeApplication } from './application-records.ts';
import { editBotUser } from './bot-user.ts';

/** What an application's bot may change about the application. */
export interface ApplicationEdits {
  /**
   * Changes the fields that the body contains. An address for interactions is probed first.
   *
   * @param body {@link ApplicationEdit}, not yet validated
   * @throws RequestError `invalid_form_body`, at `interactions_endpoint_url` also when the server there does not
   *   answer as required; `unknown_application` when it was deleted meanwhile
   */
  edit(application: ApplicationRecord, body: unknown): Promise<ApplicationRecord>;
  /** As {@link editBotUser}. */
  editBot(application: ApplicationRecord, body: unknown): Promise<User>;
}

/** @param pendingWork counts requests to other servers */
export function createApplicationEdits(core: Core, pendingWork: PendingWork): ApplicationEdits {
  const isServed = createEndpointProbe(core, pendingWork);

  return {
    editBot: (application, body) => editBotUser(core, application, body),

    async edit(application, body) {
      rejectIssues(checkApplicationEdit(body));
      const { description, interactions_endpoint_url: url } = body as ApplicationEdit;
      if (url && !(await isServed(application, url).catch(leadsInside))) throw notServed();
      return changeApplication(core.store, application.id, {
        ...(typeof description === 'string' && { description }),
        ...(url !== undefined && { interactions_endpoint_url: url || null }),
      });
    },
  };
}

/** @throws RequestError, or the error when it is another */
function leadsInside(error: unknown): never {
  throw error instanceof PrivateAddressError ? refusedAs('URL_ADDRESS_PRIVATE') : error;
}

function notServed(): RequestError {
  return refusedAs('APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID');
}

function refusedAs(code: 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID' | 'URL_ADDRESS_PRIVATE'): RequestError {
  const issue = { path: ['interactions_endpoint_url'], code, message: serviceFieldErrors[code]() };
  return invalidBody([issue]);
}
