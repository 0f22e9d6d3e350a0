import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cancel, scheduleAt } from '../../wire/clock/ports.ts';
import type { Core } from '../core.ts';
import { StoreError } from '../store/errors.ts';

/** Records looked at side by side; between two such chunks other work has its turn. */
const chunkSize = 128;

/** How long the sweep rests after the store failed it, and a record that could not be dealt with. */
const retryMs = 1000;
const stuckMs = 10 * 60_000;
/** How often in a row a record may be found due: an interaction whose time is over in both ways is so twice. */
const looksMax = 3;

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
  /** Those that could not be looked at, and when they are tried again: they do not keep the others. */
  const stuck = new Map<string, number>();
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
    let looks: ReadonlyMap<string, number> = new Map();
    while (started) {
      const nowMs = core.clock.now();
      const due = await dueOnes(nowMs);
      if (due.length === 0) return;
      const fresh = new Map(due.map(({ id }) => [id, (looks.get(id) ?? 0) + 1] as const));
      for (const [id, count] of fresh) {
        if (count <= looksMax) continue;
        putOff(id, new Error('It stays due whatever is done about it.'));
        fresh.delete(id);
      }
      await Promise.all([...fresh.keys()].map(id => lookAt(id, nowMs)));
      looks = fresh;
      await nextTurn();
    }
  }

  async function dueOnes(nowMs: number) {
    for (const [id, untilMs] of stuck) if (untilMs <= nowMs) stuck.delete(id);
    const query = { index: 'byExpiry', upTo: nowMs, limit: chunkSize + stuck.size } as const;
    return (await core.store.list(collection, query)).filter(({ id }) => !stuck.has(id));
  }

  async function lookAt(id: string, nowMs: number): Promise<void> {
    try {
      await onDue(id, nowMs);
    } catch (error) {
      // The store's own trouble is everybody's.
      if (error instanceof StoreError) throw error;
      putOff(id, error);
    }
  }

  function putOff(id: string, error: unknown): void {
    core.log.error(
      { error, collection, id },
      'A record that is due cannot be dealt with; it is put off, and the others go on.',
    );
    stuck.set(id, core.clock.now() + stuckMs);
  }

  async function armEarliest(): Promise<void> {
    const first = await core.store.list(collection, { index: 'byExpiry', limit: 1 + stuck.size });
    const earliest = first.find(({ id }) => !stuck.has(id));
    if (earliest) notice(earliest.expires_at_ms);
    for (const untilMs of stuck.values()) arm(untilMs);
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
