import { version } from '../../model/version.ts';
import { VirtualClock } from '../../wire/clock/virtual-clock.ts';
import type { ControlCluster, ControlCount, ControlProblem, ControlStatus } from '../../wire/control/status.ts';
import type { Core } from '../core.ts';
import { StoreError } from '../store/errors.ts';
import type { CollectionName } from '../store/records.ts';
import { damageOf, salvageHint } from '../store/sqlite/failure.ts';
import { consoleLimits } from '../support/service-limits.ts';
import type { ControlDeps } from './deps.ts';
import type { Counts } from './lists.ts';
import { type ControlCall, call } from './request.ts';
import { entriesOf } from './traffic/query.ts';

/** The call that says what runs, and what is wrong with it. */
export function statusCalls(deps: ControlDeps, counts: Counts): readonly ControlCall[] {
  return [call('GET /status', () => statusOf(deps, counts))];
}

const counted = ['applications', 'users', 'guilds', 'lobbies', 'commands'] as const satisfies CollectionName[];

async function statusOf(deps: ControlDeps, counts: Counts): Promise<ControlStatus> {
  const { core, gateway, signIn, controlBase } = deps;
  const { store, bus, clock, limits, addresses } = core;
  // A caller of this has opened the console.
  core.activity?.record({ isRead: true });
  const damaged: CollectionName[] = [];
  const records = await Promise.all(
    counted.map(async name => {
      try {
        return [name, countOf(await counts.of(name))] as const;
      } catch (error) {
        if (!(error instanceof StoreError && error.damaged)) throw error;
        damaged.push(name);
        return [name, { count: 0, is_more: true }] as const;
      }
    }),
  );
  return {
    version,
    runtime: process.version,
    pid: process.pid,
    started_at_ms: deps.startedAtMs,
    uptime_ms: Date.now() - deps.startedAtMs,
    clock: { kind: clock instanceof VirtualClock ? 'virtual' : 'system', now_ms: clock.now() },
    store: { engine: store.engine, is_durable: store.engine !== 'memory' },
    bus: { engine: bus.engine },
    limits,
    sign_in: signIn,
    addresses: {
      ...{ web_base: addresses.web, api_base: addresses.api, gateway: addresses.gateway },
      control_base: controlBase(),
    },
    counts: {
      ...(Object.fromEntries(records) as Record<(typeof counted)[number], ControlCount>),
      sessions: { count: gateway.sessionCount, is_more: false },
      connections: { count: gateway.connectionCount, is_more: false },
    },
    features: {
      virtual_clock: clock instanceof VirtualClock,
      cluster: core.cluster !== undefined,
      voice: deps.hasVoice,
      traffic: core.activity !== undefined,
      traffic_since_ms: core.activity?.recordingSinceMs ?? null,
    },
    cluster: await clusterOf(core),
    problems: await problemsOf(deps, damaged),
  };
}

function countOf(count: number): ControlCount {
  return { count, is_more: count >= consoleLimits.countedMax };
}

async function clusterOf({ cluster, log }: Core): Promise<ControlCluster | null> {
  if (!cluster) return null;
  const own = { id: cluster.node, is_self: true, address: null, state: 'alive' as const };
  try {
    const nodes = await cluster.nodes();
    const shown = nodes.map(node => ({ ...node, is_self: node.id === cluster.node }));
    return { node: cluster.node, nodes: shown.some(({ is_self }) => is_self) ? shown : [own, ...shown] };
  } catch (error) {
    log.warn({ error }, 'The nodes of the cluster could not be listed.');
    return { node: cluster.node, nodes: [own] };
  }
}

/** How far back what went wrong counts as what goes wrong now. */
const recentMs = 5 * 60_000;
/** Entries that are looked at. */
const entriesMax = 5000;
const backlogBytesMin = 256 * 1024;

async function problemsOf(deps: ControlDeps, damaged: readonly CollectionName[]): Promise<readonly ControlProblem[]> {
  const { core, faults, readiness, signIn, isPublic } = deps;
  const problems: ControlProblem[] = [];
  const add = (severity: ControlProblem['severity'], code: string, message: string, link: string | null = null) =>
    problems.push({ severity, code, message, link });
  for (const reason of await readiness()) {
    const [what, remedy] = unreadyWords[reason] ?? [`The service is not ready: ${reason}.`, ''];
    add(reason === 'starting' || reason === 'draining' ? 'notice' : 'error', reason, `${what} ${remedy}`.trim());
  }
  for (const name of damaged) add('error', 'store_damaged', damageWords(name));
  addRecent(core, add);
  const backlog = core.metrics.gauge('backlogBytes');
  if (backlog > backlogBytesMin) {
    const kib = Math.round(backlog / 1024);
    add('warning', 'slow_clients', `${kib} KiB wait for gateway clients that read too slowly.`, '#/world/sessions');
  }
  if (faults.armed.length > 0) {
    const count = faults.armed.length;
    const what = count === 1 ? 'A fault is armed' : `${count} faults are armed`;
    add('warning', 'faults_armed', `${what}: some requests or connections fail on purpose.`, '#/time');
  }
  if (isPublic && signIn === 'developer') {
    const message = 'Everyone who can reach this service can sign in as any user, because of developer sign-in.';
    add('warning', 'public_developer_sign_in', message);
  }
  if (core.store.engine === 'memory') {
    add('notice', 'state_in_memory', 'The state is in memory: it is lost when the service stops.');
  }
  return problems.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

/** Without a path of the machine. */
export function damageWords(collection: string): string {
  return `The database is damaged: ${damageOf([collection])}. ${salvageHint}`;
}

const severities = ['error', 'warning', 'notice'];

const unreadyWords: Readonly<Record<string, readonly [string, string]>> = {
  starting: ['The service is starting.', ''],
  draining: ['The service is stopping.', ''],
  store_failed: ['The last write to the store failed.', 'Look into the log; a full disk is the usual reason.'],
  store_missing: ['The database was deleted or moved.', 'Save the state before the service ends.'],
  store_unavailable: ['The database does not answer.', 'Requests are answered 503 until it does.'],
  bus_unavailable: ['Redis does not answer.', 'Limited calls are answered 503 until it does.'],
};

/** What went wrong lately, as far as the traffic shows it. */
function addRecent(
  { activity, clock }: Core,
  add: (severity: ControlProblem['severity'], code: string, message: string, link: string) => void,
): void {
  if (!activity) return;
  const sinceMs = clock.now() - recentMs;
  let errors = 0;
  let limited = 0;
  const failing = new Map<string, { failures: number; application: string | null; last: string }>();
  let looked = 0;
  for (const { entry } of entriesOf(activity)) {
    if (activity.kept.last - entry.number > entriesMax || entry.at_ms < sinceMs) continue;
    looked++;
    if (entry.kind === 'request' || entry.kind === 'oauth') {
      if (entry.status >= 500) errors++;
      else if (entry.status === 429) limited++;
    }
    if (entry.kind !== 'delivery' || entry.delivery === 'endpoint_probe') continue;
    const { url, status, application_id, error } = entry;
    const isTaken = status !== null && status < 300;
    if (isTaken) failing.delete(url);
    else {
      const last = status === null ? (error ?? 'no answer') : `status ${status}`;
      failing.set(url, { failures: (failing.get(url)?.failures ?? 0) + 1, application: application_id, last });
    }
  }
  if (looked === 0) return;
  if (errors > 0) {
    const what = errors === 1 ? 'A request was' : `${errors} requests were`;
    add('error', 'server_errors', `${what} answered with 5xx in the last five minutes.`, '#/traffic?status=5xx');
  }
  for (const [url, { failures, application, last }] of failing) {
    const filter = application === null ? '' : `&application_id=${application}`;
    const message = `${url} did not accept the last ${failures === 1 ? 'delivery' : `${failures} deliveries`} (${last}).`;
    add('error', 'deliveries_failing', message, `#/traffic?kind=delivery${filter}`);
  }
  if (limited > 0) {
    const what = limited === 1 ? 'A request was' : `${limited} requests were`;
    add('warning', 'rate_limited', `${what} rate limited in the last five minutes.`, '#/traffic?status=429');
  }
}
