import { Feed } from './feed.ts';
import type { Observable } from './rxjs.ts';

/** One value that is set, as a getter and as an observable of state; see {@link Feed}. */
export class LiveValue<Value> {
  readonly value$: Observable<Value>;
  readonly #feed = new Feed<Value>(() => this.#value);
  #value: Value;

  constructor(first: Value) {
    this.#value = first;
    this.value$ = this.#feed.value$();
  }

  /** The latest. */
  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    this.#value = value;
    this.#feed.notify();
  }

  complete(): void {
    this.#feed.complete();
  }
}
