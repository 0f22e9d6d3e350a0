import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cancel, scheduleAt } from '../../wire/clock/ports.ts';
import type { Core } from '../core.ts';

/** Records looked at side by side; between two such chunks other work has its turn. */
const chunkSize = 128;

/** How long the sweep rests after the store failed it. */
const retryMs = 1000;

/** Looks at records when their time has come. One timer for all of them: it stands at the earliest time in the store. */
export interface Expiry {
  /** Starts with what is due already; the returned function stops it. */
  start(): Promise<() => void>;
  /** Says, after the commit, that a record may now be due at this time; null: never. */
  notice(expiresAtMs: number | null): void;
}

/**
 * @param collection whose records are due at their `expires_at_ms`
 * @param onDue looks at a record found due: it deletes it or puts its time off, in the record's own transaction. Two
 *   nodes may look at the same record; the second finds nothing to do.
 */
export function createExpiry(
  core: Core,
  collection: 'lobbies' | 'interactions',
  onDue: (id: string, nowMs: number) => Promise<void>,
): Expiry {
  let started = false;
  let armed: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  function arm(dueMs: number): void {
    if (!started || (armed && armed.dueMs <= dueMs)) return;
    armed?.cancel();
    armed = { dueMs, cancel: scheduleAt(core.clock, dueMs, wake) };
  }

  async function wake(): Promise<void> {
    armed = undefined;
    try {
      await sweep();
      await armEarliest();
    } catch (error) {
      core.log.error({ error, collection }, 'The sweep of what is due failed and will be tried again.');
      arm(core.clock.now() + retryMs);
    }
  }

  async function sweep(): Promise<void> {
    while (started) {
      const nowMs = core.clock.now();
      const due = await core.store.list(collection, { index: 'byExpiry', upTo: nowMs, limit: chunkSize });
      if (due.length === 0) return;
      await Promise.all(due.map(({ id }) => onDue(id, nowMs)));
      await nextTurn();
    }
  }

  async function armEarliest(): Promise<void> {
    const [earliest] = await core.store.list(collection, { index: 'byExpiry', limit: 1 });
    if (earliest) notice(earliest.expires_at_ms);
  }

  function notice(expiresAtMs: number | null): void {
    if (expiresAtMs !== null) arm(expiresAtMs);
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
    notice,
  };
}
