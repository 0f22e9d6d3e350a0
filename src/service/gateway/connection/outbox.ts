/** Something with text to send. */
export interface Sender {
  /** How many frames it has to send. */
  readonly queued: number;
  flush(): void;
}

/**
 * Lets all that one commit sends to a socket leave in one write: a write costs more than its bytes.
 *
 * A lone event leaves when its commit has announced it. Of several the answers to those who caused them go first, in the same
 * turn of the event loop: by the time the events have left, their callers may have asked again, together.
 */
export class Outbox {
  #waiting: Sender[] = [];

  /** Has `sender` flushed soon. To be called once until then. */
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
