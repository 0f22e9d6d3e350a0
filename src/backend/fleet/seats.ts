import { ApiError } from '../../model/errors/errors.ts';
import { limits } from '../../model/limits/limits.ts';
import type { LobbyMemberInput, Metadata } from '../../model/lobby.ts';
import { checkLobbyMember } from '../../model/rules/lobbies/lobby.ts';
import type { LobbyId, UserId } from '../../model/snowflake.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { Lobbies } from '../lobbies.ts';
import type { Operation } from '../operation.ts';
import { OwnershipError } from './ownership-error.ts';
import type { RecordTable, Stored } from './registry.ts';

/** What the directory holds of a lobby. */
export interface OpenEntry {
  readonly metadata: Metadata;
  readonly capacity: number;
  readonly players: readonly UserId[];
  /** Players whom the service may not have removed yet, so that their seats are not free. Absent: none. */
  readonly leaving?: readonly UserId[] | undefined;
  /** How many players have been added. Absent: 0. */
  readonly added?: number | undefined;
  readonly isListed: boolean;
  readonly openedAtMs: number;
}

// Every member who joins or leaves can be ahead of another one, some times each. More means that the directory never says it has written.
const changesLostMax = 10 * limits.lobbyMembersMax;

export interface SeatsPorts {
  readonly calls: Lobbies;
  readonly entries: RecordTable<OpenEntry>;
  /** Undoes half of an operation, also when that was aborted or its deadline has passed. What fails is left to `refresh()`. */
  cleanUp(work: (operation: Operation) => Promise<unknown>): Promise<void>;
}

/** Gives and frees the seats of lobbies, each by a compare-and-set of the lobby's entry, and changes entries otherwise. */
export function createSeats({ calls, entries, cleanUp }: SeatsPorts) {
  /**
   * Changes an entry, again from the start when somebody else changed it meanwhile.
   *
   * @param change gives undefined to leave it as it is, null to delete it
   * @returns the entry afterwards; undefined without one
   */
  async function update(
    operation: Operation,
    id: LobbyId,
    change: (entry: OpenEntry) => OpenEntry | null | undefined | Promise<OpenEntry>,
  ): Promise<OpenEntry | undefined> {
    for (let lost = 0; lost < changesLostMax; lost++) {
      operation.check();
      const stored: Stored<OpenEntry> | undefined = await entries.get(id);
      if (!stored) return undefined;
      const changed = await change(stored.value);
      if (changed === undefined) return stored.value;
      if (changed === null) {
        if (await entries.delete(id, stored)) return undefined;
      } else if (await entries.write(id, stored, changed)) return changed;
    }
    throw notWritten(`${changesLostMax} changes of the lobby ${id} in a row`);
  }

  const forget = (operation: Operation, id: LobbyId) => update(operation, id, () => null);

  /** Runs a call to a lobby; undefined, and no entry any more, when the lobby has ended. */
  async function unlessEnded<T>(operation: Operation, id: LobbyId, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'unknown_lobby')) throw error;
      await forget(operation, id);
      return undefined;
    }
  }

  /**
   * @param isAdded the service has added the player. It is counted, so that a refresh that has read the lobby before begins again.
   * @returns the entry, and whether the player had no seat before; undefined when there is no free one
   */
  async function take(operation: Operation, id: LobbyId, userId: UserId, isAdded = false) {
    const seat = { isTaken: false, isNew: false };
    const entry = await update(operation, id, before => {
      const { players, leaving = [], isListed, added = 0 } = before;
      seat.isNew = !players.includes(userId);
      seat.isTaken = !seat.isNew || (isListed && freeSeatsOf(before) > 0 && !leaving.includes(userId));
      if (!seat.isTaken || !(seat.isNew || isAdded)) return undefined;
      return {
        ...before,
        players: seat.isNew ? [...players, userId] : players,
        added: isAdded ? added + 1 : added,
      };
    });
    return entry && seat.isTaken ? { entry, isNew: seat.isNew } : undefined;
  }

  async function join(
    operation: Operation,
    id: LobbyId,
    userId: UserId,
    member: LobbyMemberInput,
  ): Promise<OpenEntry | undefined> {
    rejectIssues('The lobby member', checkLobbyMember(member));
    const taken = await take(operation, id, userId);
    if (!taken) return undefined;
    try {
      return await add(operation, id, userId, member);
    } catch (error) {
      // The player may have been added all the same.
      if (taken.isNew) {
        await cleanUp(operation => vacate(operation, id, userId, () => remove(operation, id, userId).catch(() => {})));
      }
      throw error;
    }
  }

  /** Adds a player who has a seat. @returns undefined when the lobby has ended, or the player has the seat no more */
  async function add(operation: Operation, id: LobbyId, userId: UserId, member: LobbyMemberInput) {
    const put = () => calls.putMember(id, userId, member, operation.next());
    if (!(await unlessEnded(operation, id, put))) return undefined;
    // A refresh that did not see the player among the members may have freed the seat, and another player may have it now.
    const kept = await take(operation, id, userId, true);
    if (!kept) await remove(operation, id, userId);
    return kept?.entry;
  }

  const remove = (operation: Operation, id: LobbyId, userId: UserId) =>
    unlessEnded(operation, id, () => calls.removeMember(id, userId, operation.next()));

  /** Frees the player's seat. Until `remove` has resolved, neither this player nor another one can take it. */
  async function vacate(
    operation: Operation,
    id: LobbyId,
    userId: UserId,
    remove: () => Promise<unknown>,
  ): Promise<void> {
    const others = (list: readonly UserId[] = []) => list.filter(player => player !== userId);
    await update(operation, id, entry => {
      const { players, leaving = [] } = entry;
      return players.includes(userId)
        ? { ...entry, players: others(players), leaving: [...leaving, userId] }
        : undefined;
    });
    await remove();
    await update(operation, id, entry =>
      entry.leaving?.includes(userId) ? { ...entry, leaving: others(entry.leaving) } : undefined,
    );
  }

  return { update, forget, unlessEnded, join, add, vacate, remove };
}

export function notWritten(what: string): OwnershipError {
  return new OwnershipError(
    'directory_failed',
    `The lobby directory rejected ${what}. Its compareAndSet() must resolve with true when it has written.`,
  );
}

export function freeSeatsOf({ capacity, players, leaving = [] }: OpenEntry): number {
  return capacity - players.length - leaving.length;
}

export function isEmpty({ players, leaving = [] }: OpenEntry): boolean {
  return players.length + leaving.length === 0;
}

export function readEntry(value: Readonly<Record<string, unknown>>): OpenEntry | undefined {
  const { metadata, capacity, players, leaving = [], isListed, openedAtMs } = value;
  const isWhole =
    typeof metadata === 'object' &&
    metadata !== null &&
    typeof capacity === 'number' &&
    Array.isArray(players) &&
    Array.isArray(leaving) &&
    typeof isListed === 'boolean' &&
    typeof openedAtMs === 'number';
  return isWhole ? (value as unknown as OpenEntry) : undefined;
}
