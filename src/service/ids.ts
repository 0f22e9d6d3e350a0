import { snowflakeEpochMs } from '../model/snowflake.ts';
import type { Clock } from '../wire/ports.ts';

const incrementBits = 12n;
const workerBits = 10n;

/** Makes ids: unique within a worker, rising, and dated by the clock. */
export interface SnowflakeSource {
  next(): string;
}

/**
 * Ids rise even when the clock stands still (a virtual one) or steps back: past 4,096 in one millisecond the next
 * millisecond is borrowed.
 *
 * @param worker 0–1023, different for every node
 * @param after the largest id given out before, if any
 */
export function snowflakeSource(clock: Clock, worker: number, after = 0n): SnowflakeSource {
  let lastMs = after >> (incrementBits + workerBits);
  let increment = (1n << incrementBits) - 1n;
  return {
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
