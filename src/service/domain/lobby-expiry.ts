import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LobbyId } from '../../model/snowflake.ts';
import type { Cancel } from '../../wire/ports.ts';
import type { Core } from '../core.ts';

/** Lobbies looked at side by side; between two such chunks other work has its turn. */
const chunkSize = 128;

/** How long the sweep rests after the store failed it. */
const retryMs = 1000;

/** Ends lobbies when their time has come. One timer for all of them: it stands at the earliest time in the store. */
export interface LobbyExpiry {
  /** Starts with what is due already; the returned function stops it. */
  start(): Promise<() => void>;
  /** Says, after the commit, that a lobby may now end at this time. */
  notice(expiresAtMs: number): void;
}

/**
 * @param endIfIdle looks at a lobby found due: it ends it or puts its time off, in the lobby's own transaction. Two
 *   nodes may look at the same lobby; the second finds nothing to do.
 */
export function createLobbyExpiry(core: Core, endIfIdle: (id: LobbyId, nowMs: number) => Promise<void>): LobbyExpiry {
  let started = false;
  let armed: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  function arm(dueMs: number): void {
    if (!started || (armed && armed.dueMs <= dueMs)) return;
    armed?.cancel();
    armed = { dueMs, cancel: core.clock.schedule(dueMs - core.clock.now(), wake) };
  }

  async function wake(): Promise<void> {
    armed = undefined;
    try {
      await sweep();
      await armEarliest();
    } catch (error) {
      core.log.error({ error }, 'The sweep of idle lobbies failed and will be tried again.');
      arm(core.clock.now() + retryMs);
    }
  }

  async function sweep(): Promise<void> {
    while (started) {
      const nowMs = core.clock.now();
      const due = await core.store.list('lobbies', { index: 'byExpiry', upTo: nowMs, limit: chunkSize });
      if (due.length === 0) return;
      await Promise.all(due.map(({ id }) => endIfIdle(id, nowMs)));
      await nextTurn();
    }
  }

  async function armEarliest(): Promise<void> {
    const [earliest] = await core.store.list('lobbies', { index: 'byExpiry', limit: 1 });
    if (earliest) arm(earliest.expires_at_ms);
  }

  return {
    async start() {
      started = true;
      await wake();
      return () => {
        started = false;
        armed?.cancel();
        armed = undefined;
      };
    },
    notice: arm,
  };
}
