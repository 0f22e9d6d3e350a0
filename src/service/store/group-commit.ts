import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import type { Announced } from '../events/announcement.ts';
import type { MaybePromise } from '../support/maybe-promise.ts';
import type { Transaction } from './contract.ts';
import type { Overlay } from './overlay.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** Transactions that were run and are committed or dropped together. */
export interface Batch {
  readonly changes: Overlay;
  /** The transactions that succeeded, in order: each scope with its commit number. */
  readonly commits: readonly { readonly scope: string; readonly revision: number }[];
  readonly announced: readonly Announced[];
}

/** The store below the queue. */
export interface CommitEngine {
  /** Takes the changes of a batch, over what is committed. */
  changes(): Overlay;
  /** The last commit number. */
  lastRevision(): number;
  /** Makes the batch last, in one go without waiting for anything; a batch that throws has left nothing. */
  commit(batch: Batch): void;
}

interface QueuedWork {
  readonly scope: string;
  readonly work: (transaction: Transaction) => MaybePromise<unknown>;
  readonly settle: Settle;
}
interface QueuedStep {
  readonly alone: () => void;
  readonly settle: Settle;
}
interface Settle {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Bounds the size of one commit, so that many transactions do not block the event loop. */
const worksPerCommitMax = 1024;

/** A batch of fewer transactions waits for more: so many turns of the event loop that add nothing, and so long in all. */
const batchSizeWanted = 16;
const turnsWithoutMoreMax = 3;
const gatherMsMax = 5;

/**
 * Runs transactions one after another and commits those of one turn of the event loop, or of a few, together: a sync to disk takes
 * milliseconds, and a hundred transactions share it. One that comes alone, as the one before it did, does not wait. Nothing is answered before the commit, not even a failed transaction, because the
 * commit on whose results it was based may still fail.
 */
export class GroupCommit {
  readonly #engine: CommitEngine;
  #queue: (QueuedWork | QueuedStep)[] = [];
  #running: Promise<void> | undefined;
  readonly #now: () => number;
  #lastCommitMs = 0;
  #lastBatchSize = 0;
  /** A transaction was committed in this turn of the event loop without waiting for its end. */
  #isTurnUsed = false;

  /** @param now milliseconds that only grow */
  constructor(engine: CommitEngine, now = () => performance.now()) {
    this.#engine = engine;
    this.#now = now;
  }

  transact<T>(scope: string, work: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add({ scope, work, settle: { resolve: value => resolve(value as T), reject } });
    });
  }

  /** Runs `step` between two batches, after all transactions queued before it. */
  alone(step: () => void): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#add({ alone: step, settle: { resolve: () => resolve(), reject } });
    });
  }

  /** Resolves once nothing is queued. */
  async drained(): Promise<void> {
    await this.#running;
  }

  #add(job: QueuedWork | QueuedStep): void {
    this.#queue.push(job);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#isQuiet) await this.#useTurn();
      else await this.#gather();
      const [first] = this.#queue;
      if (first && 'alone' in first) this.#runAlone(first);
      else await this.#runBatch();
    }
    this.#running = undefined;
  }

  /** The last commit had one transaction at most, so the next one probably has no others to share it. */
  get #isQuiet(): boolean {
    return this.#lastBatchSize <= 1 && !this.#isTurnUsed;
  }

  /** Waits only for what the caller queues synchronously. Transactions that follow in this turn wait for the end of it. */
  async #useTurn(): Promise<void> {
    this.#isTurnUsed = true;
    setImmediate(() => {
      this.#isTurnUsed = false;
    });
  }

  /**
   * Waits for the end of this turn of the event loop. If some transactions are queued by then, waits for more while they keep coming,
   * but not longer than the last commit took: a commit and its sync cost more than the wait. Without that, clients that are accepted a
   * few in each turn would also wait for the disk in every one.
   */
  async #gather(): Promise<void> {
    const endMs = this.#now() + Math.min(this.#lastCommitMs, gatherMsMax);
    let turnsWithoutMore = 0;
    while (turnsWithoutMore < turnsWithoutMoreMax) {
      const size = this.#queue.length;
      await new Promise(resolve => setImmediate(resolve));
      const { length } = this.#queue;
      if (length === 1 || length >= batchSizeWanted || this.#now() >= endMs) return;
      turnsWithoutMore = length > size ? 0 : turnsWithoutMore + 1;
    }
  }

  #runAlone({ alone, settle }: QueuedStep): void {
    this.#queue.shift();
    try {
      alone();
      settle.resolve(undefined);
    } catch (error) {
      settle.reject(error);
    }
  }

  async #runBatch(): Promise<void> {
    const changes = this.#engine.changes();
    const commits: { scope: string; revision: number }[] = [];
    const announced: Announced[] = [];
    const answers: (() => void)[] = [];
    const settles: Settle[] = [];
    // The queue may grow meanwhile; transactions that are queued in time join the batch.
    for (let at = 0; at < this.#queue.length && at < worksPerCommitMax; at++) {
      const job = this.#queue[at];
      if (!job || 'alone' in job) break;
      const { scope, work, settle } = job;
      settles.push(settle);
      const revision = this.#engine.lastRevision() + commits.length + 1;
      const unit = new UnitOfWork(changes, scope, () => revision);
      try {
        const worked = work(unit);
        const value = worked instanceof Promise ? await worked : worked;
        for (const event of unit.finish()) announced.push(event);
        commits.push({ scope, revision });
        answers.push(() => settle.resolve(value));
      } catch (error) {
        unit.abandon();
        answers.push(() => settle.reject(error));
      }
    }
    this.#queue = this.#queue.slice(settles.length);
    this.#lastBatchSize = settles.length;
    const startMs = this.#now();
    try {
      this.#engine.commit({ changes, commits, announced: markAlone(announced) });
      this.#lastCommitMs = this.#now() - startMs;
    } catch (error) {
      for (const settle of settles) settle.reject(error);
      return;
    }
    for (const answer of answers) answer();
  }
}

function markAlone(announced: readonly Announced[]): readonly Announced[] {
  const [first] = announced;
  return first && announced.length === 1 ? [{ ...first, isAlone: true }] : announced;
}
