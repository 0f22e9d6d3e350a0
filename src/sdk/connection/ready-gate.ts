import { TransportError } from '../../model/errors/errors.ts';
import type { Deadline } from '../../wire/http/deadline.ts';

// Unspecified: more waiting operations than this would only hide a fault of the game.
const waitingMax = 1_000;

/** Lets operations through while the client is ready; those that wait go in the order they came. */
export class ReadyGate {
  readonly #waiting = new Set<() => void>();
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  set(isOpen: boolean): void {
    this.#isOpen = isOpen;
    if (!isOpen) return;
    for (const admit of this.#waiting) admit();
    this.#waiting.clear();
  }

  /**
   * Resolves once the client is ready.
   *
   * @throws TransportError `deadline_exceeded` or `aborted` when that comes first; `client_not_ready` when too many wait
   */
  async pass({ signal }: Deadline): Promise<void> {
    signal.throwIfAborted();
    if (this.#isOpen) return;
    if (this.#waiting.size >= waitingMax) throw clientNotReady('and too many operations are waiting for it');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', giveUp, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', giveUp));
  }
}

/** @see docs/spec/client.md#statuses */
export function clientNotReady(detail: string): TransportError {
  return new TransportError('client_not_ready', `The client is not ready, ${detail}.`);
}
