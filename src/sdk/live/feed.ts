import { Observable, type Subscriber } from './rxjs.ts';

/**
 * One value that changes, and its subscribers. Each receives the present value first, then each change, never the same
 * value twice in a row, and never an error.
 *
 * Re-entrancy, the same for every observable of state in this package: a subscriber may change the value while it is
 * notified. All subscribers receive all values in one order, and the getter beside an observable is already at the newest.
 */
export class Feed<Value> {
  readonly #read: () => Value;
  readonly #subscribers = new Set<Subscriber<Value>>();
  /** The newest value that was read, and the one that subscribers are receiving or have received. */
  #newest: Value | undefined;
  #delivered: Value | undefined;
  /** Read while another value was being delivered. */
  #waiting: Value[] = [];
  #isDelivering = false;
  #isComplete = false;

  /** @param read gives the present value */
  constructor(read: () => Value) {
    this.#read = read;
  }

  /** The value as an observable, which runs something else at the end of each subscription. */
  value$(onEnd: () => void = () => {}): Observable<Value> {
    return new Observable(subscriber => {
      if (this.#isComplete) return subscriber.complete();
      const end = this.subscribe(subscriber);
      return () => {
        end();
        onEnd();
      };
    });
  }

  get isObserved(): boolean {
    return this.#subscribers.size > 0;
  }

  /** @returns what ends the subscription */
  subscribe(subscriber: Subscriber<Value>): () => void {
    if (this.isObserved) {
      // Earlier subscribers receive a change before this one does, or this one would receive it twice.
      this.notify();
    } else {
      this.#waiting = [];
      this.#newest = this.#read();
      this.#delivered = this.#newest;
    }
    this.#subscribers.add(subscriber);
    subscriber.next(this.#delivered as Value);
    return () => this.#subscribers.delete(subscriber);
  }

  /** The value may have changed. Costs nothing without subscribers: the value is not even read. */
  notify(): void {
    if (!this.isObserved) return;
    const value = this.#read();
    if (value === this.#newest) return;
    this.#newest = value;
    if (this.#isDelivering) {
      this.#waiting.push(value);
      return;
    }
    this.#isDelivering = true;
    this.#deliver(value);
    while (this.#waiting.length > 0) this.#deliver(this.#waiting.shift() as Value);
    this.#isDelivering = false;
  }

  complete(): void {
    this.#isComplete = true;
    for (const subscriber of [...this.#subscribers]) subscriber.complete();
  }

  #deliver(value: Value): void {
    this.#delivered = value;
    for (const subscriber of [...this.#subscribers]) subscriber.next(value);
  }
}
