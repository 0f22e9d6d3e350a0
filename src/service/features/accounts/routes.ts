import { applicationInPath, type Call, expectPrincipal, type Handlers, type Reply } from '../../http/call.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { Authorization } from '../oauth/authorize/authorization.ts';
import { currentBotView } from '../oauth/current-user/claims.ts';
import type { ApplicationEdits } from './application-edit.ts';

/** The application whose bot calls, as its own or by its id. @see docs/spec/http.md#application */
export function applicationRoutes(
  edits: ApplicationEdits,
  { showOwnApplication, roleConnections }: Pick<Authorization, 'showOwnApplication' | 'roleConnections'>,
): Handlers {
  const own = (call: Call) => expectPrincipal(call, 'bot').application;
  const named = (call: Call) => applicationInPath(call, 'bot');
  const show = async (application: ApplicationRecord): Promise<Reply> => ({
    status: 200,
    body: await showOwnApplication(application),
  });
  return {
    getOwnApplication: call => show(own(call)),
    editOwnApplication: async call => show(await edits.edit(own(call), call.body)),
    getApplication: async call => show(named(call)),
    editApplication: async call => show(await edits.edit(named(call), call.body)),
    editCurrentUser: async call => ({ status: 200, body: currentBotView(await edits.editBot(own(call), call.body)) }),
    listRoleConnectionMetadata: call => ({ status: 200, body: named(call).role_connection_metadata }),
    replaceRoleConnectionMetadata: async call => ({
      status: 200,
      body: await roleConnections.replaceMetadata(named(call), call.body),
    }),
  };
}
