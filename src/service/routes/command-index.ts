import type { CommandIndexes, IndexReader } from '../domain/commands/index-of-user.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../http/call.ts';
import { applicationInPath } from './application-in-path.ts';
import { localeOf } from './locale-of.ts';

/**
 * What a user's own client shows when a command is typed.
 *
 * Our choice: a game asks the same by its player's access token, and sees the commands of its own application.
 *
 * @see docs/spec/commands.md#command-index
 */
export function commandIndexRoutes(indexes: CommandIndexes): Handlers {
  return {
    async getApplicationCommandIndex(call) {
      const reader = readerOf(call);
      if (reader.application) applicationInPath(call, 'user');
      return { status: 200, body: await indexes.ofApplication(reader, param(call, 'application_id')) };
    },
    async getChannelCommandIndex(call) {
      return { status: 200, body: await indexes.ofChannel(readerOf(call), param(call, 'channel_id')) };
    },
    async getGuildCommandIndex(call) {
      return { status: 200, body: await indexes.ofGuild(readerOf(call), param(call, 'guild_id')) };
    },
    async getUserCommandIndex(call) {
      return { status: 200, body: await indexes.ofUser(readerOf(call)) };
    },
  };
}

function readerOf(call: Call): IndexReader {
  const principal = expectPrincipal(call, 'session', 'user');
  return {
    user: principal.user,
    locale: localeOf(call, principal.user.locale),
    ...(principal.kind === 'user' && { application: principal.application }),
  };
}
