/** A body in memory. */
export interface Hold {
  /** Says that it takes `bytes` in all by now. */
  grow(bytes: number): void;
  /** It was dealt with, or nobody waits for it any more. Idempotent. */
  release(): void;
}

/**
 * Bounds what bodies take in memory, all together. When they take more, the one that has been there for longest makes room:
 * who sends slowly in order to be in the way loses, and a body that arrives at once is gone before its turn comes.
 */
export class HeldBytes {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  readonly #holds = new Set<HeldBody>();
  #bytes = 0;

  /** @param onDrop called for each body that made room */
  constructor(bytesMax: number, onDrop: () => void = () => {}) {
    this.#bytesMax = bytesMax;
    this.#onDrop = onDrop;
  }

  /** What is held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @param drop lets go of the body, and of its sender */
  open(drop: () => void): Hold {
    const hold: HeldBody = {
      bytes: 0,
      drop,
      grow: bytes => this.#grow(hold, bytes),
      release: () => this.#release(hold),
    };
    this.#holds.add(hold);
    return hold;
  }

  #grow(hold: HeldBody, bytes: number): void {
    if (!this.#holds.has(hold)) return;
    this.#bytes += bytes - hold.bytes;
    hold.bytes = bytes;
    while (this.#bytes > this.#bytesMax) {
      const [oldest] = this.#holds;
      if (!oldest) return;
      this.#release(oldest);
      oldest.drop();
      this.#onDrop();
    }
  }

  #release(hold: HeldBody): void {
    if (!this.#holds.delete(hold)) return;
    this.#bytes -= hold.bytes;
  }
}

interface HeldBody extends Hold {
  bytes: number;
  readonly drop: () => void;
}
