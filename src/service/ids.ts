import { snowflakeEpochMs } from '../model/snowflake.ts';
import type { Clock } from '../wire/ports.ts';

const incrementBits = 12n;
const workerBits = 10n;

/** Makes ids: unique within a worker, rising, and dated by the clock. */
export interface SnowflakeSource {
  next(): string;
  /** The latest time an id was dated by; milliseconds since the Unix epoch. */
  readonly lastMs: number;
}

/**
 * Ids rise even when the clock stands still (a virtual one) or steps back: past 4,096 in one millisecond the next
 * millisecond is borrowed.
 *
 * @param worker 0–1023, different for every node
 * @param afterMs no id is dated up to this time: a service before this one may have given out ids of it
 */
export function snowflakeSource(clock: Clock, worker: number, afterMs = snowflakeEpochMs): SnowflakeSource {
  let lastMs = BigInt(afterMs - snowflakeEpochMs);
  let increment = (1n << incrementBits) - 1n;
  return {
    get lastMs() {
      return Number(lastMs) + snowflakeEpochMs;
    },
    next() {
      const nowMs = BigInt(clock.now() - snowflakeEpochMs);
      if (nowMs > lastMs) {
        lastMs = nowMs;
        increment = 0n;
      } else if (++increment >> incrementBits > 0n) {
        lastMs++;
        increment = 0n;
      }
      return ((lastMs << (incrementBits + workerBits)) | (BigInt(worker) << incrementBits) | increment).toString();
    },
  };
}
