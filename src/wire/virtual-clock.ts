import type { Cancel, Clock } from './ports.ts';

interface Task {
  readonly dueMs: number;
  readonly order: number;
  run(): void | Promise<void>;
}

/**
 * Time that moves only when told to. Tasks run one after another in the order they fall due (ties: in the order they
 * were scheduled), each seeing exactly its own due time; what a task schedules within the span runs too.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  #scheduled = 0;
  readonly #tasks = new Set<Task>();
  readonly #settle: () => Promise<void>;
  #advancing: Promise<unknown> = Promise.resolve();

  /**
   * @param startMs milliseconds since the Unix epoch
   * @param settle waits until nothing is under way; called before the first and after every task, so that work done
   *   by sockets and stores between two instants is finished before time moves on
   */
  constructor(startMs: number, settle: () => Promise<void> = turn) {
    this.#nowMs = startMs;
    this.#settle = settle;
  }

  now(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, run: () => void | Promise<void>): Cancel {
    const task: Task = { dueMs: this.#nowMs + Math.max(0, delayMs), order: this.#scheduled++, run };
    this.#tasks.add(task);
    return () => this.#tasks.delete(task);
  }

  /**
   * Moves time by `ms` (a whole number from 0) and resolves with the new time once everything due until then has run.
   * Calls queue behind each other.
   */
  advance(ms: number): Promise<number> {
    const moved = this.#advancing.then(() => this.#run(this.#nowMs + ms));
    this.#advancing = moved.catch(() => {});
    return moved;
  }

  async #run(untilMs: number): Promise<number> {
    await this.#settle();
    for (let task = this.#next(untilMs); task; task = this.#next(untilMs)) {
      this.#tasks.delete(task);
      this.#nowMs = Math.max(this.#nowMs, task.dueMs);
      await task.run();
      await this.#settle();
    }
    this.#nowMs = untilMs;
    return untilMs;
  }

  #next(untilMs: number): Task | undefined {
    let first: Task | undefined;
    for (const task of this.#tasks) {
      if (task.dueMs > untilMs) continue;
      if (!first || task.dueMs < first.dueMs || (task.dueMs === first.dueMs && task.order < first.order)) first = task;
    }
    return first;
  }
}

/** One turn of the event loop: pending callbacks and the microtasks behind them. */
function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
