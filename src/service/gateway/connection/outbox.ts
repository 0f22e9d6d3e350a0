/** Something with frames to send. */
export interface Sender {
  /** How many frames it has to send. */
  readonly queued: number;
  flush(): void;
}

/**
 * Sends all that one commit causes for a socket in one write, because a write costs more than its bytes.
 *
 * A single event is sent when its commit has announced it. With several, the answers to the requests that caused them
 * are sent first, in the same turn of the event loop: by the time the events are sent, their callers may have sent
 * their next requests, together.
 */
export class Outbox {
  #waiting: Sender[] = [];

  /** Flushes `sender` soon. Call it once until then. */
  add(sender: Sender): void {
    if (this.#waiting.push(sender) > 1) return;
    queueMicrotask(() => {
      if (sender.queued === 1) this.#flush();
      else process.nextTick(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sender of waiting) sender.flush();
  }
}
