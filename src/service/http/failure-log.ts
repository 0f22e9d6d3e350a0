import { performance } from 'node:perf_hooks';
import type { Logger } from '../../wire/clock/ports.ts';
import { isEngineFailure, isUnforeseen, logLevelOf } from './errors.ts';

const periodMs = 1000;

/** Logs why requests failed: of one kind of failure of an engine, which every request may meet, one line in a second. */
export class FailureLog {
  readonly #log: Logger;
  readonly #kinds = new Map<string, { readonly atMs: number; omitted: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param fields what the line says of the request */
  report(error: unknown, fields: object, message = 'A request failed.'): void {
    if (!isUnforeseen(error)) return;
    const omitted = isEngineFailure(error) ? this.#omitted(kindOf(error)) : 0;
    if (omitted === undefined) return;
    this.#log[logLevelOf(error)]({ ...fields, ...(omitted > 0 && { omitted }), error }, message);
  }

  /** How many lines of the kind were omitted since the last one; undefined: so is this one. */
  #omitted(kind: string): number | undefined {
    const nowMs = performance.now();
    const last = this.#kinds.get(kind);
    if (last && nowMs - last.atMs < periodMs) {
      last.omitted++;
      return undefined;
    }
    this.#kinds.set(kind, { atMs: nowMs, omitted: 0 });
    return last?.omitted ?? 0;
  }
}

/** Codes alone, which are few: messages can contain what callers sent. */
function kindOf({ code, cause }: { readonly code: string; readonly cause?: unknown }): string {
  return `${code} ${(cause as { code?: unknown } | undefined)?.code}`;
}
