import { snowflakeEpochMs } from '../../model/snowflake.ts';
import type { Clock } from '../../wire/clock/ports.ts';

const incrementBits = 12n;
const workerBits = 10n;
const incrementMax = 2 ** Number(incrementBits) - 1;

/** Generates ids that are unique for a worker, increasing, and dated by the clock. */
export interface SnowflakeSource {
  next(): string;
  /** The latest time of an id, in milliseconds since the Unix epoch. */
  readonly lastMs: number;
}

/**
 * Ids rise even when the clock stands still (a virtual one) or steps back: past 4,096 in one millisecond the next
 * millisecond is borrowed.
 *
 * @param worker 0–1023, different for every node; asked for every id, because a node may get another one
 * @param afterMs ids are dated later than this, because a former service may have issued ids up to it
 */
export function snowflakeSource(
  clock: Clock,
  worker: number | (() => number),
  afterMs = snowflakeEpochMs,
): SnowflakeSource {
  let lastMs = afterMs - snowflakeEpochMs;
  let increment = incrementMax;
  let first = 0n;
  const ask = typeof worker === 'number' ? () => worker : worker;
  let known: number | undefined;

  function begin(ms: number, own: number): void {
    lastMs = ms;
    increment = 0;
    known = own;
    first = (BigInt(ms) << (incrementBits + workerBits)) | (BigInt(own) << incrementBits);
  }

  return {
    get lastMs() {
      return lastMs + snowflakeEpochMs;
    },
    next() {
      const own = ask();
      const nowMs = clock.now() - snowflakeEpochMs;
      if (nowMs > lastMs) begin(nowMs, own);
      else if (increment === incrementMax || own !== known) begin(lastMs + 1, own);
      else increment++;
      return (first + BigInt(increment)).toString();
    },
  };
}
