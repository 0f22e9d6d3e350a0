import type { Cancel, Clock } from '../clock/ports.ts';

// A machine that woke up is noticed within seconds, and a busy one is not mistaken for it.
const lookMs = 5_000;
const jumpMsMin = 5_000;

/**
 * Calls `jumped` when more time has passed than this process lived through: the machine slept, or the process was
 * frozen. Timers wait for lived time, so without this a woken client would wait for its next heartbeat as if nothing
 * had happened. A clock without a steady one never jumps, so nothing is watched.
 */
export function watchForJumps(clock: Clock, jumped: () => void): Cancel {
  if (!clock.steady) return () => {};
  let cancel: Cancel = () => {};
  const look = () => {
    const dueMs = clock.now() + lookMs;
    cancel = clock.schedule(lookMs, () => {
      const lateMs = clock.now() - dueMs;
      look();
      if (lateMs >= jumpMsMin) jumped();
    });
  };
  look();
  return () => cancel();
}
