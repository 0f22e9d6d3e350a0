/** Something with text to send. */
export interface Sender {
  flush(): void;
}

/**
 * Lets all that one commit sends to a socket leave in one write: a write costs more than its bytes.
 *
 * It leaves once every promise that the commit has settled was taken up, in the same turn of the event loop: so the
 * answers go first, and by the time the events have left those who were answered may have asked again, together.
 */
export class Outbox {
  #waiting: Sender[] = [];

  /** Has `sender` flushed soon. To be called once until then. */
  add(sender: Sender): void {
    if (this.#waiting.push(sender) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sender of waiting) sender.flush();
  }
}
