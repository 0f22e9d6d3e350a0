import type { Observable } from 'rxjs';
import type { Clock, Logger } from '../../wire/clock/ports.ts';
import { reportError } from '../../wire/error-report.ts';
import type { OperationOptions, WaitReason, WaitSnapshot } from '../call-options.ts';
import { LiveValue } from '../live/live-value.ts';

/** Reports what one operation waits for; undefined: it no longer waits. */
export type ReportWait = (
  wait: { readonly reason: WaitReason; readonly untilMs?: number | undefined } | undefined,
) => void;

/** The operations that wait, for a game that wants to show it. */
export class Waits {
  /** In the order in which they began to wait; replays the latest; completes on {@link close}. */
  readonly waits$: Observable<readonly WaitSnapshot[]>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #waiting = new Set<WaitSnapshot>();
  readonly #shown = new LiveValue<readonly WaitSnapshot[]>(Object.freeze([]));

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
    this.waits$ = this.#shown.value$;
  }

  get waits(): readonly WaitSnapshot[] {
    return this.#shown.value;
  }

  /** Reports the waits of one operation. */
  of(operation: string, { onWait }: OperationOptions): ReportWait {
    let present: WaitSnapshot | undefined;
    return wait => {
      if (!wait && !present) return;
      if (present) this.#waiting.delete(present);
      present = wait && Object.freeze({ operation, sinceMs: this.#clock.now(), untilMs: undefined, ...wait });
      if (present) this.#waiting.add(present);
      this.#shown.set(Object.freeze([...this.#waiting]));
      this.#call(onWait, present);
    };
  }

  close(): void {
    this.#shown.complete();
  }

  // An error in the game's callback must not fail the operation.
  #call(onWait: OperationOptions['onWait'], wait: WaitSnapshot | undefined): void {
    try {
      onWait?.(wait);
    } catch (error) {
      this.#logger.error({ error: reportError(error) }, 'an onWait callback failed');
    }
  }
}
