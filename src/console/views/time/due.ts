import type { TimerDetails } from '../../../wire/control/time.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The ends of the spans in which deadlines are counted: each is several times as long as the one before. */
export const spanEnds: readonly number[] = [
  3 * second,
  10 * second,
  minute,
  5 * minute,
  15 * minute,
  hour,
  6 * hour,
  day,
  7 * day,
  Number.POSITIVE_INFINITY,
];

export interface Span {
  /** Milliseconds from now; infinite for the last one. */
  readonly untilMs: number;
  readonly count: number;
}

/** How many deadlines fall into each span; one that is overdue counts in the first. */
export function countSpans(timers: readonly Pick<TimerDetails, 'at_ms'>[], nowMs: number): readonly Span[] {
  const counts = spanEnds.map(() => 0);
  for (const { at_ms } of timers) {
    const at = spanEnds.findIndex(end => at_ms - nowMs <= end);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return spanEnds.map((untilMs, at) => ({ untilMs, count: counts[at] ?? 0 }));
}
