/** How far a reconcile or a sweep has come. Frozen. */
export interface LobbyProgress {
  readonly operation: 'reconcile' | 'sweep';
  /** Tells runs apart: 1 for this backend's first. */
  readonly run: number;
  /** `complete`: nothing was left out, nothing failed. */
  readonly status: 'running' | 'complete' | 'incomplete';
  /** Lobbies it is about. */
  readonly total: number;
  /** Lobbies done with, the failed included. */
  readonly done: number;
  readonly failed: number;
}

/** Counts one run and tells of every step. */
export class Run {
  #progress: LobbyProgress;
  readonly #tell: (progress: LobbyProgress) => void;

  constructor(operation: LobbyProgress['operation'], run: number, tell: (progress: LobbyProgress) => void) {
    this.#tell = tell;
    this.#progress = { operation, run, status: 'running', total: 0, done: 0, failed: 0 };
  }

  /** More lobbies turn out to be concerned. */
  expect(count: number): void {
    this.#set({ total: this.#progress.total + count });
  }

  did(success: boolean): void {
    const { done, failed } = this.#progress;
    this.#set({ done: done + 1, failed: success ? failed : failed + 1 });
  }

  end(): void {
    const { total, done, failed } = this.#progress;
    this.#set({ status: done === total && failed === 0 ? 'complete' : 'incomplete' });
  }

  /** It failed. */
  abandon(): void {
    this.#set({ status: 'incomplete' });
  }

  get isComplete(): boolean {
    return this.#progress.status === 'complete';
  }

  #set(change: Partial<LobbyProgress>): void {
    this.#progress = Object.freeze({ ...this.#progress, ...change });
    this.#tell(this.#progress);
  }
}
