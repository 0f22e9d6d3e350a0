/** How much is under way, so that virtual time moves only when nothing is. */
export class Activity {
  #running = 0;

  /** Something begins; {@link end} must follow. */
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

  /**
   * Resolves once nothing was under way for some turns of the event loop, in which sockets and the store could begin
   * something new. Work that itself waits for time to move is not waited for longer than a bounded number of turns.
   */
  async settled(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; turns < turnsMax && quiet < quietTurns; turns++) {
      await new Promise(resolve => setImmediate(resolve));
      quiet = this.#running === 0 ? quiet + 1 : 0;
    }
  }
}

const quietTurns = 3;
const turnsMax = 200;
