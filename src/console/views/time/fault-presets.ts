import type { FaultInput } from './fault-form.ts';

export type FaultPresetName = 'train' | 'outage' | 'storm' | 'restart' | 'flaky';

/** What a preset arms, by a seed: the same seed makes the same choices. */
export const faultPresets: Readonly<Record<FaultPresetName, (seed: number) => readonly FaultInput[]>> = {
  /** Bad train Wi-Fi: most calls are slow, some very, and sockets break now and then. */
  train: seed => [
    { kind: 'latency', ms: 400, percent: 70, seed, count: null },
    { kind: 'latency', ms: 4_000, percent: 10, seed: seed + 1, count: null },
    { kind: 'drop', percent: 5, seed: seed + 2, count: 20 },
    { kind: 'freeze', percent: 2, seed: seed + 3, count: 5 },
  ],
  /** The hosted service is down: every call fails, and sessions are gone. */
  outage: seed => [
    { kind: 'status', status: 503, count: null },
    { kind: 'invalid_session', resumable: false, count: 100, percent: 100, seed },
  ],
  /** A storm of rate limits: a third of the calls of every user, some of the whole application. */
  storm: seed => [
    { kind: 'rate_limit', scope: 'user', retry_after_ms: 1_500, percent: 35, seed, count: null },
    { kind: 'rate_limit', scope: 'shared', retry_after_ms: 5_000, percent: 10, seed: seed + 1, count: null },
    { kind: 'rate_limit', scope: 'global', retry_after_ms: 3_000, percent: 3, seed: seed + 2, count: null },
  ],
  /** A deployment of the hosted service: clients are asked to reconnect, and a few calls fail meanwhile. */
  restart: seed => [
    { kind: 'reconnect', count: 100 },
    { kind: 'status', status: 502, percent: 50, seed, count: 10 },
  ],
  /** Rare faults of every sort, as they occur in a large deployment. */
  flaky: seed => [
    { kind: 'status', status: 500, percent: 2, seed, count: null },
    { kind: 'latency', ms: 2_500, percent: 5, seed: seed + 1, count: null },
    { kind: 'corrupt', percent: 1, seed: seed + 2, count: 10 },
    { kind: 'invalid_session', resumable: true, percent: 1, seed: seed + 3, count: 10 },
  ],
};

export const faultPresetNames = Object.keys(faultPresets) as readonly FaultPresetName[];

const seedMax = 2 ** 32 - 4;

/** A seed from what was typed: a whole number, or a text that stands for one. */
export function seedOf(written: string): number {
  const text = written.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) % seedMax;
  // FNV-1a: the same words always give the same number.
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash % seedMax;
}
