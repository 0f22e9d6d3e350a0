import type { Lobby } from '../../model/lobby.ts';
import type { LobbyId, UserId } from '../../model/snowflake.ts';
import { isUnknownLobby, type Lobbies } from '../lobbies.ts';
import type { Operation } from '../operation.ts';
import { applyPlan } from './apply.ts';
import type { DesiredLobby } from './desired.ts';
import type { Foreign, Holding, Ownership } from './ownership.ts';
import { OwnershipError } from './ownership-error.ts';
import { planLobby } from './plan.ts';
import type { LobbyEntry } from './registry.ts';

/** The result of settling one lobby. */
export interface Settled {
  /** `foreign`: another server owns the lobby; it was read and not changed. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'foreign';
  readonly lobby: Lobby;
  readonly entry: LobbyEntry;
  readonly dropped: readonly UserId[];
}

// How often to check whether another server has finished creating or deleting the lobby, and how often to start again when
// the lobby ends during the operation.
const pollMs = 100;
const triesMax = 3;

/** Brings single lobbies to their desired state, and deletes them. Operations on one key must run one after another. */
export interface Settler {
  settle(key: string, desired: DesiredLobby, operation: Operation): Promise<Settled>;
  /** Deletes the lobby, then the entry: after a crash in between the entry still says what remains to be done. */
  end(holding: Holding, operation: Operation): Promise<void>;
}

export function createSettler(calls: Lobbies, ownership: Ownership): Settler {
  async function settle(key: string, desired: DesiredLobby, operation: Operation): Promise<Settled> {
    for (let tries = 1; ; tries++) {
      const taken = await ownership.take(key, operation);
      try {
        const settled = await ('foreign' in taken ? look(key, taken, operation) : settleOwn(taken, desired, operation));
        if (settled) return settled;
        tries = 0; // the lobby's state changed
      } catch (error) {
        if (tries >= triesMax || !isWorthRetrying(error)) throw error;
      }
    }
  }

  /** Reads another server's lobby; undefined if the caller should look the key up again. */
  async function look(key: string, { foreign }: Foreign, operation: Operation): Promise<Settled | undefined> {
    const { lobbyId, status } = foreign.value;
    if (lobbyId === null || status === 'ending') {
      await operation.sleep(pollMs);
      return undefined;
    }
    const lobby = await find(lobbyId, operation);
    if (lobby) return { outcome: 'foreign', lobby, entry: foreign.value, dropped: [] };
    // The lobby has ended, so the key is free. Its owner notices at its next check, and cannot write to the new lobby.
    await ownership.seize(key, foreign, { status: 'claimed', lobbyId: null, idleTimeoutSeconds: null });
    return undefined;
  }

  async function settleOwn(
    holding: Holding,
    desired: DesiredLobby,
    operation: Operation,
  ): Promise<Settled | undefined> {
    if (holding.entry.status === 'ending') {
      await end(holding, operation);
      return undefined;
    }
    const { lobbyId } = holding.entry;
    const found = lobbyId === null ? undefined : await find(lobbyId, operation);
    const lobby = found ?? (await open(holding, desired, operation));
    const plan = planLobby(lobby, desired, { idleTimeoutSeconds: holding.entry.idleTimeoutSeconds ?? undefined });
    const applied = await applyPlan(calls, lobby, plan, async () => operation.next(await ownership.confirm(holding)));
    await noteIdleTimeout(holding, desired);
    // A server that reports a lobby as its own must not have been superseded meanwhile.
    await ownership.stillOwns();
    const outcome = !found ? 'created' : plan.length > 0 ? 'changed' : 'unchanged';
    return { outcome, ...applied, entry: holding.entry };
  }

  async function find(id: LobbyId, operation: Operation): Promise<Lobby | undefined> {
    return calls.get(id, operation.next()).catch(error => {
      if (!isUnknownLobby(error)) throw error;
      return undefined;
    });
  }

  /**
   * Creates the lobby without members and records it before members are added. If the process crashes in between, no
   * server can find the lobby again; because it is empty, it ends by its idle timeout.
   */
  async function open(holding: Holding, { members: _, ...fields }: DesiredLobby, operation: Operation): Promise<Lobby> {
    if (holding.entry.lobbyId !== null) await ownership.record(holding, { status: 'claimed', lobbyId: null });
    let lobby: Lobby;
    try {
      lobby = await calls.create(fields, operation.next(await ownership.confirm(holding)));
    } catch (error) {
      await ownership.release(holding).catch(() => {}); // frees the key for others; otherwise it is free when the lease expires
      throw error;
    }
    const idleTimeoutSeconds = fields.idle_timeout_seconds ?? null;
    try {
      await ownership.record(holding, { status: 'open', lobbyId: lobby.id, idleTimeoutSeconds });
    } catch (error) {
      await calls.delete(lobby.id, operation.next()).catch(() => {}); // without members it ends by itself
      throw error;
    }
    return lobby;
  }

  async function noteIdleTimeout(holding: Holding, { idle_timeout_seconds: seconds }: DesiredLobby): Promise<void> {
    if (typeof seconds !== 'number' || seconds === holding.entry.idleTimeoutSeconds) return;
    await ownership.record(holding, { idleTimeoutSeconds: seconds });
  }

  async function end(holding: Holding, operation: Operation): Promise<void> {
    await ownership.record(holding, { status: 'ending' });
    const { lobbyId } = holding.entry;
    if (lobbyId !== null) await calls.delete(lobbyId, operation.next(await ownership.confirm(holding)));
    await ownership.release(holding);
  }

  return { settle, end };
}

/** The lobby ended, or changed its owner, during the operation: the key is looked up again. */
function isWorthRetrying(error: unknown): boolean {
  return isUnknownLobby(error) || (error instanceof OwnershipError && error.code === 'not_owner');
}
