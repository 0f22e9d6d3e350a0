import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cancel, scheduleAt } from '../wire/clock/ports.ts';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import type { TimerName } from '../wire/control/traffic.ts';
import type { Core } from './core.ts';
import { StoreError } from './store/errors.ts';

/** Records processed concurrently; other work runs between two such batches. */
const chunkSize = 128;

/** Whether other nodes may write what this one has to look for: a virtual clock belongs to a single node, which knows every time. */
export function hasOtherNodes({ cluster, clock }: Pick<Core, 'cluster' | 'clock'>): boolean {
  return cluster !== undefined && !(clock instanceof VirtualClock);
}

/** How often a node of a cluster looks for records that other nodes have written, or did not process before they died. */
const lookMs = 1000;
/** How long the sweep waits after a failure of the store or of a single record. */
const retryMs = 1000;
const stuckMs = 10 * 60_000;
/** How often in a row a record may be due: an interaction that has expired in both ways is due twice. */
const looksMax = 3;

/**
 * Processes records that are due. All share one timer, set to the earliest time in the store; on a node of a cluster it is never set
 * later than {@link lookMs}.
 */
export interface Expiry {
  /** Starts with the records that are due already; the returned function stops it. */
  start(): Promise<() => void>;
  /** As {@link start}, without waiting for the records that are due already: they may be many. */
  begin(): () => void;
  /** Reports, after the commit, that a record may be due at this time; null: never. */
  notice(expiresAtMs: number | null): void;
}

/**
 * @param collection records of it are due at their `expires_at_ms`
 * @param onDue processes a due record: it deletes the record or sets a later time, in the record's own transaction.
 *   Two nodes may process the same record; the second finds nothing to do.
 */
export function createExpiry(
  core: Core,
  collection: TimerName,
  onDue: (id: string, nowMs: number) => Promise<void>,
): Expiry {
  const hasOthers = hasOtherNodes(core);
  let started = false;
  /** Since the last sweep that succeeded; logged once. */
  let hasFailed = false;
  /** Records that could not be processed, and when they are tried again; they do not delay the others. */
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
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) core.log.error({ error, collection }, 'The sweep of due records failed and will be tried again.');
      hasFailed = true;
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
        putOff(id, new Error('The record is still due after it was processed.'));
        fresh.delete(id);
      }
      await Promise.all([...fresh.keys()].map(id => processRecord(id, nowMs)));
      looks = fresh;
      await nextTurn();
    }
  }

  async function dueOnes(nowMs: number) {
    for (const [id, untilMs] of stuck) if (untilMs <= nowMs) stuck.delete(id);
    const query = { index: 'byExpiry', upTo: nowMs, limit: chunkSize + stuck.size } as const;
    return (await core.store.list(collection, query)).filter(({ id }) => !stuck.has(id));
  }

  async function processRecord(id: string, nowMs: number): Promise<void> {
    try {
      const { activity } = core;
      await (activity ? activity.timer(collection, id, () => onDue(id, nowMs)) : onDue(id, nowMs));
    } catch (error) {
      // A failure of the store itself concerns every record.
      if (error instanceof StoreError) throw error;
      putOff(id, error);
    }
  }

  function putOff(id: string, error: unknown): void {
    core.log.error(
      { error, collection, id },
      'A record that is due cannot be processed; it is retried later, and the others are processed.',
    );
    stuck.set(id, core.clock.now() + stuckMs);
  }

  async function armEarliest(): Promise<void> {
    const first = await core.store.list(collection, { index: 'byExpiry', limit: 1 + stuck.size });
    const earliest = first.find(({ id }) => !stuck.has(id));
    if (earliest) notice(earliest.expires_at_ms);
    for (const untilMs of stuck.values()) arm(untilMs);
    if (hasOthers) arm(core.clock.now() + lookMs);
  }

  function notice(expiresAtMs: number | null): void {
    if (expiresAtMs !== null) arm(expiresAtMs);
  }

  function stop(): void {
    started = false;
    armed?.cancel();
    armed = undefined;
  }

  return {
    async start() {
      started = true;
      await wake();
      return stop;
    },
    begin() {
      started = true;
      arm(core.clock.now());
      return stop;
    },
    notice,
  };
}
