import { version } from '../../model/version.ts';
import type { Histogram, Metrics } from './metrics.ts';

type Labels = Readonly<Record<string, string | number>>;

/** One number of a metric, or one histogram. */
export type Sample = { readonly labels?: Labels } & ({ readonly value: number } | { readonly histogram: Histogram });

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** One sentence. */
  readonly help: string;
  read(metrics: Metrics): Iterable<Sample>;
}

/**
 * Every metric of the service's own, once: what is exported and what docs/service.md lists. Labels have few values: templates
 * of paths, statuses, names of tables; never an id or an address.
 */
export const metricTable = {
  rallypoint_build_info: {
    type: 'gauge',
    labels: ['version', 'node'],
    help: 'Always 1; the labels name the version of the package and of Node.js.',
    read: () => [{ labels: { version, node: process.versions.node }, value: 1 }],
  },
  rallypoint_ready: gauge('isReady', '1 while the service takes traffic, as /readyz says, else 0.'),
  rallypoint_node_info: {
    type: 'gauge',
    labels: ['id', 'worker'],
    help: 'On a cluster: always 1; the labels name this node and the number in its ids.',
    read: ({ node }) => (node ? [{ labels: { id: node.id, worker: node.worker() }, value: 1 }] : []),
  },
  rallypoint_engine_up: {
    type: 'gauge',
    labels: ['engine'],
    help: 'On a cluster: 1 while this node reaches the engine, postgres or redis, else 0.',
    read: ({ node }) =>
      Object.entries(node?.engines ?? {}).map(([engine, isUp]) => ({ labels: { engine }, value: Number(isUp()) })),
  },
  rallypoint_events_behind_seconds: {
    type: 'gauge',
    labels: [],
    help: 'On a cluster: how long ago this node last knew that it had read every event.',
    read: ({ node }) => (node ? [{ value: node.behindSeconds() }] : []),
  },
  rallypoint_events_read_total: {
    type: 'counter',
    labels: [],
    help: 'On a cluster: events of all nodes that this node has read.',
    read: ({ node }) => (node ? [{ value: node.eventsRead() }] : []),
  },
  rallypoint_gateway_takeovers_total: {
    type: 'counter',
    labels: [],
    help: 'On a cluster: gateway sessions that this node took over from others.',
    read: ({ node, takeovers }) => (node ? [{ value: takeovers }] : []),
  },
  rallypoint_clock_seconds: {
    type: 'gauge',
    labels: [],
    help: "The service's clock, in seconds since the Unix epoch; a virtual clock stands still.",
    read: metrics => [{ value: metrics.gauge('clockMs') / 1000 }],
  },
  rallypoint_http_requests_total: {
    type: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'HTTP requests that were answered, by the template of their path.',
    *read({ routes }) {
      for (const { method, route, statuses } of routes) {
        for (const [status, value] of statuses) yield { labels: { method, route, status }, value };
      }
    },
  },
  rallypoint_http_request_duration_seconds: {
    type: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from the head of a request to its answer.',
    *read({ routes }) {
      for (const { method, route, seconds, statuses } of routes) {
        if (statuses.size > 0) yield { labels: { method, route }, histogram: seconds };
      }
    },
  },
  rallypoint_rate_limited_total: {
    type: 'counter',
    labels: ['scope'],
    help: 'Requests answered 429, by scope: user, global, shared, or none where the answer names no scope.',
    *read({ rateLimited }) {
      for (const [scope, value] of rateLimited.entries) yield { labels: { scope }, value };
    },
  },
  rallypoint_intake_limited_total: {
    type: 'counter',
    labels: ['limit'],
    help: 'What was rejected or cut off by a bound for strangers: connections, blocked_address, held_bytes, unidentified.',
    *read({ intakeLimited }) {
      for (const [limit, value] of intakeLimited.entries) yield { labels: { limit }, value };
    },
  },
  rallypoint_blocked_addresses: gauge(
    'blockedAddresses',
    'Addresses whose requests without a valid credential are blocked now.',
  ),
  rallypoint_request_body_bytes: {
    type: 'gauge',
    labels: ['sender'],
    help: 'Bytes of request bodies in memory, of strangers and of callers with a valid credential.',
    read: metrics => [
      { labels: { sender: 'stranger' }, value: metrics.gauge('strangerBodyBytes') },
      { labels: { sender: 'caller' }, value: metrics.gauge('callerBodyBytes') },
    ],
  },
  rallypoint_gateway_connections: gauge('connections', 'Open gateway connections, identified or not.'),
  rallypoint_gateway_sessions: {
    type: 'gauge',
    labels: ['state'],
    help: 'Gateway sessions: connected, or resumable while their client is away.',
    read: metrics => [
      { labels: { state: 'connected' }, value: metrics.gauge('sessionsConnected') },
      { labels: { state: 'resumable' }, value: metrics.gauge('sessionsResumable') },
    ],
  },
  rallypoint_gateway_backlog_bytes: gauge(
    'backlogBytes',
    'Bytes that wait for gateway clients to read them, of all connections.',
  ),
  rallypoint_gateway_events_total: {
    type: 'counter',
    labels: ['event'],
    help: 'Events that were announced to sessions, each once however many sessions receive it.',
    *read({ events }) {
      for (const [event, value] of events.entries) yield { labels: { event }, value };
    },
  },
  rallypoint_gateway_dispatches_total: {
    type: 'counter',
    labels: [],
    help: 'Dispatches that were sent to gateway connections.',
    read: ({ dispatches }) => [{ value: dispatches }],
  },
  rallypoint_event_log_bytes: gauge(
    'eventLogBytes',
    'Bytes of the events that are kept for resuming sessions after a restart.',
  ),
  rallypoint_event_log_entries: gauge('eventLogEntries', 'Events that are kept for resuming sessions after a restart.'),
  rallypoint_store_commits_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Commits of the store, by outcome: success or failure.',
    *read({ commits }) {
      for (const [outcome, value] of commits.entries) yield { labels: { outcome }, value };
    },
  },
  rallypoint_store_commit_duration_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Time that a commit of the store takes.',
    read: ({ commitSeconds }) => [{ histogram: commitSeconds }],
  },
  rallypoint_store_commit_transactions: {
    type: 'histogram',
    labels: [],
    help: 'Transactions that share a commit.',
    read: ({ commitTransactions }) => [{ histogram: commitTransactions }],
  },
  rallypoint_webhook_waiting_bytes: gauge(
    'waitingWebhookBytes',
    'Bytes of the webhook events that wait to be delivered, as counted by this process.',
  ),
  rallypoint_outbound_requests_total: {
    type: 'counter',
    labels: ['kind', 'outcome'],
    help: 'Requests to servers outside: webhook_event, interaction, endpoint_probe, identity_provider; success or failure.',
    *read({ outbound }) {
      for (const [kind, { success, failure }] of outbound) {
        yield { labels: { kind, outcome: 'success' }, value: success };
        yield { labels: { kind, outcome: 'failure' }, value: failure };
      }
    },
  },
  rallypoint_outbound_request_duration_seconds: {
    type: 'histogram',
    labels: ['kind'],
    help: 'Time until a server outside answered, or was given up.',
    *read({ outbound }) {
      for (const [kind, { seconds }] of outbound) yield { labels: { kind }, histogram: seconds };
    },
  },
} as const satisfies Readonly<Record<string, Metric>>;

function gauge(name: Parameters<Metrics['gauge']>[0], help: string): Metric & { readonly type: 'gauge' } {
  return { type: 'gauge', labels: [], help, read: metrics => [{ value: metrics.gauge(name) }] };
}
