import type { ApplicationEdit } from '../../model/application.ts';
import { fieldErrors } from '../../model/issue.ts';
import { checkApplicationEdit } from '../../model/rules/application.ts';
import type { ApplicationId } from '../../model/snowflake.ts';
import type { Activity } from '../activity.ts';
import type { Core } from '../core.ts';
import { Fault, refuseIssues } from '../fault.ts';
import { PrivateAddressError } from '../private-address.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { createEndpointProbe } from './endpoint-probe.ts';

/** What an application's bot may change of it. */
export interface ApplicationEdits {
  /**
   * Changes the fields that the body supplies. An address for interactions is tried out first.
   *
   * @param body {@link ApplicationEdit}, yet unread
   * @throws Fault `invalid_form_body`, at `interactions_endpoint_url` also when the server there does not answer as it
   *   should; `unknown_application` when it is gone meanwhile
   */
  edit(application: ApplicationRecord, body: unknown): Promise<ApplicationRecord>;
}

/** @param activity counts the questions to servers under way */
export function createApplicationEdits(core: Core, activity: Activity): ApplicationEdits {
  const isServed = createEndpointProbe(core, activity);

  async function change(id: ApplicationId, fields: Partial<ApplicationRecord>): Promise<ApplicationRecord> {
    // In one scope with the fixtures, which write applications, too.
    return core.store.transact('fixtures', async transaction => {
      const current = await transaction.get('applications', id);
      if (!current) throw new Fault('unknown_application');
      const changed = { ...current, ...fields };
      transaction.put('applications', changed);
      return changed;
    });
  }

  return {
    async edit(application, body) {
      refuseIssues(checkApplicationEdit(body));
      const { description, interactions_endpoint_url: url } = body as ApplicationEdit;
      if (url && !(await isServed(application, url).catch(leadsInside))) throw notServed();
      return change(application.id, {
        ...(typeof description === 'string' && { description }),
        ...(url !== undefined && { interactions_endpoint_url: url || null }),
      });
    },
  };
}

/** @throws Fault, or the error when it is another */
function leadsInside(error: unknown): never {
  throw error instanceof PrivateAddressError ? refusedAs('URL_ADDRESS_PRIVATE') : error;
}

function notServed(): Fault {
  return refusedAs('APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID');
}

function refusedAs(code: 'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID' | 'URL_ADDRESS_PRIVATE'): Fault {
  const issue = { path: ['interactions_endpoint_url'], code, message: fieldErrors[code]() };
  return new Fault('invalid_form_body', {}, [issue]);
}
