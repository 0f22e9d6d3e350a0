import { type Cancel, systemClock } from '../wire/clock/ports.ts';
import type { Terminal } from './terminal.ts';

/** How long a command may wait in silence. */
const silentMs = 2_000;

/** Resolves as `work` does; after two seconds it says what that is waiting for. */
export type Waiting = <T>(what: string, work: Promise<T>) => Promise<T>;

/** Tells somebody at a terminal what a command waits for: each thing once, and on stderr. Elsewhere it says nothing. */
export function waitingAt(terminal: Audience): Waiting {
  const told = new Set<string>();
  return async (what, work) => {
    if (told.has(what)) return work;
    return work.finally(tellOfWait(terminal, what, () => told.add(what)));
  };
}

type Audience = Pick<Terminal, 'stderr' | 'clock'>;

/** Says at a terminal what is waited for, unless it is cancelled within two seconds. */
export function tellOfWait({ stderr, clock = systemClock }: Audience, what: string, told?: () => void): Cancel {
  if (!stderr.isTTY) return () => {};
  return clock.schedule(silentMs, () => {
    told?.();
    stderr.write(`Waiting for ${what}.\n`);
  });
}
