import { ArgumentError } from '../model/errors/errors.ts';
import { parseOptions } from '../wire/arguments.ts';
import type { Clock } from '../wire/clock/ports.ts';
import { Deadline } from '../wire/http/deadline.ts';
import type { Turns } from '../wire/turns.ts';
import type { SendOptions } from './calls.ts';

/** Several calls and waits under one deadline. */
export class Operation {
  readonly #deadline: Deadline;
  readonly #options: SendOptions;

  constructor(deadline: Deadline, options: SendOptions) {
    this.#deadline = deadline;
    this.#options = options;
  }

  /**
   * For the next call.
   *
   * @param bounds an earlier deadline, or a check to run before the call is sent
   * @throws TransportError `deadline_exceeded`, `aborted`
   */
  next({ deadlineMs = Number.POSITIVE_INFINITY, ...others }: SendOptions = {}): SendOptions {
    this.check();
    return { ...this.#options, ...others, deadlineMs: Math.min(deadlineMs, this.#deadline.leftMs) };
  }

  /** @throws TransportError `deadline_exceeded`, `aborted` */
  check(): void {
    this.#deadline.signal.throwIfAborted();
  }

  /** @throws TransportError `deadline_exceeded`, `aborted` */
  async sleep(ms: number): Promise<void> {
    await this.#deadline.sleep(ms);
  }

  /** Does work when its turn has come. If this operation ends before, the work is not begun. */
  async inTurn<T>(turns: Turns, name: string, work: () => Promise<T>): Promise<T> {
    const turn = turns.take(name);
    try {
      await this.within(turn.begins);
      return await work();
    } finally {
      turn.end();
    }
  }

  /** Waits for a promise. @throws TransportError `deadline_exceeded`, `aborted` */
  within<T>(work: Promise<T>): Promise<T> {
    return this.#deadline.within(work);
  }
}

/** Runs operations, and aborts those under way when it is closed. */
export class Operations {
  readonly #clock: Clock;
  readonly #underWay = new Set<Deadline>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param defaultMs the deadline where the options name none
   * @throws ArgumentError `closed`, `invalid_argument`, `invalid_deadline`; what the work throws
   */
  async run<T>(
    defaultMs: number,
    given: SendOptions | undefined,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw new ArgumentError('closed', 'This backend has been closed.');
    const options = parseOptions(given);
    const deadline = new Deadline(this.#clock, options.deadlineMs ?? defaultMs, options.signal);
    this.#underWay.add(deadline);
    try {
      return await work(new Operation(deadline, options));
    } finally {
      this.#underWay.delete(deadline);
      deadline.close();
    }
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true;
    for (const deadline of this.#underWay) deadline.abort();
  }
}
