import { TransportError } from '../../model/errors/errors.ts';
import type { Clock } from '../../wire/clock/ports.ts';

/** Waits for work that others share, and so goes on when this wait is given up. @throws TransportError `aborted` */
export function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new TransportError('aborted', 'The call was aborted.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Ends early when the signal says so. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve();
    const stop = () => {
      cancel();
      resolve();
    };
    const cancel = clock.schedule(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
