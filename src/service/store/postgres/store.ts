import { setImmediate } from 'node:timers';
import { type Logger, silentLogger, steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import type { MaybePromise } from '../../support/maybe-promise.ts';
import { storeLimits } from '../../support/service-limits.ts';
import type { KeyPart, ListQuery, Store, StoreContent, TakePiece, Transaction } from '../contract.ts';
import type { CommitReport } from '../embedded.ts';
import { Overlay } from '../overlay.ts';
import { putContent } from '../put-content.ts';
import type { CollectionName, Records } from '../records.ts';
import { contentFrom } from '../whole-content.ts';
import { attempt, type Revisions } from './attempt.ts';
import { Committer, type Outcome } from './committer.ts';
import { unavailableError } from './failure.ts';
import type { Postgres } from './postgres.ts';
import { Reader } from './reader.ts';
import { type Component, Job, Turns } from './turns.ts';
import { loadContent, readContent } from './whole-content.ts';

export interface PostgresStoreOptions {
  /** Migrated before; the store closes it. */
  readonly postgres: Postgres;
  readonly log?: Logger;
  /** Called after every batch; it must not throw. */
  readonly onCommit?: (commit: CommitReport) => void;
  /** Called after every commit that inserted events; it must not throw. */
  readonly onAnnounced?: () => void;
}

/** The store of a cluster: any number of them, in any number of processes, work on one database. */
export function openPostgresStore(options: PostgresStoreOptions): Store {
  return new PostgresStore(options);
}

/** Most batches of commits under way. */
const batchesMax = 4;
/** How often the jobs are looked through for those whose time is up. */
const watchMs = 100;
/** Pause before an attempt after several conflicts, at random up to this; it doubles with each. */
const conflictPauseMs = { first: 2, most: 64 } as const;

/** What waits for everything before it, and makes everything after it wait. */
interface Barrier {
  readonly step: () => Promise<void>;
  readonly later: Job[];
  isPassing: boolean;
}

class PostgresStore implements Store {
  readonly engine = 'postgres';
  readonly #postgres: Postgres;
  readonly #reader: Reader;
  readonly #committer: Committer;
  readonly #turns = new Turns();
  /** All jobs that are not done, the first added first. */
  readonly #jobs = new Set<Job>();
  readonly #barriers: Barrier[] = [];
  #jobsAdded = 0;
  #isStarting = false;
  #isWatching = false;
  #drained: PromiseWithResolvers<void> | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor({ postgres, log = silentLogger, onCommit = () => {}, onAnnounced = () => {} }: PostgresStoreOptions) {
    this.#postgres = postgres;
    this.#reader = new Reader(postgres, log);
    this.#committer = new Committer({ postgres, reader: this.#reader, log, onCommit, onAnnounced, batchesMax });
  }

  get<Name extends CollectionName>(collection: Name, ...key: readonly KeyPart[]): Promise<Records[Name] | undefined> {
    if (this.#isClosed) throw this.#postgres.closedError();
    return this.#reader.get(collection, ...key);
  }

  list<Name extends CollectionName>(collection: Name, query?: ListQuery<Name>): Promise<readonly Records[Name][]> {
    if (this.#isClosed) throw this.#postgres.closedError();
    return this.#reader.list(collection, query);
  }

  async count(collection: CollectionName, atMost: number): Promise<number> {
    if (this.#isClosed) throw this.#postgres.closedError();
    const text = `SELECT count(*)::int AS n FROM (SELECT 1 FROM rallypoint.${collection} LIMIT $1::int) AS counted`;
    const [row] = await this.#postgres.query(text, [atMost], { name: `count ${collection}` });
    return Number(row?.n);
  }

  revision(scope: string): Promise<number> {
    if (this.#isClosed) throw this.#postgres.closedError();
    return this.#reader.revision(scope);
  }

  async transact<T>(
    scope: string,
    work: (transaction: Transaction) => MaybePromise<T>,
    guards: readonly string[] = [],
  ): Promise<T> {
    if (this.#closing) throw this.#postgres.closedError();
    const deadlineMs = steadyNow(systemClock) + storeLimits.transactMs;
    const job = new Job({ scope, guards, work, number: this.#jobsAdded++, deadlineMs });
    this.#jobs.add(job);
    const barrier = this.#barriers.at(-1);
    if (barrier) barrier.later.push(job);
    else this.#turns.add(job);
    this.#start();
    this.#watch();
    return job.answer as Promise<T>;
  }

  async read(take: TakePiece): Promise<void> {
    if (this.#isClosed) throw this.#postgres.closedError();
    await readContent(this.#postgres, take);
  }

  dump(): Promise<StoreContent> {
    return contentFrom(take => this.read(take));
  }

  async load(content: StoreContent): Promise<void> {
    if (this.#closing) throw this.#postgres.closedError();
    const records = new Overlay(this, JSON.stringify);
    putContent(content, records);
    const calledMs = steadyNow(systemClock);
    await this.#alone(() => loadContent(this.#postgres, records, steadyNow(systemClock) - calledMs));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (!this.#isDrained()) {
      this.#drained = Promise.withResolvers();
      await this.#drained.promise;
    }
    this.#isClosed = true;
    await this.#postgres.close();
  }

  #isDrained(): boolean {
    return this.#turns.isIdle && this.#barriers.length === 0;
  }

  /** Begins what can begin, at the end of this turn of the event loop: what is queued until then runs together. */
  #start(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      for (const component of this.#turns.take()) void this.#run(component);
      const [barrier] = this.#barriers;
      if (barrier && this.#turns.isIdle) void this.#pass(barrier);
      if (this.#isDrained()) this.#drained?.resolve();
    });
  }

  /** Commits the jobs of a component, again and again until it succeeds or their time is up. */
  async #run(component: Component): Promise<void> {
    try {
      let revisions: Revisions | undefined;
      for (let conflicts = 0; component.jobs.some(job => !job.isSettled); conflicts++) {
        if (conflicts > 1) await pauseAfter(conflicts);
        const done = await attempt(component, revisions ?? this.#revisions(component.keys), this.#reader);
        const outcome = await (done.isEmpty ? this.#validate(done.expected) : this.#committer.commit(done));
        revisions = outcome.revisions;
        if (!outcome.isCommitted) continue;
        done.settle();
        break;
      }
    } catch (error) {
      for (const job of component.jobs) job.reject(error);
    }
    for (const job of component.jobs) this.#jobs.delete(job);
    this.#turns.release(component);
    this.#start();
  }

  #revisions(keys: ReadonlySet<string>): Promise<Revisions> {
    const names = [...keys];
    const revisions = Promise.all(names.map(name => this.#reader.revision(name))).then(
      found => new Map(names.map((name, at) => [name, found[at] as number])),
    );
    // Who waits for them may begin to do so later than they fail.
    revisions.catch(() => {});
    return revisions;
  }

  /** What was read, or why a function threw, counts only if nothing was committed meanwhile. */
  async #validate(expected: Revisions): Promise<Outcome> {
    const revisions = await this.#revisions(new Set(expected.keys()));
    const isCommitted = [...expected].every(([name, revision]) => revisions.get(name) === revision);
    return { isCommitted, revisions };
  }

  /** Runs `step` after all transactions that were queued before it, and before all after it. */
  async #alone(step: () => Promise<void>): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#barriers.push({ step: () => step().then(done.resolve, done.reject), later: [], isPassing: false });
    this.#start();
    await done.promise;
  }

  async #pass(barrier: Barrier): Promise<void> {
    if (barrier.isPassing) return;
    barrier.isPassing = true;
    await barrier.step();
    this.#barriers.shift();
    for (const job of barrier.later) if (!job.isSettled) this.#turns.add(job);
    this.#start();
  }

  /** Answers the jobs whose time is up: they were not committed, and will not be. */
  #watch(): void {
    if (this.#isWatching || this.#jobs.size === 0) return;
    this.#isWatching = true;
    systemClock.schedule(watchMs, () => {
      this.#isWatching = false;
      const nowMs = steadyNow(systemClock);
      for (const job of this.#jobs) {
        if (job.deadlineMs > nowMs) break;
        this.#jobs.delete(job);
        job.reject(unavailableError(this.#postgres.location, new Error('the transaction took too long')));
        this.#turns.drop(job);
        this.#start();
      }
      this.#watch();
    });
  }
}

async function pauseAfter(conflicts: number): Promise<void> {
  const mostMs = Math.min(conflictPauseMs.most, conflictPauseMs.first * 2 ** Math.min(conflicts, 10));
  await new Promise<void>(resolve => systemClock.schedule(Math.random() * mostMs, resolve));
}
