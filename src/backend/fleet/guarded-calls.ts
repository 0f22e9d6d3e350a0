import { type LobbyId, parseSnowflake } from '../../model/snowflake.ts';
import { parseOptions } from '../../wire/arguments.ts';
import type { RequestOptions } from '../calls.ts';
import type { Lobbies } from '../lobbies.ts';
import type { Ownership } from './ownership.ts';

/** What the calls by lobby id ask the managed lobbies about ownership. */
export interface LobbyGuard {
  /** @see Ownership.guard */
  guard: Ownership['guard'];
  /** Deletes a lobby and its entry, if it is one of this server's. @returns whether it was */
  deleteHeld(id: LobbyId, options: RequestOptions | undefined): Promise<boolean>;
}

/** The calls by lobby id. Those that write reject for lobbies that belong to another server. */
export function guardedCalls(calls: Lobbies, { guard, deleteHeld }: LobbyGuard, defaultDeadlineMs: number): Lobbies {
  async function write<T>(
    id: LobbyId,
    given: RequestOptions | undefined,
    send: (options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const options = parseOptions(given);
    const { deadlineMs = defaultDeadlineMs } = options;
    return guard(lobbyId(id), bounds =>
      send({ ...options, ...bounds, deadlineMs: Math.min(deadlineMs, bounds.deadlineMs) }),
    );
  }

  return {
    ...calls,
    edit: (id, input, options) => write(id, options, within => calls.edit(id, input, within)),
    async delete(id, options) {
      if (await deleteHeld(lobbyId(id), options)) return;
      await write(id, options, within => calls.delete(id, within));
    },
    putMember: (id, userId, input, options) => write(id, options, within => calls.putMember(id, userId, input, within)),
    removeMember: (id, userId, options) => write(id, options, within => calls.removeMember(id, userId, within)),
    bulkMembers: (id, changes, options) => write(id, options, within => calls.bulkMembers(id, changes, within)),
    setModerationMetadata: (id, messageId, metadata, options) =>
      write(id, options, within => calls.setModerationMetadata(id, messageId, metadata, within)),
    createInvite: (id, userId, options) => write(id, options, within => calls.createInvite(id, userId, within)),
  };
}

/** As text, which lobbies are known by: the calls accept a bigint, too. @throws ArgumentError `invalid_snowflake` */
function lobbyId(id: LobbyId): LobbyId {
  return parseSnowflake<'lobby'>(id, 'lobbyId');
}
