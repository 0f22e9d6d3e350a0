import type { Cancel, Logger } from '../../wire/clock/ports.ts';
import type { Announced, Topic } from '../events/announcement.ts';

export type Listener = (announced: Announced) => void;

interface Subscription {
  readonly listener: Listener;
  /** How many events had been delivered before it. */
  readonly after: number;
}

/** The subscriptions of one node, by topic. A subscription made by a listener begins right after the current event. */
export class FanOut {
  readonly #log: Logger;
  readonly #subscriptions = new Map<Topic, Set<Subscription>>();
  #delivered = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether anyone subscribes to the topic. */
  has(topic: Topic): boolean {
    return this.#subscriptions.has(topic);
  }

  subscribe(topic: Topic, listener: Listener): Cancel {
    const subscription: Subscription = { listener, after: this.#delivered };
    const all = this.#subscriptions.get(topic) ?? new Set<Subscription>();
    all.add(subscription);
    this.#subscriptions.set(topic, all);
    return () => {
      if (all.delete(subscription) && all.size === 0 && this.#subscriptions.get(topic) === all) {
        this.#subscriptions.delete(topic);
      }
    };
  }

  /** Calls the topic's listeners. What one of them throws is logged. */
  deliver(event: Announced): void {
    const number = ++this.#delivered;
    for (const { listener, after } of this.#subscriptions.get(event.to) ?? []) {
      if (number <= after) continue;
      try {
        listener(event);
      } catch (error) {
        this.#log.error({ error, topic: event.to, event: event.event?.name }, 'A listener of the bus failed.');
      }
    }
  }

  clear(): void {
    // Cleared one by one, because a listener that closes the bus is called while one of them is iterated.
    for (const subscriptions of this.#subscriptions.values()) subscriptions.clear();
    this.#subscriptions.clear();
  }
}
