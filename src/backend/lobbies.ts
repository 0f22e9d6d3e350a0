import type { LobbyId } from '../model/snowflake.ts';
import type { Call, RequestOptions } from './calls.ts';
import { createManagedLobbies, type LobbyGuard, type ManagedLobbies, type ManagedPorts } from './fleet/managed.ts';
import { createLobbyCalls, type LobbyCalls } from './lobbies/lobby-calls.ts';
import { Operations } from './operation.ts';

/**
 * The application's lobbies: the interface's calls by lobby id, and on top of them lobbies by the game's own keys, kept
 * together with other servers.
 *
 * Writes by id to a lobby that was handed to another server, or lost to it, are refused: OwnershipError `not_owner`.
 * Writes by id and ensure or reconcile of one lobby undo each other; use the ones or the others.
 */
export interface Lobbies extends LobbyCalls, ManagedLobbies {}

export type LobbyPorts = Omit<ManagedPorts, 'operations'>;

/** @throws ArgumentError `invalid_server_name`, `invalid_lease` */
export function createLobbies(call: Call, ports: LobbyPorts): Lobbies {
  const operations = new Operations(ports.clock);
  const calls = createLobbyCalls(call, operations, ports.deadlineMs);
  const { guard, deleteHeld, ...managed } = createManagedLobbies(calls, { ...ports, operations });
  return { ...calls, ...guarded(calls, { guard, deleteHeld }, ports.deadlineMs), ...managed };
}

/** The calls that change a lobby, as long as it is not another server's. */
function guarded(calls: LobbyCalls, { guard, deleteHeld }: LobbyGuard, defaultDeadlineMs: number) {
  function write<T>(
    id: LobbyId,
    options: RequestOptions = {},
    send: (options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const { deadlineMs = defaultDeadlineMs } = options;
    return guard(id, bounds => send({ ...options, ...bounds, deadlineMs: Math.min(deadlineMs, bounds.deadlineMs) }));
  }

  return {
    edit: (id, input, options) => write(id, options, within => calls.edit(id, input, within)),
    async delete(id, options = {}) {
      if (await deleteHeld(id, options)) return;
      await write(id, options, within => calls.delete(id, within));
    },
    putMember: (id, userId, input, options) => write(id, options, within => calls.putMember(id, userId, input, within)),
    removeMember: (id, userId, options) => write(id, options, within => calls.removeMember(id, userId, within)),
    bulkMembers: (id, changes, options) => write(id, options, within => calls.bulkMembers(id, changes, within)),
  } satisfies Partial<LobbyCalls>;
}
