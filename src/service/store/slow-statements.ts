import { type Logger, systemClock } from '../../wire/clock/ports.ts';

/** What a statement was, without the values in it. */
export interface StatementKind {
  /** `get`, `list`, `commit` … */
  readonly statement: string;
  readonly [detail: string]: unknown;
}

/** Logs the statements that took longer than they should. */
export class SlowStatements {
  readonly #thresholdMs: number;
  readonly #log: Logger;

  /** @param thresholdMs 0 logs all of them */
  constructor(thresholdMs: number, log: Logger) {
    this.#thresholdMs = thresholdMs;
    this.#log = log;
  }

  /** @returns what {@link end} is to be given */
  begin(): number {
    return systemClock.steady?.() ?? 0;
  }

  /** @param kind asked only when the statement was slow */
  end(startedMs: number, kind: () => StatementKind): void {
    const durationMs = this.begin() - startedMs;
    if (durationMs < this.#thresholdMs) return;
    this.#log.warn({ ...kind(), durationMs: Math.round(durationMs * 10) / 10 }, 'A statement of the store was slow.');
  }
}
