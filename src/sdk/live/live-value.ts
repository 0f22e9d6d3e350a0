import { Feed } from './feed.ts';
import { Observable } from './rxjs.ts';

/** One value that is set, as a getter and as an observable of state; see {@link Feed}. */
export class LiveValue<Value> {
  readonly value$: Observable<Value>;
  readonly #feed = new Feed<Value>(() => this.#value);
  #value: Value;
  #isComplete = false;

  constructor(first: Value) {
    this.#value = first;
    this.value$ = new Observable<Value>(subscriber => {
      if (!this.#isComplete) return this.#feed.subscribe(subscriber);
      subscriber.complete();
      return undefined;
    });
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
    this.#isComplete = true;
    this.#feed.complete();
  }
}
