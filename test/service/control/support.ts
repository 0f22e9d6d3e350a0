import { createHash } from 'node:crypto';
import { limitProfiles } from '../../../src/model/limits/limit-profiles.ts';
import { localBus } from '../../../src/service/bus/local.ts';
import type { Core } from '../../../src/service/core.ts';
import type { Announced } from '../../../src/service/events/announcement.ts';
import { openSqliteStore } from '../../../src/service/store/sqlite/store.ts';
import { snowflakeSource } from '../../../src/service/support/ids.ts';
import { Journal } from '../../../src/service/support/journal.ts';
import { Metrics } from '../../../src/service/telemetry/metrics.ts';
import type { FixtureParts } from '../../../src/service/testing/fixtures/fixtures.ts';
import { type Entropy, silentLogger, systemFetch } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

export const startMs = Date.UTC(2026, 0, 1);

/** A core over a real store in memory and virtual time; two with the same seed draw the same randomness. */
/** @param settle what the clock waits for between two instants */
export async function makeCore(
  seed = 'seed',
  location = ':memory:',
  settle?: () => Promise<void>,
): Promise<Core & { readonly clock: VirtualClock }> {
  const clock = new VirtualClock(startMs, settle);
  const bus = localBus(clock);
  const sink = (announced: readonly Announced[]) => bus.publish(announced);
  return {
    clock,
    entropy: seededEntropy(seed),
    fetch: systemFetch,
    operatorFetch: systemFetch,
    log: silentLogger,
    store: await openSqliteStore({ location, sink }),
    bus,
    limits: limitProfiles.off,
    ids: snowflakeSource(clock, 0),
    journal: new Journal(clock),
    metrics: new Metrics(),
    addresses: { web: 'http://127.0.0.1:1', api: 'http://127.0.0.1:1/api', gateway: 'ws://127.0.0.1:1/gateway' },
  };
}

export function seededEntropy(seed: string): Entropy {
  let drawn = 0;
  return {
    bytes(count) {
      const blocks: Buffer[] = [];
      for (let length = 0; length < count; length += 32) {
        blocks.push(createHash('sha256').update(`${seed}/${drawn++}`).digest());
      }
      return Buffer.concat(blocks).subarray(0, count);
    },
  };
}

/** What fixtures concern beyond the records, where a test does not look at it. */
export const idleParts: FixtureParts = {
  commands: { ensureLaunch: async () => undefined },
  lobbies: { removeAll: async () => undefined },
  relationships: { removeAll: async () => undefined },
  users: { endCredentials: async () => {}, deleteEndedCredentials: async () => {}, endChildTokens: async () => {} },
  settings: { notice: () => undefined },
};
