import { KeychainError, TransportError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';
import { Deadline } from '../../wire/http/deadline.ts';

/** Mutual exclusion between processes. The system releases the lock of a process that dies. */
export interface SharedLock {
  /** @param signal aborts the wait, not `work` once it has begun */
  hold<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value>;
}

/** Runs the calls of a keychain, each within the deadline. */
export interface KeychainCalls {
  /** @throws KeychainError `keychain_timeout`; what `work` throws */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Runs `work` while no other process writes. @throws KeychainError `keychain_timeout`, `keychain_busy`; what `work` throws */
  runExclusively<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * Work that outlasts its deadline continues and keeps the lock, because what the system does late must not overwrite later
 * writes.
 */
export function createKeychainCalls(clock: Clock, deadlineMs: number, lock: SharedLock): KeychainCalls {
  async function within<Value>(start: (signal: AbortSignal) => Promise<Value>, late: () => KeychainError) {
    const deadline = new Deadline(clock, deadlineMs);
    try {
      return await deadline.within(start(deadline.signal));
    } catch (error) {
      // This deadline or the lock's: nothing else here throws a TransportError.
      throw error instanceof TransportError ? late() : error;
    } finally {
      deadline.close();
    }
  }
  const timeout = () => new KeychainError('keychain_timeout', timeoutMessage(deadlineMs));
  const busy = () => new KeychainError('keychain_busy', busyMessage(deadlineMs));
  return {
    run: work => within(work, timeout),
    runExclusively(work) {
      let isHeld = false;
      const start = () => {
        isHeld = true;
        return work();
      };
      return within(
        signal => lock.hold(start, signal),
        () => (isHeld ? timeout() : busy()),
      );
    },
  };
}

const timeoutMessage = (deadlineMs: number) =>
  `The keychain did not answer within ${Math.round(deadlineMs)} ms. The system may be showing a password dialog; try again.`;
const busyMessage = (deadlineMs: number) =>
  `Another process has been writing to the keychain for ${Math.round(deadlineMs)} ms. Try again, or end that process.`;
