import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ArgumentError } from '../model/errors/errors.ts';
import { version } from '../model/version.ts';
import {
  type Clock,
  type Logger,
  randomToken,
  silentLogger,
  systemClock,
  systemEntropy,
  systemFetch,
} from '../wire/clock/ports.ts';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import { reportErrors } from '../wire/error-report.ts';
import { createCredentials } from './auth/credentials.ts';
import { localBus } from './bus/local.ts';
import type { ControlDeps } from './control/deps.ts';
import type { Addresses, Core } from './core.ts';
import { createApplicationEdits } from './domain/accounts/application-edit.ts';
import { createCommands } from './domain/commands/commands.ts';
import { createCommandIndexes } from './domain/commands/index-of-user.ts';
import { createCommandPermissions } from './domain/commands/permissions.ts';
import { createGuildDirectory } from './domain/guilds/directory.ts';
import { createGuildLookup } from './domain/guilds/lookup.ts';
import { createInteractions } from './domain/interactions/interactions.ts';
import { createLobbies } from './domain/lobbies/lobbies.ts';
import { createWebhookEvents } from './domain/webhooks/events.ts';
import { createGateway } from './gateway/gateway.ts';
import { EventLog } from './gateway/sessions/event-log.ts';
import { type AddressOf, clientAddressBehind, countedAddress, isFromProxy } from './http/client-address.ts';
import { Connections } from './http/connections.ts';
import { Drain } from './http/drain.ts';
import { Hosts } from './http/hosts.ts';
import { createOperatorsListener, type OperatorsListener, openOperatorsServer } from './http/operators.ts';
import { createHttpServer, type HttpDeps } from './http/server.ts';
import { createAuthorization } from './oauth/authorize/authorization.ts';
import { createSigningKeys } from './oauth/openid/signing-keys.ts';
import { openVoiceServer } from './oauth/openid/voice-token.ts';
import type { SignInMode } from './oauth/sign-in/sign-in-mode.ts';
import {
  checkAllowedHosts,
  checkDrainTimeout,
  checkHost,
  checkPublicUrl,
  checkSlowStatement,
  checkTrustedProxies,
  checkVoiceEndpoint,
  chooseLimits,
  chooseSignIn,
  keepsOutside,
  proxyWarning,
  reachableHost,
  type ServiceOptions,
} from './options.ts';
import { createPublicFetch } from './outbound/public-fetch.ts';
import { applicationRoutes } from './routes/applications.ts';
import { commandIndexRoutes } from './routes/command-index.ts';
import { commandPermissionRoutes } from './routes/command-permissions.ts';
import { commandRoutes } from './routes/commands.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { guildRoutes } from './routes/guilds.ts';
import { interactionProofs, interactionRoutes } from './routes/interactions.ts';
import { lobbyRoutes, playerLobbyRoutes } from './routes/lobbies.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { partnerRoutes } from './routes/partner.ts';
import type { AnnouncementSink, Store } from './store/contract.ts';
import { databaseIn } from './store/data-folder.ts';
import type { CommitReport } from './store/embedded.ts';
import { openMemoryStore } from './store/memory/store.ts';
import { takeTimeMark, writeTimeMark } from './store/time-mark.ts';
import { snowflakeSource } from './support/ids.ts';
import { Journal } from './support/journal.ts';
import type { MaybePromise } from './support/maybe-promise.ts';
import { PendingWork } from './support/pending-work.ts';
import { runtimeLimits } from './support/service-limits.ts';
import { createEndpoints, type Endpoints } from './telemetry/endpoints.ts';
import { Metrics } from './telemetry/metrics.ts';
import { Readiness } from './telemetry/readiness.ts';
import { createRequestIds } from './telemetry/request-id.ts';
import { createRequestLog } from './telemetry/request-log.ts';
import type { Tracing } from './telemetry/tracing.ts';
import { type FaultControl, FaultInjector } from './testing/faults/faults.ts';
import type { FilledFixtures } from './testing/fixtures/document.ts';
import { createFixtures } from './testing/fixtures/fixtures.ts';
import { createLateSite } from './web/late-site.ts';

/** What a service says when it accepts traffic; the command prints it as one line. */
export interface ReadyLine {
  readonly event: 'ready';
  readonly api_base: string;
  readonly web_base: string;
  readonly gateway: string;
  readonly control_base: string;
  readonly control_token: string;
  /** Where the endpoints for operators are, when they have a port of their own. */
  readonly ops_base?: string;
  readonly pid: number;
  readonly version: string;
}

/** Where a service is reached. */
export interface ServiceAddresses {
  /** `http://host:port/api`, or below the public URL: what stands before `/v10`. */
  readonly apiBase: string;
  /** The origin of the pages, which is the `baseUrl` of clients and backends. */
  readonly webBase: string;
  /** `ws://host:port/gateway` */
  readonly gateway: string;
  /** Where the control API begins. */
  readonly controlBase: string;
  /** The bearer token of the control API. Secret. */
  readonly controlToken: string;
  /** Where the endpoints for operators are, when they have a port of their own. */
  readonly opsBase?: string;
}

/** A running service in this process. */
export interface Service extends ServiceAddresses {
  /** The same addresses as the command prints them. */
  readonly readyLine: ReadyLine;
  /** The fixtures given at the start, with every id and secret filled in. */
  readonly fixtures: FilledFixtures;
  readonly clock: {
    now(): number;
    /**
     * Moves a virtual clock and resolves with the new time once everything due until then has run.
     *
     * @throws ArgumentError `system_clock`, `bad_duration`
     */
    advance(ms: number): Promise<number>;
  };
  /** Fault injection: slow, failing and broken answers for the clients under test. */
  readonly faults: FaultControl;
  /** What `GET /metrics` answers: the service's metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  /** Back to the fixtures given at the start; gateway sessions are closed, faults disarmed. */
  reset(): Promise<void>;
  /**
   * Accepts no more connections, answers what is under way, tells gateway sessions to reconnect, then ends, after
   * {@link ServiceOptions.drainTimeoutMs} at the latest. Idempotent.
   */
  close(): Promise<void>;
}

/** What closes the parts that stand already, in the order they were built. */
type Closing = (() => MaybePromise<unknown>)[];

/**
 * Starts the whole service in this process and resolves when it accepts traffic. Several may run side by side; they
 * share nothing.
 *
 * @throws ArgumentError `public_host`, `invalid_public_url`, `invalid_trusted_proxy`, `invalid_allowed_host`, `unknown_limits`,
 *   `unknown_sign_in`, `invalid_voice_endpoint`, `invalid_drain_timeout`, `invalid_slow_statement`; ValidationError with the faults of the fixtures; StoreError
 * @example
 * const service = await startService({ fixtures: { users: [{ id: '9', username: 'ada' }] }, clock: 'virtual' });
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const host = checkHost(options);
  const publicUrl = checkPublicUrl(options.publicUrl);
  const limits = chooseLimits(options.limits);
  const signIn = chooseSignIn(options.signIn);
  const trustedProxies = checkTrustedProxies(options.trustedProxies);
  const allowedHosts = checkAllowedHosts(options.allowedHosts);
  const voiceEndpoint = checkVoiceEndpoint(options.voice?.endpoint);
  const drainTimeoutMs = checkDrainTimeout(options.drainTimeoutMs);
  checkSlowStatement(options.slowStatementMs);
  const warning = proxyWarning(options);
  if (warning !== undefined) options.log?.warn({ publicUrl }, warning);
  const closing: Closing = [];
  try {
    return await start(
      options,
      { host, publicUrl, limits, signIn, trustedProxies, allowedHosts, voiceEndpoint, drainTimeoutMs },
      closing,
    );
  } catch (error) {
    await closeAll(closing, drainTimeoutMs);
    throw error;
  }
}

/** Options that were checked. */
interface Chosen {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly limits: Core['limits'];
  readonly signIn: SignInMode;
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly voiceEndpoint: string | undefined;
  readonly drainTimeoutMs: number;
}

async function start(options: ServiceOptions, chosen: Chosen, closing: Closing): Promise<Service> {
  const { host, publicUrl, limits, signIn, trustedProxies, allowedHosts, voiceEndpoint, drainTimeoutMs } = chosen;
  const pendingWork = new PendingWork();
  const ground: Ground = {
    ...{
      limits,
      pendingWork,
      entropy: options.entropy ?? systemEntropy,
      log: reportErrors(options.log ?? silentLogger),
    },
    ...{ clock: chooseClock(options, pendingWork), metrics: new Metrics(), readiness: new Readiness() },
    // What lives in memory alone ends with the process, gateway sessions included.
    events: options.data === undefined ? undefined : new EventLog(),
  };
  const { events, readiness } = ground;
  const connections = new Connections(ground, trustedProxies, options);
  const hosts = new Hosts(ground.log, { bound: host, publicUrl, allowed: allowedHosts });
  const requestIds = createRequestIds(ground.entropy, isFromProxy(trustedProxies));
  const { endpoints, operators, opsBase } = await openOperators(
    options,
    { ...chosen, ...ground, hosts, requestIds },
    closing,
  );
  const { core, setAddresses } = await openCore(options, ground, closing);
  const clientOf = clientAddressBehind(trustedProxies);
  const addressOf: AddressOf = request => countedAddress(clientOf(request));
  const rooms = createParts(core, { pendingWork, events, voiceEndpoint, connections, hosts });
  const stateReplaced = async () => {
    await rooms.gateway.closeSessions();
    await rooms.sweeps.restart();
  };
  const controlToken = options.controlToken ?? randomToken(core.entropy, 24);
  const drain = new Drain();
  const { server, site } = createSocketServerOf(core, rooms, {
    signIn,
    addressOf,
    connections,
    hosts,
    controlToken,
    stateReplaced,
    drain,
    requestIds,
    operators,
    ...(options.logRequests === true && { requestLog: createRequestLog(core.log) }),
  });

  await rooms.gateway.restore();
  const fixtures = await rooms.fixtures.begin(options.fixtures);
  await rooms.sweeps.restart();
  closing.push(() => rooms.sweeps.stop());
  rooms.gateway.attach(server);
  closing.push(() => site.close());
  const own = await listen(server, host, options.port ?? 0);
  setAddresses(addressesOf(publicUrl ?? own));
  // Where time is virtual nobody's request is on its way unseen, and what waits on the clock might wait for ever.
  const isVirtual = core.clock instanceof VirtualClock;
  const idleMs = isVirtual ? 0 : runtimeLimits.drainIdleMs;
  closing.push(async () => {
    readiness.drain();
    if (isVirtual) rooms.faults.release();
    const endsMs = performance.now() + drainTimeoutMs * (1 - runtimeLimits.drainRestShare);
    const [cutOff] = await Promise.all([drain.run(server, idleMs, endsMs), rooms.gateway.close()]);
    if (cutOff > 0) core.log.warn({ connections: cutOff }, 'The deadline was over, and connections were cut off.');
  });
  await rooms.lobbies.calls.announceNewServer();
  readiness.start(core.store);

  const { api: apiBase, web: webBase, gateway } = core.addresses;
  const addresses: ServiceAddresses = {
    ...{ apiBase, webBase, gateway, controlBase: `${own}/control`, controlToken },
    ...(opsBase !== undefined && { opsBase }),
  };
  let closed: Promise<void> | undefined;
  return {
    ...addresses,
    readyLine: readyLine(addresses),
    fixtures,
    clock: { now: () => core.clock.now(), advance: ms => advanceClock(core, ms) },
    faults: rooms.faults,
    metrics: () => endpoints.metrics(),
    async reset() {
      rooms.faults.clear();
      await rooms.fixtures.reset();
      await stateReplaced();
    },
    close: () => (closed ??= closeAll(closing, drainTimeoutMs)),
  };
}

/** What is there before the store is opened. */
interface Ground extends Pick<Core, 'limits' | 'entropy' | 'log' | 'clock' | 'metrics'> {
  readonly pendingWork: PendingWork;
  readonly events: EventLog | undefined;
  readonly readiness: Readiness;
}

/**
 * The endpoints for operators, and what serves them: at the port of their own, which answers from here on, or else `operators` at the
 * service's.
 */
async function openOperators(
  { opsPort: port }: ServiceOptions,
  { hosts, requestIds, host, trustedProxies, ...ground }: Ground & Chosen & Pick<HttpDeps, 'hosts' | 'requestIds'>,
  closing: Closing,
): Promise<{ endpoints: Endpoints; operators?: OperatorsListener; opsBase?: string }> {
  const { metrics, readiness, clock, log } = ground;
  metrics.watch({ isReady: () => readiness.reasons.length === 0, clockMs: () => clock.now() });
  const endpoints = createEndpoints(metrics, readiness);
  const operators = createOperatorsListener({ endpoints, hosts, log });
  if (port === undefined) return { endpoints, operators };
  // Bounds of its own: strangers at the other port must not keep probes away.
  const connections = new Connections(ground, trustedProxies);
  const { server, close } = await openOperatorsServer({ listener: operators, requestIds, connections, host, port });
  closing.push(close);
  return { endpoints, opsBase: originOf(server, host) };
}

/** What everything stands on; the addresses are told to it when they are known. */
async function openCore(options: ServiceOptions, ground: Ground, closing: Closing) {
  const { limits, entropy, log, clock, metrics } = ground;
  const tracing = isTracingRegistered() ? await (await import('./telemetry/tracing.ts')).openTracing(log) : undefined;
  const bus = localBus(clock, log);
  closing.push(() => bus.close());
  const opened = await openStore(options, bus, ground, tracing);
  const store = tracing?.store(opened) ?? opened;
  closing.push(() => store.close());
  const ids = snowflakeSource(clock, 0, (await takeTimeMark(store, clock.now())) - 1);
  closing.push(() =>
    writeTimeMark(store, Math.max(clock.now(), ids.lastMs)).catch(error => {
      // A full disk is no reason to end otherwise than in order: the mark matters only when the clock is set back.
      log.warn({ error }, 'The latest time could not be kept.');
    }),
  );
  let addresses: Addresses | undefined;
  const core: Core = {
    ...{ clock, entropy, log, store, bus, limits, ids, metrics },
    ...traced(openFetch(options, log, closing), tracing),
    tracing,
    journal: new Journal(clock),
    get addresses() {
      if (!addresses) throw new Error('The addresses are known once the service listens.');
      return addresses;
    },
  };
  const setAddresses = (known: Addresses) => {
    addresses = known;
  };
  return { core, setAddresses };
}

function openFetch(options: ServiceOptions, log: Logger, closing: Closing): Pick<Core, 'fetch' | 'operatorFetch'> {
  const { fetch: operatorFetch = systemFetch } = options;
  if (options.fetch || !keepsOutside(options)) return { fetch: operatorFetch, operatorFetch };
  const { fetch, close } = createPublicFetch(log);
  closing.push(close);
  return { fetch, operatorFetch };
}

/** Whether the process has set OpenTelemetry up: there every copy of its API finds what was registered. */
function isTracingRegistered(): boolean {
  const key = Symbol.for('opentelemetry.js.api.1');
  return (globalThis as { [key: symbol]: { readonly trace?: unknown } | undefined })[key]?.trace !== undefined;
}

function traced({ fetch, operatorFetch }: Pick<Core, 'fetch' | 'operatorFetch'>, tracing: Tracing | undefined) {
  if (!tracing) return { fetch, operatorFetch };
  return { fetch: tracing.fetch(fetch), operatorFetch: tracing.fetch(operatorFetch) };
}

type Parts = ReturnType<typeof createParts>;

/** Everything that serves, each on the core and on those named to it. */
function createParts(
  core: Core,
  {
    pendingWork,
    events,
    voiceEndpoint,
    connections,
    hosts,
  }: Pick<Ground, 'events' | 'pendingWork'> & Pick<Chosen, 'voiceEndpoint'> & Pick<HttpDeps, 'connections' | 'hosts'>,
) {
  const keys = createSigningKeys(core);
  const voiceServer = voiceEndpoint === undefined ? undefined : openVoiceServer(core, keys, pendingWork, voiceEndpoint);
  const credentials = createCredentials(core);
  const commands = createCommands(core);
  const commandPermissions = createCommandPermissions(core);
  const webhookEvents = createWebhookEvents(core, pendingWork);
  const lobbies = createLobbies(core, { webhookEvents, ...(voiceServer && { voiceServer }) });
  const interactions = createInteractions(core, pendingWork);
  const authorization = createAuthorization(core, { webhookEvents, lobbies, pendingWork, keys });
  const faults = new FaultInjector(core);
  const gateway = createGateway(core, {
    credentials,
    lobbies,
    pendingWork,
    faults,
    connections,
    hosts,
    ...(events && { events }),
  });
  const fixtures = createFixtures(core, { commands, lobbies, users: authorization });
  const sweeps = createSweeps([webhookEvents, lobbies, interactions, authorization, authorization.provisional]);
  return {
    ...{ pendingWork, credentials, commands, commandPermissions, lobbies, interactions },
    ...{ authorization, gateway, fixtures, faults, sweeps },
  };
}

interface Door {
  readonly server: Server;
  readonly site: { close(): Promise<void> };
}

/** The HTTP door with all that is behind it: the API, the pages and control. */
function createSocketServerOf(
  core: Core,
  rooms: Parts,
  {
    signIn,
    addressOf,
    drain,
    connections,
    hosts,
    operators,
    requestIds,
    requestLog,
    ...control
  }: Pick<Chosen, 'signIn'> &
    Pick<HttpDeps, 'addressOf' | 'connections' | 'hosts' | 'drain' | 'operators' | 'requestIds' | 'requestLog'> &
    Pick<ControlDeps, 'controlToken' | 'stateReplaced'>,
): Door {
  const { pendingWork, credentials, commands, commandPermissions, lobbies, interactions } = rooms;
  const { authorization, gateway, fixtures, faults } = rooms;
  const handlers = {
    ...commandRoutes(commands),
    ...commandPermissionRoutes(commandPermissions),
    ...commandIndexRoutes(createCommandIndexes(core)),
    ...lobbyRoutes(lobbies),
    ...playerLobbyRoutes(lobbies),
    ...guildRoutes(createGuildDirectory(core), createGuildLookup(core), authorization),
    ...interactionRoutes(interactions),
    ...applicationRoutes(createApplicationEdits(core, pendingWork), authorization),
    ...oauthRoutes(authorization),
    ...partnerRoutes(authorization.provisional),
    ...gatewayRoutes(core, gateway),
    ...openApiRoutes(core),
  };
  const site = createLateSite(core, {
    ...{ authorization, pendingWork, signIn, addressOf, files: interactions.files },
    control: {
      ...{ core, fixtures, faults, ...control },
      ...(core.clock instanceof VirtualClock ? { advance: (ms: number) => advanceClock(core, ms) } : {}),
      decide: decision => authorization.decide(decision),
      endUserTokens: userId => authorization.endUserTokens(userId),
      decideDevice: decision => authorization.device.decide(decision),
    },
  });
  const server = createHttpServer(core, {
    ...{ credentials, handlers, pendingWork, faults, addressOf, connections, hosts, site: site.serve, drain },
    ...{ operators, requestIds, requestLog },
    proofs: interactionProofs(interactions),
  });
  return { server, site };
}

async function advanceClock({ clock, store }: Core, ms: number): Promise<number> {
  if (!(clock instanceof VirtualClock)) throw systemClockMoved();
  const nowMs = await clock.advance(ms);
  await writeTimeMark(store, nowMs);
  return nowMs;
}

function chooseClock({ clock = 'system' }: ServiceOptions, pendingWork: PendingWork): Clock {
  if (clock === 'system') return systemClock;
  const startMs = clock === 'virtual' ? systemClock.now() : clock.virtualFromMs;
  return new VirtualClock(startMs, () => pendingWork.settled());
}

function systemClockMoved(): ArgumentError {
  return new ArgumentError(
    'system_clock',
    "Only a virtual clock can be moved; start the service with clock: 'virtual'.",
  );
}

async function openStore(
  { data, slowStatementMs }: Pick<ServiceOptions, 'data' | 'slowStatementMs'>,
  bus: Core['bus'],
  { log, events, metrics, readiness }: Ground,
  tracing: Tracing | undefined,
): Promise<Store> {
  const onCommit = (commit: CommitReport) => {
    const { transactions, ms, outcome } = commit;
    tracing?.committed(commit);
    if (outcome !== 'unchanged') metrics.committed(transactions, ms, outcome === 'failed');
    readiness.committed(outcome === 'failed', outcome === 'written');
  };
  const sink: AnnouncementSink = announced => {
    const handed = bus.publish(announced);
    events?.passed(announced.at(-1)?.revision ?? 0);
    return handed;
  };
  if (data === undefined) return openMemoryStore({ sink, log, onCommit });
  const { openSqliteStore } = await import('./store/sqlite/store.ts');
  return openSqliteStore({
    ...{ location: databaseIn(data), sink, log, onCommit },
    ...(slowStatementMs !== undefined && { slowStatementMs }),
    ...(events && {
      keep: announced => events.keep(announced),
      // Sessions that need the event cannot be brought up to date.
      onSetAside: ({ collection, key }) => collection === 'gateway_events' && events.lost(Number(key[0])),
    }),
  });
}

/** @returns the origin that clients on this machine reach it by */
async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen({ host, port, backlog: runtimeLimits.listenBacklog });
  await once(server, 'listening');
  return originOf(server, host);
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${reachableHost(host)}:${port}`;
}

function addressesOf(web: string): Addresses {
  return { web, api: `${web}/api`, gateway: `${web.replace(/^http/, 'ws')}/gateway` };
}

function readyLine({ apiBase, webBase, gateway, controlBase, controlToken, opsBase }: ServiceAddresses): ReadyLine {
  return {
    event: 'ready',
    ...{ api_base: apiBase, web_base: webBase, gateway, control_base: controlBase, control_token: controlToken },
    ...(opsBase !== undefined && { ops_base: opsBase }),
    ...{ pid: process.pid, version },
  };
}

/** Something that works by itself while the service runs, on what the store holds. */
interface Sweep {
  start(): MaybePromise<() => MaybePromise<unknown>>;
}

/** Starts and stops the sweeps together, one call after another: a replaced state makes them look anew. */
function createSweeps(sweeps: readonly Sweep[]) {
  let stops: (() => MaybePromise<unknown>)[] = [];
  let turn: Promise<void> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  }

  async function stopAll(): Promise<void> {
    const running = stops;
    stops = [];
    await Promise.all(running.map(stop => stop()));
  }

  return {
    stop: () => inTurn(stopAll),
    restart: () =>
      inTurn(async () => {
        await stopAll();
        for (const sweep of sweeps) stops.push(await sweep.start());
      }),
  };
}

/**
 * In the reverse of the order things were built; one that fails does not keep the others open, and one that has not ended
 * by the deadline is not waited for. That is the machine's time: a virtual clock may stand still.
 */
async function closeAll(closing: Readonly<Closing>, timeoutMs: number): Promise<void> {
  const failures: unknown[] = [];
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const deadline = new Promise<void>(resolve => late.signal.addEventListener('abort', () => resolve()));
  for (const close of closing.toReversed()) {
    const closed = (async () => close())().catch((error: unknown) => void failures.push(error));
    await Promise.race([closed, deadline]);
  }
  clearTimeout(timer);
  if (failures.length > 0) throw new AggregateError(failures, 'The service did not close cleanly.');
}
