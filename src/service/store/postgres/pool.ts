import { steadyNow, systemClock } from '../../../wire/clock/ports.ts';
import { storeLimits } from '../../support/service-limits.ts';
import type { Link } from './link.ts';

export interface PoolOptions {
  /** @param ended called when the connection ends that was opened */
  open(timeoutMs: number, ended: (link: Link, error: Error) => void): Promise<Link>;
  /** What is thrown when there was no connection in time. @param cause why the last one could not be opened */
  late(cause: unknown): Error;
  /** Most connections. */
  readonly size: number;
  /** Most statements under way on one. */
  readonly depth: number;
}

interface Waiting {
  start(link: Link): void;
  reject(error: Error): void;
}

/** Pause before the next attempt to connect; it doubles with every failure. */
const pauseMs = { first: 50, most: 500 } as const;

/** Connections of one kind, opened when all others are busy. */
export class Pool {
  readonly #options: PoolOptions;
  readonly #links = new Set<Link>();
  readonly #waiting = new Set<Waiting>();
  #opening = 0;
  #pauseMs: number = pauseMs.first;
  #isPausing = false;
  #lastError: unknown = new Error('all connections are busy');
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Begins `task` with the least busy connection, when there is one that is not too busy.
   *
   * @param deadlineMs by when it must begin, on the steady clock
   * @param task begins its statements before it first awaits
   * @throws what `late` makes; what the task throws
   */
  use<T>(deadlineMs: number, task: (link: Link) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(this.#options.late(this.#lastError));
    const link = this.#waiting.size === 0 ? this.#leastBusy() : undefined;
    if (!link || link.load > 0) this.#grow();
    if (link) return this.#run(link, task);
    return new Promise<T>((resolve, reject) => {
      const leftMs = deadlineMs - steadyNow(systemClock);
      const cancel = systemClock.schedule(Math.max(0, leftMs), () => {
        if (this.#waiting.delete(waiting)) reject(this.#options.late(this.#lastError));
      });
      const waiting: Waiting = {
        start: free => {
          cancel();
          this.#run(free, task).then(resolve, reject);
        },
        reject: error => {
          cancel();
          reject(error);
        },
      };
      this.#waiting.add(waiting);
      this.#grow();
    });
  }

  /** Ends the connections after the statements under way; what has not begun fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting) reject(this.#options.late(this.#lastError));
    this.#waiting.clear();
    await Promise.all([...this.#links].map(link => link.close()));
    this.#links.clear();
  }

  #run<T>(link: Link, task: (link: Link) => Promise<T>): Promise<T> {
    const running = task(link);
    const serve = () => this.#serve();
    running.then(serve, serve);
    return running;
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      const link = this.#leastBusy();
      if (!link) break;
      this.#waiting.delete(waiting);
      waiting.start(link);
    }
    if (this.#waiting.size > 0) this.#grow();
  }

  #leastBusy(): Link | undefined {
    let found: Link | undefined;
    for (const link of this.#links) {
      if (link.isStale) {
        if (link.load === 0) this.#retire(link);
      } else if (link.load < (found?.load ?? this.#options.depth)) found = link;
    }
    return found;
  }

  #retire(link: Link): void {
    this.#links.delete(link);
    void link.close();
  }

  #grow(): void {
    if (this.#isClosed || this.#isPausing || this.#opening > this.#waiting.size) return;
    if (this.#links.size + this.#opening >= this.#options.size) return;
    this.#opening++;
    this.#options.open(storeLimits.connectMs, ended).then(opened, failed);
    const pool = this;

    function opened(link: Link): void {
      pool.#opening--;
      pool.#pauseMs = pauseMs.first;
      if (pool.#isClosed) return void link.close();
      if (link.isOpen) pool.#links.add(link);
      pool.#serve();
    }

    function failed(error: unknown): void {
      pool.#opening--;
      pool.#lastError = error;
      pool.#pause();
    }

    function ended(link: Link, error: Error): void {
      pool.#lastError = error;
      pool.#links.delete(link);
      pool.#serve();
    }
  }

  #pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    systemClock.schedule(this.#pauseMs, () => {
      this.#isPausing = false;
      this.#serve();
    });
    this.#pauseMs = Math.min(2 * this.#pauseMs, pauseMs.most);
  }
}
