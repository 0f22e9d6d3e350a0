import type { MaybePromise } from '../../support/maybe-promise.ts';
import type { Transaction } from '../contract.ts';

export interface JobOptions extends Pick<Job, 'scope' | 'work' | 'number' | 'deadlineMs'> {
  readonly guards: readonly string[];
}

/** One call of `transact`. */
export class Job {
  readonly scope: string;
  /** The scope and the guards, each once. */
  readonly keys: readonly string[];
  readonly work: (transaction: Transaction) => MaybePromise<unknown>;
  /** Its place among all jobs. */
  readonly number: number;
  /** On the steady clock. */
  readonly deadlineMs: number;
  readonly #answer: PromiseWithResolvers<unknown>;
  #isSettled = false;

  constructor({ scope, guards, work, number, deadlineMs }: JobOptions) {
    this.scope = scope;
    this.keys = guards.length === 0 ? [scope] : [...new Set([scope, ...guards])];
    this.work = work;
    this.number = number;
    this.deadlineMs = deadlineMs;
    this.#answer = Promise.withResolvers();
  }

  get answer(): Promise<unknown> {
    return this.#answer.promise;
  }

  /** It was answered, perhaps because its time was up. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  resolve(value: unknown): void {
    this.#isSettled = true;
    this.#answer.resolve(value);
  }

  reject(error: unknown): void {
    this.#isSettled = true;
    this.#answer.reject(error);
  }
}

/** Jobs that are run one after another and committed together, because each shares a scope or guard with another. */
export interface Component {
  /** In the order in which they were added. */
  readonly jobs: readonly Job[];
  readonly keys: ReadonlySet<string>;
}

/** A component that is being put together. */
interface Forming {
  jobs: Job[];
  keys: Set<string>;
}

/** Who waits for a scope, the first added first, and who has it. */
interface Queue {
  readonly waiting: Job[];
  holder: Component | undefined;
}

/** Bounds what one conflict repeats, and what the server locks for it. */
const componentMax = { jobs: 128, keys: 400 } as const;

/** Whose turn it is: jobs that share a scope or guard run in the order in which they were added, and never in two components. */
export class Turns {
  readonly #queues = new Map<string, Queue>();
  /** Keys whose first job may be able to run. */
  #candidates = new Set<string>();

  add(job: Job): void {
    for (const key of job.keys) {
      let queue = this.#queues.get(key);
      if (!queue) {
        queue = { waiting: [], holder: undefined };
        this.#queues.set(key, queue);
      }
      queue.waiting.push(job);
      this.#candidates.add(key);
    }
  }

  /** Everything that can run now; each component has its keys until it is released. */
  take(): readonly Component[] {
    const formed = new Set<Forming>();
    const candidates = this.#candidates;
    this.#candidates = new Set();
    // Keys that are added to a set while it is gone through are visited, too.
    for (const key of candidates) {
      candidates.delete(key);
      const job = this.#first(key);
      if (!job) this.#forget(key);
      if (!job) continue;
      const joined = this.#joined(job, formed);
      if (!joined) continue;
      this.#join(job, joined, formed);
      for (const taken of job.keys) candidates.add(taken);
    }
    for (const { jobs } of formed) jobs.sort((a, b) => a.number - b.number);
    return [...formed];
  }

  release({ keys }: Component): void {
    for (const key of keys) {
      const queue = this.#queues.get(key);
      if (!queue) continue;
      queue.holder = undefined;
      if (queue.waiting.length === 0) this.#queues.delete(key);
      else this.#candidates.add(key);
    }
  }

  /** The job was answered before its turn: others may be able to run. */
  drop(job: Job): void {
    for (const key of job.keys) if (this.#queues.has(key)) this.#candidates.add(key);
  }

  /** Whether no job waits and no component runs. */
  get isIdle(): boolean {
    return this.#queues.size === 0;
  }

  #forget(key: string): void {
    const queue = this.#queues.get(key);
    if (queue && !queue.holder && queue.waiting.length === 0) this.#queues.delete(key);
  }

  #first(key: string): Job | undefined {
    const waiting = this.#queues.get(key)?.waiting ?? [];
    while (waiting[0]?.isSettled) waiting.shift();
    return waiting[0];
  }

  /** The components that the job would make one; undefined when it has to wait. */
  #joined(job: Job, formed: ReadonlySet<Forming>): Set<Forming> | undefined {
    const joined = new Set<Forming>();
    let jobs = 1;
    let keys = job.keys.length;
    for (const key of job.keys) {
      const holder = this.#queues.get(key)?.holder as Forming | undefined;
      if (this.#first(key) !== job || (holder && !formed.has(holder))) return undefined;
      if (!holder || joined.has(holder)) continue;
      joined.add(holder);
      jobs += holder.jobs.length;
      keys += holder.keys.size;
    }
    const isTooLarge = jobs > componentMax.jobs || keys > componentMax.keys;
    return joined.size > 0 && isTooLarge ? undefined : joined;
  }

  #join(job: Job, joined: ReadonlySet<Forming>, formed: Set<Forming>): void {
    const [first = { jobs: [], keys: new Set<string>() }, ...others] = joined;
    formed.add(first);
    for (const other of others) {
      formed.delete(other);
      for (const one of other.jobs) first.jobs.push(one);
      for (const key of other.keys) this.#hold(key, first);
    }
    first.jobs.push(job);
    for (const key of job.keys) {
      this.#queues.get(key)?.waiting.shift();
      this.#hold(key, first);
    }
  }

  #hold(key: string, holder: Forming): void {
    holder.keys.add(key);
    const queue = this.#queues.get(key);
    if (queue) queue.holder = holder;
  }
}
