/** A place in a line. */
export interface Turn {
  readonly isFirst: boolean;
  /** Resolves when those before have ended. */
  readonly begins: Promise<void>;
  /** Lets the next one begin, once those before have ended too. Idempotent. */
  end(): void;
}

/** Lines by name, in which everybody has a turn after those who came before. */
export class Turns {
  /** The end of each line: when its last turn has ended. */
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
