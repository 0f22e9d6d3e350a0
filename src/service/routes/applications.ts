import type { ApplicationEdits } from '../domain/application-edit.ts';
import { expectPrincipal, type Handlers } from '../http/call.ts';
import type { Authorization } from '../oauth/authorization.ts';

/** The application whose bot calls. @see commands.md 7, "Application (self)" */
export function applicationRoutes(
  edits: ApplicationEdits,
  { showOwnApplication }: Pick<Authorization, 'showOwnApplication'>,
): Handlers {
  return {
    async getOwnApplication(call) {
      return { status: 200, body: await showOwnApplication(expectPrincipal(call, 'bot').application) };
    },
    async editOwnApplication(call) {
      const edited = await edits.edit(expectPrincipal(call, 'bot').application, call.body);
      return { status: 200, body: await showOwnApplication(edited) };
    },
  };
}
