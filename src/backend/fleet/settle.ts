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

/** What making one lobby as desired came to. */
export interface Settled {
  /** `foreign`: another server owns it; it was read and left as it is. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'foreign';
  readonly lobby: Lobby;
  readonly entry: LobbyEntry;
  readonly dropped: readonly UserId[];
}

// Our choices: how often another server's opening or ending of the lobby is looked after, and how often one that ends
// under our hands is made anew.
const pollMs = 100;
const triesMax = 3;

/** Makes single lobbies as desired, and ends them. Works about one key must take turns. */
export interface Settler {
  settle(key: string, desired: DesiredLobby, operation: Operation): Promise<Settled>;
  /** Deletes the lobby, then the entry: after a crash in between the entry still tells what is to be done. */
  end(holding: Holding, operation: Operation): Promise<void>;
}

export function createSettler(calls: Lobbies, ownership: Ownership): Settler {
  async function settle(key: string, desired: DesiredLobby, operation: Operation): Promise<Settled> {
    for (let tries = 1; ; tries++) {
      const taken = await ownership.take(key, operation);
      try {
        const settled = await ('foreign' in taken ? look(key, taken, operation) : settleOwn(taken, desired, operation));
        if (settled) return settled;
        tries = 0; // it moved on
      } catch (error) {
        if (tries >= triesMax || !mayComeRight(error)) throw error;
      }
    }
  }

  /** Another server's lobby; undefined when it is to be looked for again. */
  async function look(key: string, { foreign }: Foreign, operation: Operation): Promise<Settled | undefined> {
    const { lobbyId, status } = foreign.value;
    if (lobbyId === null || status === 'ending') {
      await operation.sleep(pollMs);
      return undefined;
    }
    const lobby = await find(lobbyId, operation);
    if (lobby) return { outcome: 'foreign', lobby, entry: foreign.value, dropped: [] };
    // Nothing is owned where no lobby is. Its owner finds out at its next look, and can do nothing to the new one.
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
   * Opens the lobby without members and writes it down before anybody is let in: one that a crash leaves behind in
   * between, which nobody could find again, is empty and so ends by its idle timeout.
   */
  async function open(holding: Holding, { members: _, ...fields }: DesiredLobby, operation: Operation): Promise<Lobby> {
    if (holding.entry.lobbyId !== null) await ownership.record(holding, { status: 'claimed', lobbyId: null });
    const lobby = await calls
      .create(fields, operation.next(await ownership.confirm(holding)))
      .catch(async (error: unknown) => {
        await ownership.strike(holding).catch(() => {}); // who comes next need not wait for us; the lease ends it anyway
        throw error;
      });
    const idleTimeoutSeconds = fields.idle_timeout_seconds ?? null;
    try {
      await ownership.record(holding, { status: 'open', lobbyId: lobby.id, idleTimeoutSeconds });
    } catch (error) {
      await calls.delete(lobby.id, operation.next()).catch(() => {}); // empty as it is, it ends by itself
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
    await ownership.strike(holding);
  }

  return { settle, end };
}

/** The lobby ended, or changed hands, while it was being worked on: it is looked for again. */
function mayComeRight(error: unknown): boolean {
  return isUnknownLobby(error) || (error instanceof OwnershipError && error.code === 'not_owner');
}
