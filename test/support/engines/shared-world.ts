import { openClusterBus } from '../../../src/service/cluster/cluster-bus.ts';
import { countedBus, countedStore } from '../../../src/service/cluster/counted.ts';
import type { Core } from '../../../src/service/core.ts';
import type { Store } from '../../../src/service/store/contract.ts';
import { openPostgres } from '../../../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../../../src/service/store/postgres/store.ts';
import type { PendingWork } from '../../../src/service/support/pending-work.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import type { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { freshEngines } from './fresh-engines.ts';

/** The engines that are open, and how they are closed; the oldest first. */
const opened: (() => Promise<void>)[] = [];
/** A property makes a world for each run and leaves it; no test uses as many worlds at a time. */
const openMax = 6;

/**
 * The store and the bus of a node on PostgreSQL and Redis, for a world without the rest of a service. A transaction resolves once its
 * events were delivered, so that a test of the domain finds then what it finds with the engines within this process.
 *
 * @param pendingWork counts what is under way
 */
export async function openSharedParts(
  clock: VirtualClock,
  pendingWork: PendingWork,
): Promise<Pick<Core, 'store' | 'bus'>> {
  const { store: url, bus: redisUrl } = await freshEngines();
  const log = silentLogger;
  const postgres = await openPostgres(url, { log, connections: 2, commitConnections: 1 });
  const ofBus = await openPostgres(url, { log, connections: 1, commitConnections: 1 });
  const bus = await openClusterBus({ postgres: ofBus, redisUrl, clock, log });
  const store = await openPostgresStore({ postgres, log, onAnnounced: () => bus.publish() });
  opened.push(async () => {
    await store.close();
    await bus.close();
    await Promise.all([postgres.close(), ofBus.close()]);
  });
  if (opened.length > openMax) await opened.shift()?.();
  const delivering = deliveringStore(store, () => bus.cluster.caughtUp());
  return { store: countedStore(delivering, pendingWork), bus: countedBus(bus, pendingWork) };
}

/** Closes the engines of all worlds. */
export async function closeSharedParts(): Promise<void> {
  await Promise.all(opened.splice(0).map(close => close()));
}

function deliveringStore(store: Store, delivered: () => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'transact') return value.bind(target);
      return async (...given: Parameters<Store['transact']>) => {
        const result = await target.transact(...given);
        await delivered();
        return result;
      };
    },
  });
}
