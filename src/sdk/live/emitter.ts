import { Observable, type Subscriber } from './rxjs.ts';

/** A stream of events: each goes to those who are subscribed when it happens. `Subject` of rxjs does more, and is ten times as large. */
export class Emitter<Event> {
  readonly events$: Observable<Event>;
  readonly #subscribers = new Set<Subscriber<Event>>();
  #isComplete = false;

  constructor() {
    this.events$ = new Observable<Event>(subscriber => {
      if (this.#isComplete) return subscriber.complete();
      this.#subscribers.add(subscriber);
      return () => this.#subscribers.delete(subscriber);
    });
  }

  get isObserved(): boolean {
    return this.#subscribers.size > 0;
  }

  emit(event: Event): void {
    for (const subscriber of [...this.#subscribers]) subscriber.next(event);
  }

  complete(): void {
    this.#isComplete = true;
    for (const subscriber of [...this.#subscribers]) subscriber.complete();
  }
}
