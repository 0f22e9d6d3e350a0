import { type Cancel, type Clock, scheduleAt } from '../../../wire/clock/ports.ts';
import { type Task, TaskQueue } from '../../../wire/clock/task-queue.ts';

class Alarm<Item> implements Task {
  readonly dueMs: number;
  readonly order: number;
  readonly #alarms: Alarms<Item>;
  readonly #item: Item;

  constructor(alarms: Alarms<Item>, item: Item, dueMs: number, order: number) {
    this.dueMs = dueMs;
    this.order = order;
    this.#alarms = alarms;
    this.#item = item;
  }

  run(): void {
    this.#alarms.ringFor(this.#item);
  }
}

/** Calls `onDue` for every item at the time set for it. All items share one timer. */
export class Alarms<Item> {
  readonly #clock: Clock;
  readonly #onDue: (item: Item) => void;
  readonly #queue = new TaskQueue();
  readonly #tasks = new Map<Item, Task>();
  #order = 0;
  #timer: { readonly dueMs: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** Sets or replaces the item's time. */
  set(item: Item, dueMs: number): void {
    this.drop(item);
    const task = new Alarm(this, item, dueMs, this.#order++);
    this.#tasks.set(item, task);
    this.#queue.add(task);
    this.#arm();
  }

  /** @see Alarm.run */
  ringFor(item: Item): void {
    this.#tasks.delete(item);
    this.#onDue(item);
  }

  drop(item: Item): void {
    const task = this.#tasks.get(item);
    if (!task) return;
    this.#tasks.delete(item);
    this.#queue.remove(task);
  }

  /** Removes all items. */
  close(): void {
    for (const item of [...this.#tasks.keys()]) this.drop(item);
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const first = this.#queue.first();
    if (!first || (this.#timer && this.#timer.dueMs <= first.dueMs)) return;
    this.#timer?.cancel();
    const cancel = scheduleAt(this.#clock, first.dueMs, () => this.#ring());
    this.#timer = { dueMs: first.dueMs, cancel };
  }

  #ring(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (let first = this.#queue.first(); first && first.dueMs <= nowMs; first = this.#queue.first()) {
      this.#queue.remove(first);
      void first.run();
    }
    this.#arm();
  }
}
