import { KeychainError, TransportError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { Deadline } from '../../wire/http/deadline.ts';

/** Keeps other processes out while work is under way; whoever dies lets them in. */
export interface SharedLock {
  /** @param signal gives up waiting, not the work */
  hold<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value>;
}

/** Runs what a keychain does, each call within its deadline. */
export interface Guard {
  /** @throws KeychainError `keychain_timeout`; what `work` throws */
  bounded<Value>(work: () => Promise<Value>): Promise<Value>;
  /** While no other process writes. @throws KeychainError `keychain_timeout`, `keychain_busy`; what `work` throws */
  alone<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * Work that outlasts its deadline goes on, and keeps the lock: what the system does late must not undo what was written
 * since.
 */
export function createGuard(clock: Clock, deadlineMs: number, lock: SharedLock): Guard {
  async function within<Value>(start: (signal: AbortSignal) => Promise<Value>, late: () => KeychainError) {
    const deadline = new Deadline(clock, deadlineMs);
    try {
      return await deadline.within(start(deadline.signal));
    } catch (error) {
      // Of ours or of the lock's own deadline: nothing else here goes over a network.
      throw error instanceof TransportError ? late() : error;
    } finally {
      deadline.close();
    }
  }
  const timeout = () => new KeychainError('keychain_timeout', timeoutMessage(deadlineMs));
  const busy = () => new KeychainError('keychain_busy', busyMessage(deadlineMs));
  return {
    bounded: work => within(work, timeout),
    alone(work) {
      let isHeld = false;
      const begun = () => {
        isHeld = true;
        return work();
      };
      return within(
        signal => lock.hold(begun, signal),
        () => (isHeld ? timeout() : busy()),
      );
    },
  };
}

const timeoutMessage = (deadlineMs: number) =>
  `The keychain did not answer within ${deadlineMs} ms. It may be asking for a password in a window of its own; try again.`;
const busyMessage = (deadlineMs: number) =>
  `Another process has been writing to the keychain for ${deadlineMs} ms. Try again, or end that process.`;
