import type { CommandPermissions } from '../domain/commands/permissions.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../http/call.ts';
import type { ApplicationRecord, UserRecord } from '../store/records.ts';
import { applicationInPath } from './application-in-path.ts';

/** @see docs/spec/permissions.md#replacing */
export function commandPermissionRoutes(permissions: CommandPermissions): Handlers {
  return {
    async listCommandPermissions(call) {
      const { application, reader } = readerOf(call);
      return { status: 200, body: await permissions.list(application, param(call, 'guild_id'), reader) };
    },
    async getCommandPermissions(call) {
      const { application, reader } = readerOf(call);
      const [guildId, id] = [param(call, 'guild_id'), param(call, 'command_id')];
      return { status: 200, body: await permissions.get(application, guildId, id, reader) };
    },
    async replaceCommandPermissions(call) {
      const { user } = expectPrincipal(call, 'user');
      const application = applicationInPath(call, 'user');
      const [guildId, id] = [param(call, 'guild_id'), param(call, 'command_id')];
      return { status: 200, body: await permissions.replace(application, guildId, id, user, call.body) };
    },
  };
}

/** The application, and the user who asks in its name. */
function readerOf(call: Call): { readonly application: ApplicationRecord; readonly reader: UserRecord | undefined } {
  const principal = expectPrincipal(call, 'bot', 'application', 'user');
  const application = applicationInPath(call, 'bot', 'application', 'user');
  return { application, reader: principal.kind === 'user' ? principal.user : undefined };
}
