import { BehaviorSubject, type Observable } from './rxjs.ts';

/**
 * One value that changes, as a getter and as a stream that replays the latest and never errors. Whoever watches hears of
 * every change in the order in which they came, also of those that a watcher makes while it is told of another.
 */
export class LiveValue<Value> {
  readonly value$: Observable<Value>;
  readonly #subject: BehaviorSubject<Value>;
  /** Set and not told yet; the first is being told. */
  readonly #coming: Value[] = [];

  constructor(first: Value) {
    this.#subject = new BehaviorSubject(first);
    this.value$ = this.#subject.asObservable();
  }

  /** The latest. */
  get value(): Value {
    return this.#coming.length > 0 ? (this.#coming.at(-1) as Value) : this.#subject.value;
  }

  set(value: Value): void {
    this.#coming.push(value);
    if (this.#coming.length > 1) return; // told by whoever is telling now
    while (this.#coming.length > 0) {
      this.#subject.next(this.#coming[0] as Value);
      this.#coming.shift();
    }
  }

  complete(): void {
    this.#subject.complete();
  }
}
