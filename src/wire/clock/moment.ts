import { type Clock, steadyNow } from './ports.ts';

/**
 * An instant to come, by both clocks of the machine. It has come as soon as either clock says so: the steady one does not count
 * the time that the machine sleeps, and the other one may be set. A clock that is set back therefore delays nothing.
 */
export interface Moment {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** @param ms from now; 0 or less: it has come */
export function momentIn(clock: Clock, ms: number): Moment {
  return { steadyMs: steadyNow(clock) + ms, wallMs: clock.now() + ms };
}

/** How long it is until then; 0 or less: it has come. */
export function leftMs(clock: Clock, { steadyMs, wallMs }: Moment): number {
  return Math.min(steadyMs - steadyNow(clock), wallMs - clock.now());
}
