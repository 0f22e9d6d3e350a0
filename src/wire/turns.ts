/** A place in a queue. */
export interface Turn {
  readonly isFirst: boolean;
  /** Resolves when those before have ended. */
  readonly begins: Promise<void>;
  /** Lets the next one begin, once those before have ended too. Idempotent. */
  end(): void;
}

/** Queues by name: each turn begins when the turns before it have ended. */
export class Turns {
  /** The end of each queue: when its last turn has ended. */
  readonly #lines = new Map<string, Promise<void>>();

  take(name: string): Turn {
    const before = this.#lines.get(name);
    const ended = Promise.withResolvers<void>();
    const begins = before ?? Promise.resolve();
    const next = begins.then(() => ended.promise);
    this.#lines.set(name, next);
    void next.then(() => {
      if (this.#lines.get(name) === next) this.#lines.delete(name);
    });
    return { isFirst: before === undefined, begins, end: ended.resolve };
  }
}
