import type { RallypointError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { Deadline } from '../../wire/http/deadline.ts';

/**
 * One stretch of being connected, from connect() to the end of the last socket. Only {@link stop} ends it: until the first
 * session is ready, when no call waits for it any more.
 */
export class ConnectionRun {
  /** Resolves when the run is to end. */
  readonly stopped: Promise<void>;
  /** Until the first session: {@link stop} ends what waits. */
  readonly deadline: Deadline;
  /** What stopped the run, unless the game did. */
  trouble: RallypointError | undefined;
  isStopping = false;
  /** How many calls of connect() wait for it to be ready. */
  waiting = 0;
  /** It was ready once, so that it goes on without them. */
  wasReady = false;
  #isReady = false;
  #ready = newPromise();
  readonly #stopped = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.stopped = this.#stopped.promise;
    this.deadline = new Deadline(clock, Number.POSITIVE_INFINITY);
  }

  /** Resolves when a session is ready, immediately while it is; rejects with what stops the run before that. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** A session is ready. */
  succeed(): void {
    this.deadline.close();
    this.#ready.resolve();
    this.#isReady = true;
    this.wasReady = true;
  }

  /** It is not ready any more; another attempt follows. */
  falter(): void {
    if (!this.#isReady) return;
    this.#isReady = false;
    this.#ready = newPromise();
  }

  /** The first call counts. `aborted` means that the game stopped it, anything else is a failure. */
  stop(error: RallypointError): void {
    if (this.isStopping) return;
    this.isStopping = true;
    if (error.code !== 'aborted') this.trouble = error;
    this.deadline.abort();
    this.deadline.close();
    this.#ready.reject(error);
    this.#stopped.resolve();
  }
}

/** A promise whose rejection may go unhandled. */
function newPromise(): PromiseWithResolvers<void> {
  const made = Promise.withResolvers<void>();
  made.promise.catch(() => {});
  return made;
}
