import { ArgumentError } from '../model/errors/errors.ts';
import { type Clock, type Logger, systemClock, systemFetch } from '../wire/clock/ports.ts';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import { localBus } from './bus/local.ts';
import type { Closing } from './closing.ts';
import { createNotices } from './cluster/notices.ts';
import type { Addresses, Core } from './core.ts';
import type { SignInMode } from './features/oauth/sign-in/sign-in-mode.ts';
import type { EventLog } from './gateway/sessions/event-log.ts';
import { keepsOutside, type ServiceOptions, type SharedEngines, type VirtualClockOptions } from './options.ts';
import { createPublicFetch } from './outbound/public-fetch.ts';
import type { AnnouncementSink, Store } from './store/contract.ts';
import { databaseIn } from './store/data-folder.ts';
import type { CommitReport } from './store/embedded.ts';
import { openMemoryStore } from './store/memory/store.ts';
import { takeTimeMark, writeTimeMark } from './store/time-mark.ts';
import { snowflakeSource } from './support/ids.ts';
import { Journal } from './support/journal.ts';
import type { PendingWork } from './support/pending-work.ts';
import type { Vault } from './support/vault.ts';
import { Activity } from './telemetry/activity.ts';
import { ActivityStore } from './telemetry/activity-store.ts';
import type { Readiness } from './telemetry/readiness.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** The options that need checking, checked, with their defaults. */
export interface CheckedOptions {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly limits: Core['limits'];
  readonly signIn: SignInMode;
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly voiceEndpoint: string | undefined;
  readonly drainTimeoutMs: number;
  /** Of a node of a cluster. */
  readonly shared: SharedEngines | undefined;
  readonly isConsoleOn: boolean;
  /** What was logged last as a failure of a node that starts. */
  readonly lastError: () => unknown;
}

/** What exists before the store is opened. */
export interface Environment
  extends Pick<Core, 'limits' | 'entropy' | 'log' | 'clock' | 'metrics'>,
    Pick<CheckedOptions, 'shared' | 'isConsoleOn' | 'lastError'> {
  readonly pendingWork: PendingWork;
  readonly events: EventLog | undefined;
  readonly readiness: Readiness;
}

/** Opens the store and the bus and puts the core together. `setAddresses` is called once the service listens. */
export async function openCore(options: ServiceOptions, environment: Environment, closing: Closing) {
  const { limits, entropy, log, clock, metrics } = environment;
  const tracing = isTracingRegistered() ? await (await import('./telemetry/tracing.ts')).openTracing(log) : undefined;
  const onCommit = commitReporter(environment, tracing);
  const { shared: engines } = environment;
  const shared =
    engines &&
    (await (
      await import('./open-shared.ts')
    ).openShared(
      engines,
      {
        ...{ clock, log, onCommit, pendingWork: environment.pendingWork, slowStatementMs: options.slowStatementMs },
        lastError: environment.lastError,
      },
      closing,
    ));
  const { bus, store: opened } = shared ?? (await openOwn(options, environment, onCommit, closing));
  const traced = tracing?.store(opened) ?? opened;
  const activity = environment.isConsoleOn ? new Activity(clock, entropy) : undefined;
  if (options.console === true) activity?.record({ isRead: false });
  const store = activity ? new ActivityStore(traced, activity, shared && (() => shared.cluster.caughtUp())) : traced;
  await shared?.checkClock(clock);
  const vault = await openVault(engines, entropy);
  if (engines) await (await import('./store/protected-keys.ts')).protectKeys(store, vault);
  const ids = snowflakeSource(clock, shared?.worker ?? 0, (await takeTimeMark(store, clock.now())) - 1);
  closing.push(() =>
    writeTimeMark(store, Math.max(clock.now(), ids.lastMs)).catch(error => {
      // The mark matters only if the clock is set back, so a full disk must not fail the shutdown.
      log.warn({ error }, 'The time of the clock could not be written to the store.');
    }),
  );
  let addresses: Addresses | undefined;
  const core: Core = {
    ...{ clock, entropy, log, store, bus, limits, ids, metrics, vault },
    ...(shared && { cluster: shared.cluster, files: shared.files }),
    notices: createNotices({ store, bus, cluster: shared?.cluster }),
    ...observed(openFetch(options, log, closing), tracing, activity),
    tracing,
    activity,
    journal: new Journal(clock),
    traffic: options.traffic,
    get addresses() {
      if (!addresses) throw new Error('The addresses are known once the service listens.');
      return addresses;
    },
  };
  const setAddresses = (known: Addresses) => {
    addresses = known;
  };
  if (shared) metrics.node = shared.gauges;
  return { core, setAddresses, shared };
}

function openFetch(options: ServiceOptions, log: Logger, closing: Closing): Pick<Core, 'fetch' | 'operatorFetch'> {
  const { fetch: operatorFetch = systemFetch } = options;
  if (options.fetch || !keepsOutside(options)) return { fetch: operatorFetch, operatorFetch };
  const { fetch, close } = createPublicFetch(log);
  closing.push(close);
  return { fetch, operatorFetch };
}

/** Whether the process has set up OpenTelemetry: every copy of its API looks under this symbol. */
function isTracingRegistered(): boolean {
  const key = Symbol.for('opentelemetry.js.api.1');
  return (globalThis as { [key: symbol]: { readonly trace?: unknown } | undefined })[key]?.trace !== undefined;
}

function observed(
  fetches: Pick<Core, 'fetch' | 'operatorFetch'>,
  tracing: Tracing | undefined,
  activity: Activity | undefined,
): Pick<Core, 'fetch' | 'operatorFetch'> {
  const both = (wrap: (fetch: Core['fetch']) => Core['fetch'], { fetch, operatorFetch }: typeof fetches) => {
    return { fetch: wrap(fetch), operatorFetch: wrap(operatorFetch) };
  };
  const traced = tracing ? both(fetch => tracing.fetch(fetch), fetches) : fetches;
  return activity ? both(fetch => activity.fetch(fetch), traced) : traced;
}

export function chooseClock({ clock = 'system' }: ServiceOptions, pendingWork: PendingWork): Clock {
  if (clock === 'system') return systemClock;
  const { virtualFromMs = systemClock.now(), settle } = clock === 'virtual' ? ({} as VirtualClockOptions) : clock;
  return new VirtualClock(virtualFromMs, async () => {
    await pendingWork.settled();
    await settle?.();
  });
}

/** Encrypts the private keys of a cluster, if its nodes have a secret. */
async function openVault(engines: SharedEngines | undefined, entropy: Core['entropy']): Promise<Vault | undefined> {
  const [first, ...others] = engines?.secrets ?? [];
  return first === undefined
    ? undefined
    : (await import('./support/vault.ts')).createVault([first, ...others], entropy);
}

function commitReporter({ metrics, readiness }: Environment, tracing: Tracing | undefined) {
  return (commit: CommitReport) => {
    const { transactions, ms, outcome } = commit;
    tracing?.committed(commit);
    if (outcome !== 'unchanged') metrics.committed(transactions, ms, outcome === 'failed');
    readiness.committed(outcome === 'failed', outcome === 'written');
  };
}

/** The bus and the store of a service on its own. */
async function openOwn(
  options: ServiceOptions,
  environment: Environment,
  onCommit: (commit: CommitReport) => void,
  closing: Closing,
): Promise<Pick<Core, 'bus' | 'store'>> {
  const bus = localBus(environment.clock, environment.log);
  closing.push(() => bus.close());
  const store = await openStore(options, bus, environment, onCommit);
  closing.push(() => store.close());
  return { bus, store };
}

async function openStore(
  { data, slowStatementMs }: Pick<ServiceOptions, 'data' | 'slowStatementMs'>,
  bus: Core['bus'],
  { log, events }: Environment,
  onCommit: (commit: CommitReport) => void,
): Promise<Store> {
  const sink: AnnouncementSink = announced => {
    const published = bus.publish(announced);
    events?.passed(announced.at(-1)?.position ?? 0);
    return published;
  };
  if (data === undefined) return openMemoryStore({ sink, log, onCommit });
  const { openSqliteStore } = await import('./store/sqlite/store.ts');
  return openSqliteStore({
    ...{ location: databaseIn(data), sink, log, onCommit },
    ...(slowStatementMs !== undefined && { slowStatementMs }),
    ...(events && {
      keep: announced => events.keep(announced),
      // Sessions that still need this event can no longer be resumed.
      onSetAside: ({ collection, key }) => collection === 'gateway_events' && events.lost(Number(key[0])),
    }),
  });
}

export async function advanceClock({ clock, store }: Core, ms: number): Promise<number> {
  if (!(clock instanceof VirtualClock)) throw systemClockMoved();
  const nowMs = await clock.advance(ms);
  await writeTimeMark(store, nowMs);
  return nowMs;
}

function systemClockMoved(): ArgumentError {
  return new ArgumentError(
    'system_clock',
    "Only a virtual clock can be moved; start the service with clock: 'virtual'.",
  );
}
