import { setImmediate } from 'node:timers';
import { ArgumentError } from '../../model/errors/errors.ts';
import type { Cancel, Clock } from './ports.ts';
import { type Task, TaskQueue } from './task-queue.ts';

/**
 * A clock that only advances on request. Tasks run one after another in the order they fall due (ties: in the order they
 * were scheduled), each seeing exactly its own due time; what a task schedules within the span runs too.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  #scheduled = 0;
  readonly #tasks = new TaskQueue();
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

  /** A delay with a fraction ends at the next whole millisecond: records hold whole ones. */
  schedule(delayMs: number, run: () => void | Promise<void>): Cancel {
    const task: Task = { dueMs: this.#nowMs + Math.max(0, Math.ceil(delayMs)), order: this.#scheduled++, run };
    this.#tasks.add(task);
    return () => this.#tasks.remove(task);
  }

  /**
   * Moves time by `ms` and resolves with the new time once everything due until then has run. Calls queue behind each
   * other. When a task fails, time stands at that task; the next call goes on from there.
   *
   * @param ms a whole number from 0
   * @throws ArgumentError `bad_duration`; what a task throws
   */
  async advance(ms: number): Promise<number> {
    if (!(Number.isSafeInteger(ms) && ms >= 0)) {
      throw new ArgumentError(
        'bad_duration',
        `A clock advances by a whole number of milliseconds, 0 or more (got ${ms}).`,
      );
    }
    const moved = this.#advancing.then(() => this.#run(this.#nowMs + ms));
    this.#advancing = moved.catch(() => {});
    return moved;
  }

  async #run(untilMs: number): Promise<number> {
    await this.#settle();
    for (let task = this.#take(untilMs); task; task = this.#take(untilMs)) {
      this.#nowMs = task.dueMs;
      await task.run();
      await this.#settle();
    }
    this.#nowMs = untilMs;
    return untilMs;
  }

  #take(untilMs: number): Task | undefined {
    const task = this.#tasks.first();
    if (!task || task.dueMs > untilMs) return undefined;
    this.#tasks.remove(task);
    return task;
  }
}

/** One turn of the event loop: pending callbacks and the microtasks behind them. */
function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
