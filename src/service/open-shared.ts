import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { ArgumentError } from '../model/errors/errors.ts';
import type { Clock } from '../wire/clock/ports.ts';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import type { Bus } from './bus/contract.ts';
import { type Closing, closeAll } from './closing.ts';
import { startCleaning } from './cluster/cleaning.ts';
import { type ClusterBus, openClusterBus } from './cluster/cluster-bus.ts';
import type { Cluster } from './cluster/contract.ts';
import { countedBus, countedCluster, countedStore } from './cluster/counted.ts';
import type { Core } from './core.ts';
import { clusterSessions } from './gateway/cluster/sessions.ts';
import type { GatewayParts } from './gateway/gateway.ts';
import type { SharedEngines } from './options.ts';
import type { Store } from './store/contract.ts';
import type { CommitReport } from './store/embedded.ts';
import { StoreError } from './store/errors.ts';
import type { FileStore } from './store/files.ts';
import { storeCleaner } from './store/postgres/cleaning.ts';
import { openFiles } from './store/postgres/files.ts';
import { migrate } from './store/postgres/migrate.ts';
import { openPostgres, type Postgres } from './store/postgres/postgres.ts';
import { openPostgresStore } from './store/postgres/store.ts';
import type { PendingWork } from './support/pending-work.ts';
import type { NodeGauges } from './telemetry/metrics.ts';
import type { Dependency } from './telemetry/readiness.ts';

/** Everything that is different on a node of a cluster; this module and what it loads is loaded for one only. */
export interface SharedParts {
  readonly store: Store;
  readonly bus: Bus;
  readonly cluster: Cluster;
  readonly files: FileStore;
  /** This node's number in its ids, each time that one is made. */
  readonly worker: () => number;
  readonly engines: readonly Dependency[];
  readonly gauges: NodeGauges;
  /** Rejects a virtual clock beside other nodes, and any node beside one with a virtual clock. */
  checkClock(clock: Clock): Promise<void>;
  /** The gateway's part of a cluster. */
  gateway(core: Core): NonNullable<GatewayParts['cluster']>;
}

/** What a node has before its engines. */
interface SharedContext extends Pick<Core, 'clock' | 'log'> {
  /** What went wrong last, and was tried again since. */
  readonly lastError: () => unknown;
  readonly pendingWork: PendingWork;
  readonly onCommit: (commit: CommitReport) => void;
  readonly slowStatementMs: number | undefined;
}

/**
 * After this time PostgreSQL must still answer: a start that cannot succeed ends within 10 s, together with what comes before and
 * after. One that is only slow, like one of ten that start together on a busy machine, may take longer.
 */
const openMsMax = 5000;
export const slowOpenMsMax = 30_000;
/** To connect takes several round trips, on a link that may be long; and a busy machine is slow as well. */
const answerMsMax = 3000;
const pauseMs = 1500;
/** What a process took to come here counts as well, on a busy machine seconds; one that is older did something else before. */
const youngMsMax = 3000;

/**
 * Connects to the engines of a cluster, creates the tables, and registers this node.
 *
 * @throws StoreError, BusError: they cannot be used, or not in time
 */
export async function openShared(
  shared: SharedEngines,
  context: SharedContext,
  closing: Closing,
): Promise<SharedParts> {
  const late = new AbortController();
  const opened = open(shared, context, closing);
  try {
    return await Promise.race([opened, tooLate(shared.store, late.signal, context.lastError)]);
  } catch (error) {
    // What is opened after all.
    const close = () => closeAll(closing.splice(0), openMsMax).catch(() => {});
    void opened.then(close, close);
    throw error;
  } finally {
    late.abort();
  }
}

async function open(
  { store: url, bus: redisUrl }: SharedEngines,
  { clock, log, pendingWork, onCommit, slowStatementMs }: SharedContext,
  closing: Closing,
): Promise<SharedParts> {
  const slow = slowStatementMs === undefined ? {} : { slowStatementMs };
  const postgres = await openPostgres(url, { log, ...slow });
  closing.push(() => postgres.close());
  await migrate(postgres, { log });
  // The reads of events do not wait for those of requests.
  const ofBus = await openPostgres(url, { log, connections: 2, commitConnections: 1, ...slow });
  closing.push(() => ofBus.close());
  const bus = await openClusterBus({ postgres: ofBus, redisUrl, clock, log });
  closing.push(() => bus.close());
  let hasAnnounced = false;
  const onAnnounced = () => {
    hasAnnounced = true;
    bus.publish();
  };
  const store = await openPostgresStore({ postgres, log, onCommit, onAnnounced });
  closing.push(() => store.close());
  const files = openFiles(postgres, log);
  const cleanStore = storeCleaner(postgres);
  closing.push(startCleaning(bus, () => Promise.all([cleanStore(), files.clean()]), log));
  if (clock instanceof VirtualClock) {
    pendingWork.settleBy(async () => {
      if (!hasAnnounced) return false;
      hasAnnounced = false;
      await bus.cluster.caughtUp().catch(() => {});
      return true;
    });
  }
  const real = { store, bus, cluster: bus.cluster };
  const parts = clock instanceof VirtualClock ? countedParts(real, pendingWork) : real;
  return {
    ...parts,
    ...{ files, worker: () => bus.nodes.worker },
    engines: [
      { reason: 'store_unavailable', ask: () => postgres.query('SELECT 1') },
      { reason: 'bus_unavailable', ask: () => bus.tryRedis() },
    ],
    gauges: gaugesOf(postgres, bus),
    checkClock: ownClock => checkClock(ownClock, store, bus),
    gateway: core => clusterSessions(core, parts.cluster),
  };
}

function countedParts(
  { store, bus, cluster }: Pick<SharedParts, 'store' | 'bus' | 'cluster'>,
  pendingWork: PendingWork,
): Pick<SharedParts, 'store' | 'bus' | 'cluster'> {
  return {
    store: countedStore(store, pendingWork),
    bus: countedBus(bus, pendingWork),
    cluster: countedCluster(cluster, pendingWork),
  };
}

function gaugesOf(postgres: Postgres, bus: ClusterBus): NodeGauges {
  return {
    id: bus.nodes.id,
    worker: () => bus.nodes.worker,
    engines: { postgres: () => !postgres.isFailing, redis: () => bus.isRedisUp },
    behindSeconds: () => bus.reader.behindMs / 1000,
    eventsRead: () => bus.reader.eventsRead,
  };
}

async function tooLate(url: string, signal: AbortSignal, lastError: () => unknown): Promise<never> {
  const ageMs = performance.now();
  await wait(ageMs < youngMsMax ? openMsMax - ageMs : openMsMax, undefined, { signal, ref: false });
  let failure: unknown;
  while (failure === undefined && performance.now() < ageMs + slowOpenMsMax) {
    failure = await failureOf(url);
    if (failure === undefined) await wait(pauseMs, undefined, { signal, ref: false });
  }
  const cause = lastError() ?? failure;
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  throw new StoreError('store_unavailable', `PostgreSQL and Redis did not answer in time${reason}.`, { cause });
}

/** Why PostgreSQL does not accept a connection or does not answer; undefined when it does. */
async function failureOf(url: string): Promise<unknown> {
  const asked = openPostgres(url, { connections: 1, commitConnections: 1 }).then(postgres => void postgres.close());
  const late = wait(answerMsMax, new Error(`PostgreSQL did not answer within ${answerMsMax} ms`), { ref: false });
  return Promise.race([asked.catch((error: unknown) => error), late]);
}

const clockSetting = 'virtual_clock';
/** A node that was killed counts as alive for some seconds. */
const clockLookMs = 250;
const clockLooks = 22;

async function checkClock(clock: Clock, store: Store, bus: ClusterBus): Promise<void> {
  const isVirtual = clock instanceof VirtualClock;
  for (let look = 1; ; look++) {
    const others = await bus.nodes.others();
    const virtual = (await store.get('settings', clockSetting))?.value;
    const conflict = isVirtual ? others.length > 0 : others.includes(String(virtual));
    if (!conflict) break;
    if (look === clockLooks) {
      throw new ArgumentError(
        'virtual_clock_shared',
        'A virtual clock works with one node only, and another node is running.',
      );
    }
    await wait(clockLookMs);
  }
  if (!isVirtual) return;
  const value = bus.nodes.id;
  await store.transact('settings', transaction => transaction.put('settings', { name: clockSetting, value }));
}
