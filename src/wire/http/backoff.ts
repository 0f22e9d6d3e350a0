import type { Entropy } from '../clock/ports.ts';

/** How pauses between attempts grow. */
export interface Backoff {
  /** Ceiling of the first pause; each later ceiling doubles. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * The pause before attempt `attempt` (0: the first repetition): somewhere between half the ceiling and the ceiling, so
 * that clients which failed at the same time do not retry at the same time.
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, entropy: Entropy): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return (ceilingMs * (1 + randomFraction(entropy))) / 2;
}

/** A number from 0 (included) to 1 (excluded). */
export function randomFraction(entropy: Entropy): number {
  const bytes = entropy.bytes(4);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / 2 ** 32;
}
