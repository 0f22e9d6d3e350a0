/** Counts the work under way, so that virtual time moves only when there is none. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
export class PendingWork {
  #running = 0;
  #outside = 0;
  #aside = 0;
  #deliver: (() => Promise<boolean>) | undefined;

  /** Sets what else must be done before nothing is under way. @param deliver returns whether anything was done */
  settleBy(deliver: () => Promise<boolean>): void {
    this.#deliver = deliver;
  }

  /** Counts work that begins; {@link end} must follow. */
  begin(): void {
    this.#running++;
  }

  end(): void {
    this.#running--;
  }

  /** Runs `work` and counts it until it ends. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Runs a call to a server outside, which takes real time: virtual time waits longer for it. */
  async runOutside<T>(call: () => Promise<T>): Promise<T> {
    this.#outside++;
    try {
      return await call();
    } finally {
      this.#outside--;
    }
  }

  /** Runs work that takes real time but certainly ends, such as reading from disk: virtual time waits for it however long it takes. */
  async runAside<T>(work: () => Promise<T>): Promise<T> {
    this.#aside++;
    try {
      return await work();
    } finally {
      this.#aside--;
    }
  }

  /**
   * Resolves once nothing was under way for some turns of the event loop, in which sockets and the store could begin
   * something new. Work that itself waits for time to move is not waited for longer than a bounded number of turns.
   */
  async settled(): Promise<void> {
    for (let round = 0; round < roundsMax; round++) {
      await this.#quiet();
      if (!(await this.#deliver?.())) return;
    }
  }

  async #quiet(): Promise<void> {
    const outsideUntilMs = performance.now() + outsideMsMax;
    let quiet = 0;
    for (let turns = 0; turns < turnsMax && quiet < quietTurns; turns++) {
      await new Promise(resolve => setImmediate(resolve));
      if (this.#aside > 0 || (this.#outside > 0 && performance.now() < outsideUntilMs)) turns = 0;
      quiet = this.#running + this.#outside + this.#aside === 0 ? quiet + 1 : 0;
    }
  }
}

const roundsMax = 20;
const quietTurns = 3;
const turnsMax = 200;
/** A server outside that does not answer delays virtual time no longer than this. */
const outsideMsMax = 100;
