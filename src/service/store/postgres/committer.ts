import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers';
import { type Logger, steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import { encodePayload } from '../../events/payload.ts';
import type { KeyPart } from '../contract.ts';
import type { CommitReport } from '../embedded.ts';
import { recordName } from '../keys.ts';
import type { Change } from '../overlay.ts';
import type { CollectionName } from '../records.ts';
import { jsonArray, textArray } from './arrays.ts';
import { type Attempt, isLate } from './attempt.ts';
import { columnsMax, commitBatchSql, tooLateState } from './commit-sql.ts';
import { areNumbers, ConnectionLost, failedError, isTransient, oddAnswer, sqlState } from './failure.ts';
import { columnsOf, columnValue } from './layout.ts';
import type { Postgres } from './postgres.ts';
import type { Reader } from './reader.ts';
import type { Row } from './statement.ts';

/** Whether an attempt was committed; the revisions of its keys afterwards, if they are known. */
export interface Outcome {
  readonly isCommitted: boolean;
  readonly revisions?: ReadonlyMap<string, number>;
}

interface Ready {
  readonly attempt: Attempt;
  readonly writes: readonly Write[];
  readonly outcome: PromiseWithResolvers<Outcome>;
}

interface CommitAnswer {
  readonly failed_units: readonly number[];
  readonly revisions: readonly number[];
  readonly clock_ms: number;
}

/** The change of one record. */
interface Write {
  readonly collection: CollectionName;
  /** The name of the record among those of all collections. */
  readonly name: string;
  readonly change: Change;
}

export interface CommitterOptions {
  readonly postgres: Postgres;
  readonly reader: Reader;
  readonly log: Logger;
  readonly onCommit: (commit: CommitReport) => void;
  /** Called after every commit that inserted events. */
  readonly onAnnounced: () => void;
  /** Most batches under way. */
  readonly batchesMax: number;
}

/** Bounds of one batch: scopes with guards, which the server locks; changes; JSON in UTF-16 units. */
const batchMax = { scopes: 200, changes: 2000, size: 4 * 1024 * 1024 } as const;
/** A batch with fewer units is not made smaller for the sake of another one beside it. */
const unitsMin = 16;
/** How long the answer of a batch, and of the question what became of it, is awaited on one connection. */
const answerMs = 2500;
const pauseMs = 50;

/** Commits attempts in batches: those that are ready while others are under way share the next one. */
export class Committer {
  readonly #options: CommitterOptions;
  #ready: Ready[] = [];
  #underWay = 0;
  #isScheduled = false;
  /** The last batch could not be committed for a reason that may pass. */
  #isFailing = false;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** @throws StoreError when it was not committed and never will be; `store_unavailable` when that is known only by its deadline */
  commit(attempt: Attempt): Promise<Outcome> {
    const outcome = Promise.withResolvers<Outcome>();
    this.#ready.push({ attempt, writes: writesOf(attempt), outcome });
    this.#schedule();
    return outcome.promise;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ready.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (let free = this.#free; this.#ready.length > 0 && free > 0; free--) {
        // Batches that are under way at the same time use several processors of the server; very small ones cost more than they gain.
        void this.#send(this.#takeBatch(Math.max(unitsMin, Math.ceil(this.#ready.length / free))));
      }
    });
  }

  get #free(): number {
    return this.#options.batchesMax - this.#underWay;
  }

  /** The attempts that were ready first, of which no two change the same record. */
  #takeBatch(size: number): Batch {
    const batch = new Batch();
    const left: Ready[] = [];
    for (const ready of this.#ready) {
      if (isLate(ready.attempt)) ready.outcome.resolve({ isCommitted: false });
      else if (left.length > 0 || batch.units.length >= size || !batch.add(ready)) left.push(ready);
    }
    this.#ready = left;
    return batch;
  }

  async #send(batch: Batch): Promise<void> {
    if (batch.units.length === 0) return;
    this.#underWay++;
    const startMs = steadyNow(systemClock);
    try {
      const outcome = await this.#execute(batch);
      const ms = steadyNow(systemClock) - startMs;
      this.#options.onCommit({ transactions: batch.transactions, ms, outcome });
    } catch (error) {
      const failure = failedError(this.#options.postgres.location, error);
      this.#options.log.error({ error: failure }, 'A batch could not be concluded.');
      batch.reject(failure);
    } finally {
      this.#underWay--;
      this.#schedule();
    }
  }

  async #execute(batch: Batch): Promise<CommitReport['outcome']> {
    const { postgres, reader } = this.#options;
    const { clock } = reader;
    const { deadlineMs } = batch;
    const nowMs = steadyNow(systemClock);
    const id = randomUUID();
    // At our own deadline the database's clock shows this or more.
    const databaseDeadlineMs = (clock?.databaseMs ?? 0) + deadlineMs - (clock?.atMs ?? 0);
    const values = [id, databaseDeadlineMs, ...batch.values()];
    let answer: Row | undefined;
    try {
      const statement = { name: 'commit', text: commitBatchSql, values };
      const [row] = await postgres.once(statement, Math.min(deadlineMs, nowMs + answerMs));
      answer = row;
    } catch (error) {
      if (error instanceof ConnectionLost) return this.#resolve(batch, id, error);
      return this.#failed(batch, error);
    }
    const isWhole =
      Array.isArray(answer?.failed_units) &&
      areNumbers(answer.revisions, batch.scopeCount) &&
      typeof answer.clock_ms === 'number';
    if (!isWhole)
      return this.#resolve(batch, id, oddAnswer(postgres.location, 'the outcome of a commit', 'the schema'));
    return this.#answer(batch, answer as unknown as CommitAnswer);
  }

  #answer(batch: Batch, { failed_units, revisions, clock_ms }: CommitAnswer): CommitReport['outcome'] {
    const failed = new Set(failed_units);
    this.#options.reader.readClock(clock_ms);
    if (this.#isFailing) this.#options.log.warn({}, 'Transactions can be committed again.');
    this.#isFailing = false;
    return this.#conclude(batch, failed, revisions);
  }

  /** @param revisions of all keys before the commit, if they are known */
  #conclude(batch: Batch, failed: ReadonlySet<number>, revisions?: readonly number[]): CommitReport['outcome'] {
    const isAnnounced = batch.units.some(({ attempt }, unit) => attempt.announced.length > 0 && !failed.has(unit));
    if (isAnnounced) this.#options.onAnnounced();
    let at = 0;
    for (const [unit, { attempt, writes, outcome }] of batch.units.entries()) {
      const first = at;
      at += attempt.expected.size;
      if (!failed.has(unit)) {
        this.#options.reader.remember(writes);
        outcome.resolve({ isCommitted: true, revisions: attempt.next });
      } else if (!revisions) outcome.resolve({ isCommitted: false });
      else {
        const found = [...attempt.expected.keys()].map((key, n): [string, number] => [key, revisions[first + n] ?? 0]);
        outcome.resolve({ isCommitted: false, revisions: new Map(found) });
      }
    }
    return failed.size < batch.units.length ? 'written' : 'unchanged';
  }

  /** The answer was lost: asks what became of the batch, or makes sure that nothing will. */
  async #resolve(batch: Batch, id: string, cause: unknown): Promise<CommitReport['outcome']> {
    const { postgres, log } = this.#options;
    log.warn({ error: cause, batch: id }, 'The answer to a commit was lost; the database is asked for its outcome.');
    const lastMs = Math.max(...batch.units.map(({ attempt }) => attempt.lastDeadlineMs));
    for (let error = cause; ; ) {
      const nowMs = steadyNow(systemClock);
      if (nowMs >= lastMs) {
        batch.reject(failedError(postgres.location, error));
        return 'failed';
      }
      try {
        const statement = { text: 'SELECT rallypoint.resolve_batch($1) AS failed_units', values: [id] };
        const [row] = await postgres.once(statement, Math.min(lastMs, nowMs + answerMs));
        const failed = row?.failed_units;
        if (Array.isArray(failed)) return this.#conclude(batch, new Set(failed as readonly number[]));
        if (failed !== null) throw oddAnswer(postgres.location, 'the outcome of a commit', 'the schema');
        batch.repeat();
        return 'failed';
      } catch (next) {
        if (!isTransient(next))
          log.error({ error: next, batch: id }, 'The outcome of a commit could not be asked for.');
        error = next;
        await new Promise<void>(resolve => systemClock.schedule(pauseMs, resolve));
      }
    }
  }

  /** The batch was not committed, and never will be. */
  async #failed(batch: Batch, error: unknown): Promise<CommitReport['outcome']> {
    const { postgres, log } = this.#options;
    if (isTransient(error) || sqlState(error) === tooLateState) {
      if (!this.#isFailing)
        log.error({ error }, 'Transactions could not be committed; they are tried again until their time is up.');
      this.#isFailing = true;
      batch.repeat();
    } else if (batch.units.length > 1) {
      // One of them is at fault; the others are not to suffer for it.
      for (const unit of batch.units) {
        const alone = new Batch();
        alone.add(unit);
        await this.#execute(alone);
      }
    } else {
      const failure = failedError(postgres.location, error);
      log.error({ error: failure }, 'A transaction could not be committed.');
      batch.reject(failure);
    }
    return 'failed';
  }
}

/** Attempts that are committed by one call. */
class Batch {
  readonly units: Ready[] = [];
  transactions = 0;
  deadlineMs = Number.POSITIVE_INFINITY;
  #size = 0;
  readonly #records = new Set<string>();
  readonly #scopes = { units: [] as number[], names: [] as string[], expected: [] as number[], next: [] as number[] };
  readonly #tables: string[] = [];
  readonly #units: number[] = [];
  readonly #bodies: (string | null)[] = [];
  readonly #columns = Array.from({ length: columnsMax }, (): (KeyPart | null)[] => []);
  readonly #events = { units: [] as number[], topics: [] as string[], payloads: [] as string[] };

  /** @returns whether there is room for it; there always is for the first */
  add(ready: Ready): boolean {
    const { attempt, writes } = ready;
    if (this.units.length > 0) {
      const isFull =
        this.#scopes.names.length + attempt.expected.size > batchMax.scopes ||
        this.#records.size + writes.length > batchMax.changes ||
        this.#size > batchMax.size;
      if (isFull || writes.some(({ name }) => this.#records.has(name))) return false;
    }
    const unit = this.units.push(ready) - 1;
    this.transactions += attempt.size;
    this.deadlineMs = Math.min(this.deadlineMs, attempt.deadlineMs);
    for (const [name, expected] of attempt.expected) {
      this.#scopes.units.push(unit);
      this.#scopes.names.push(name);
      this.#scopes.expected.push(expected);
      this.#scopes.next.push(attempt.next.get(name) ?? expected);
    }
    for (const write of writes) this.#write(unit, write);
    for (const announced of attempt.announced) {
      this.#events.units.push(unit);
      this.#events.topics.push(announced.to);
      this.#events.payloads.push(encodePayload(announced));
    }
    return true;
  }

  /** Scopes and guards of all units. */
  get scopeCount(): number {
    return this.#scopes.names.length;
  }

  /** The parameters of `commit_batch` after the first two. */
  values(): readonly string[] {
    return [
      textArray(this.#scopes.units),
      textArray(this.#scopes.names),
      textArray(this.#scopes.expected),
      textArray(this.#scopes.next),
      textArray(this.#tables),
      textArray(this.#units),
      jsonArray(this.#bodies),
      ...this.#columns.map(textArray),
      textArray(this.#events.units),
      textArray(this.#events.topics),
      textArray(this.#events.payloads),
    ];
  }

  /** They were not committed, and are to be tried again. */
  repeat(): void {
    for (const { outcome } of this.units) outcome.resolve({ isCommitted: false });
  }

  reject(error: unknown): void {
    for (const { outcome } of this.units) outcome.reject(error);
  }

  #write(unit: number, { collection, name, change: { key, kept } }: Write): void {
    this.#records.add(name);
    this.#tables.push(kept ? collection : `-${collection}`);
    this.#units.push(unit);
    this.#bodies.push(kept?.body ?? null);
    this.#size += kept?.body.length ?? 0;
    const columns = columnsOf(collection);
    for (let at = 0; at < columnsMax; at++) {
      const field = columns[at];
      if (at < key.length) this.#columns[at]?.push(key[at] ?? null);
      else this.#columns[at]?.push(kept && field !== undefined ? columnValue(kept.record, field) : null);
    }
  }
}

function writesOf({ changes }: Attempt): readonly Write[] {
  const writes: Write[] = [];
  for (const [collection, changed] of changes.changes()) {
    for (const change of changed.all()) writes.push({ collection, name: recordName(collection, change.key), change });
  }
  return writes;
}
