/** What is to run at an instant. */
export interface Task {
  readonly dueMs: number;
  /** Decides between tasks due at the same instant; different for every task. */
  readonly order: number;
  run(): void | Promise<void>;
}

/**
 * Tasks by the instant they are due: a binary heap that knows where each task stands, so that adding, cancelling and
 * taking the first cost the logarithm of their number.
 */
export class TaskQueue {
  /** Children of place `n` stand at 2n + 1 and 2n + 2, and come after it. */
  readonly #heap: Task[] = [];
  readonly #places = new Map<Task, number>();

  get size(): number {
    return this.#heap.length;
  }

  first(): Task | undefined {
    return this.#heap[0];
  }

  add(task: Task): void {
    this.#rise(this.#heap.length, task);
  }

  /** Does nothing when the task is not in the queue (any more). */
  remove(task: Task): void {
    const place = this.#places.get(task);
    if (place === undefined) return;
    this.#places.delete(task);
    const last = this.#heap.pop();
    if (!last || last === task) return;
    // The last task fills the gap; of the two walks only one moves it.
    this.#sink(place, last);
    this.#rise(this.#places.get(last) ?? place, last);
  }

  #rise(from: number, task: Task): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#heap[above];
      if (!parent || isBefore(parent, task)) break;
      this.#set(place, parent);
      place = above;
    }
    this.#set(place, task);
  }

  #sink(from: number, task: Task): void {
    let place = from;
    for (;;) {
      const below = this.#firstChild(place);
      const child = this.#heap[below];
      if (!child || isBefore(task, child)) break;
      this.#set(place, child);
      place = below;
    }
    this.#set(place, task);
  }

  #firstChild(place: number): number {
    const left = this.#heap[2 * place + 1];
    const right = this.#heap[2 * place + 2];
    return left && right && isBefore(right, left) ? 2 * place + 2 : 2 * place + 1;
  }

  #set(place: number, task: Task): void {
    this.#heap[place] = task;
    this.#places.set(task, place);
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs;
}
