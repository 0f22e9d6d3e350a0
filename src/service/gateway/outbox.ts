/** Something with text to send. */
export interface Sender {
  flush(): void;
}

/** Lets all that is sent to a socket within one turn of the event loop leave in one write: a write costs more than its bytes. */
export class Outbox {
  #waiting: Sender[] = [];

  /** Has `sender` flushed at the end of this turn. To be called once a turn for each. */
  add(sender: Sender): void {
    if (this.#waiting.push(sender) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const sender of waiting) sender.flush();
  }
}
