import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import { intakeLimits } from '../support/service-limits.ts';

/**
 * Node's own part of a connection. A stream that is paused while its connection becomes a WebSocket is never read again, because Node
 * removes the listeners that would resume it. Stopping the handle changes nothing for the stream: its bytes only arrive later.
 */
interface Handle {
  /** Node wants to read; stopping and starting the handle does not change this. */
  readonly reading: boolean;
  readStart(): void;
  readStop(): void;
}

function handleOf(connection: Duplex): Handle | null | undefined {
  return (connection as Duplex & { readonly _handle?: Handle | null })._handle;
}

/**
 * The share of each turn of the event loop that connections without a valid credential may take. Node.js reads and parses up to 64 KiB of
 * each connection that has sent something before others have their turn. That takes up to 20 ms, and seconds for 200 of them. When the
 * share is used up, all of them are paused. In the next turn one connection of each address continues, and in every further turn twice as
 * many, as long as the share is not used up again, so that players who reconnect together are not held up. A caller with a credential waits
 * for one share and one connection, and any other caller for little more than that from each address.
 */
export class TurnShare {
  readonly #connections: () => Iterable<readonly [Duplex, string]>;
  readonly #nowMs: () => number;
  /** When the first of them was read in this turn. */
  #sinceMs: number | undefined;
  #isUsedUp = false;
  #isEndAwaited = false;
  /** How many of each address continue in the next turn. */
  #next = 1;
  /** By address, in the order in which they continue. */
  readonly #paused = new Map<string, Set<Duplex>>();

  /** @param connections those without a valid credential, each with its address */
  constructor(connections: () => Iterable<readonly [Duplex, string]>, nowMs = () => performance.now()) {
    this.#connections = connections;
    this.#nowMs = nowMs;
  }

  /** Call it whenever a part of a request was read from one of the connections. */
  spend(): void {
    if (this.#sinceMs === undefined) {
      this.#sinceMs = this.#nowMs();
      this.#awaitEnd();
    } else if (!this.#isUsedUp && this.#nowMs() - this.#sinceMs > intakeLimits.strangersTurnMs) {
      this.#isUsedUp = true;
      this.#pauseAll();
    }
  }

  /** Has the connection read again. Call it when it is no longer one of them; if it was not paused, nothing happens. */
  release(connection: Duplex, address: string): void {
    const paused = this.#paused.get(address);
    if (!paused?.delete(connection)) return;
    if (paused.size === 0) this.#paused.delete(address);
    const handle = handleOf(connection);
    if (handle?.reading) handle.readStart();
  }

  /** Connections whose bytes the system has already reported are not read in this turn either. */
  #pauseAll(): void {
    for (const [connection, address] of this.#connections()) {
      const handle = handleOf(connection);
      if (!handle?.reading) continue;
      handle.readStop();
      const others = this.#paused.get(address);
      if (others) others.add(connection);
      else this.#paused.set(address, new Set([connection]));
    }
  }

  #awaitEnd(): void {
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isEndAwaited = false;
    this.#sinceMs = undefined;
    this.#next = this.#isUsedUp ? 1 : 2 * this.#next;
    this.#isUsedUp = false;
    for (const [address, connections] of this.#paused) {
      let left = this.#next;
      for (const connection of connections) {
        if (left-- === 0) break;
        this.release(connection, address);
      }
    }
    if (this.#paused.size > 0) this.#awaitEnd();
    else this.#next = 1;
  }
}
