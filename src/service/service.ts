import { performance } from 'node:perf_hooks';
import type { InteractionId } from '../model/snowflake.ts';
import { requireType } from '../wire/arguments.ts';
import { type Clock, type Logger, randomToken, silentLogger, systemEntropy } from '../wire/clock/ports.ts';
import { VirtualClock } from '../wire/clock/virtual-clock.ts';
import { reportErrors } from '../wire/error-report.ts';
import { addressesOf, consoleUrlAt, originOf, type ReadyLine, readyLine, type ServiceAddresses } from './addresses.ts';
import { type Closing, closeAll } from './closing.ts';
import { EventLog } from './gateway/sessions/event-log.ts';
import { createRequestIds, createRequestLog } from './http/call.ts';
import { countedAddressBehind, isFromProxy } from './http/client-address.ts';
import { Connections, Drain } from './http/connections.ts';
import { Hosts } from './http/hosts.ts';
import { listen, listenWithMany } from './http/listening.ts';
import { advanceClock, type CheckedOptions, chooseClock, type Environment, openCore } from './open-core.ts';
import {
  checkAllowedHosts,
  checkClock,
  checkDrainTimeout,
  checkHost,
  checkPort,
  checkPublicUrl,
  checkSecrets,
  checkSlowStatement,
  checkTrustedProxies,
  checkVoiceEndpoint,
  chooseConsole,
  chooseLimits,
  chooseSharedEngines,
  chooseSignIn,
  proxyWarning,
  type ServiceOptions,
} from './options.ts';
import { createParts } from './parts.ts';
import { createApiServer, openOperators } from './servers.ts';
import { databaseIn } from './store/data-folder.ts';
import { keptLog } from './support/kept-log.ts';
import { isLoopback } from './support/network-address.ts';
import { PendingWork } from './support/pending-work.ts';
import { runtimeLimits } from './support/service-limits.ts';
import { Metrics } from './telemetry/metrics.ts';
import { databaseFile, Readiness } from './telemetry/readiness.ts';
import type { FaultControl } from './testing/faults/faults.ts';
import type { FilledFixtures } from './testing/fixtures/document.ts';

/** A running service in this process. */
export interface Service extends ServiceAddresses {
  /** The same addresses in the form that the command prints. */
  readonly readyLine: ReadyLine;
  /** The fixtures given at the start, with every id and secret filled in. */
  readonly fixtures: FilledFixtures;
  /** The time of the service. Clients that are given it live in the same time. */
  readonly clock: Clock & {
    /**
     * Moves a virtual clock forward. Resolves with the new time once everything due by then has run.
     *
     * @throws ArgumentError `system_clock`, `bad_duration`
     */
    advance(ms: number): Promise<number>;
  };
  /** Fault injection: delays, errors and broken connections for the clients under test. */
  readonly faults: FaultControl;
  /** The service's metrics in Prometheus' text format, as `GET /metrics` returns them. */
  metrics(): Promise<string>;
  /** Restores the fixtures given at the start, closes gateway sessions and disarms faults. */
  reset(): Promise<void>;
  /** @internal Fails an interaction that has not been answered, as its time limit does. */
  failInteraction(id: InteractionId): Promise<void>;
  /**
   * Stops accepting connections, finishes the requests under way, asks gateway clients to reconnect, and closes everything within
   * {@link ServiceOptions.drainTimeoutMs}. Idempotent.
   */
  close(): Promise<void>;
  /** The same as {@link close}: `await using service = await startService()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the whole service in this process and resolves when it accepts traffic. Several services can run in one process; they
 * share nothing.
 *
 * @throws ArgumentError `public_host`, `invalid_public_url`, `invalid_trusted_proxy`, `invalid_allowed_host`, `unknown_limits`,
 *   `unknown_sign_in`, `invalid_voice_endpoint`, `invalid_drain_timeout`, `invalid_slow_statement`, `invalid_store`, `invalid_bus`, `invalid_secret`,
 *   `template_secret`, `wrong_secret`, `virtual_clock_shared`, `invalid_argument`; ValidationError with the issues of the fixtures; StoreError, BusError
 * @example
 * const service = await startService({ fixtures: { users: [{ id: '9', username: 'ada' }] }, clock: 'virtual' });
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  requireType('options', options, 'object');
  const host = checkHost(options);
  const publicUrl = checkPublicUrl(options.publicUrl);
  const limits = chooseLimits(options.limits);
  const signIn = chooseSignIn(options.signIn);
  const trustedProxies = checkTrustedProxies(options.trustedProxies);
  const allowedHosts = checkAllowedHosts(options.allowedHosts);
  const voiceEndpoint = checkVoiceEndpoint(options.voice?.endpoint);
  const drainTimeoutMs = checkDrainTimeout(options.drainTimeoutMs);
  const shared = chooseSharedEngines(options);
  const isConsoleOn = chooseConsole(options);
  const secretWarning = checkSecrets(options);
  checkSlowStatement(options.slowStatementMs);
  checkPort('port', options.port);
  checkPort('opsPort', options.opsPort);
  checkClock(options.clock);
  if (options.data !== undefined) requireType('data', options.data, 'string');
  const warning = proxyWarning(options);
  if (warning !== undefined) options.log?.warn({ publicUrl }, warning);
  if (secretWarning !== undefined) options.log?.warn({ host }, secretWarning);
  const closing: Closing = [];
  // The engines of a node may fail at any moment of its start; the error that is thrown then says why.
  const log = reportErrors(options.log ?? silentLogger);
  const kept = shared && keptLog(log);
  const started = start(
    { ...options, log: kept?.log ?? log },
    {
      ...{ host, publicUrl, limits, signIn, trustedProxies, allowedHosts, voiceEndpoint, drainTimeoutMs, shared },
      ...{ isConsoleOn, lastError: () => kept?.lastError },
    },
    closing,
  );
  try {
    const service = await started;
    kept?.release();
    return service;
  } catch (error) {
    const closed = closeAll(closing.splice(0), shared ? runtimeLimits.failedStartMs : drainTimeoutMs);
    // An engine that is away cannot be told that this node ends, and why the start failed matters more.
    await (shared ? closed.catch(() => {}) : closed);
    throw error;
  }
}

async function start(
  options: ServiceOptions & { readonly log: Logger },
  checked: CheckedOptions,
  closing: Closing,
): Promise<Service> {
  const { host, publicUrl, limits, signIn, trustedProxies, allowedHosts, voiceEndpoint, drainTimeoutMs, shared } =
    checked;
  const { isConsoleOn, lastError } = checked;
  const pendingWork = new PendingWork();
  const environment: Environment = {
    ...{
      limits,
      pendingWork,
      shared,
      isConsoleOn,
      lastError,
      entropy: options.entropy ?? systemEntropy,
      log: options.log,
    },
    ...{ clock: chooseClock(options, pendingWork), metrics: new Metrics(), readiness: new Readiness() },
    // Without a data folder gateway sessions end with the process, so there are no events to keep for them.
    events: options.data === undefined ? undefined : new EventLog(),
  };
  const { events, readiness } = environment;
  const connections = new Connections(environment, trustedProxies, options);
  const hosts = new Hosts(environment.log, { bound: host, publicUrl, allowed: allowedHosts });
  const requestIds = createRequestIds(environment.entropy, isFromProxy(trustedProxies));
  const { endpoints, operators, opsBase } = await openOperators(
    options,
    { ...checked, ...environment, hosts, requestIds },
    closing,
  );
  const { core, setAddresses, shared: sharedParts } = await openCore(options, environment, closing);
  const addressOf = countedAddressBehind(trustedProxies);
  const parts = createParts(core, {
    ...{ pendingWork, events, voiceEndpoint, connections, hosts },
    cluster: sharedParts?.gateway(core),
  });
  const beginAnew = async () => {
    await parts.gateway.closeSessions();
    await parts.sweeps.restart();
  };
  let begun: Promise<void> = Promise.resolve();
  core.notices?.on('state_replaced', () => {
    begun = beginAnew();
    begun.catch(error => core.log.error({ error }, 'The sessions could not be closed after the state was replaced.'));
  });
  const stateReplaced = async () => {
    if (!core.notices) return beginAnew();
    await Promise.all([core.files?.clear(), core.notices.send({ kind: 'state_replaced' })]);
    await begun;
  };
  const controlToken = options.controlToken ?? randomToken(core.entropy, 24);
  const drain = new Drain();
  const stopping: (() => void)[] = [];
  let own = '';
  const { server, site } = createApiServer(core, parts, {
    signIn,
    addressOf,
    connections,
    hosts,
    controlToken,
    stateReplaced,
    drain,
    requestIds,
    operators,
    origin: () => own,
    startedAtMs: Date.now(),
    readiness: () => readiness.check(),
    hasVoice: voiceEndpoint !== undefined,
    isPublic: !isLoopback(host) || publicUrl !== undefined,
    onStop: stop => stopping.push(stop),
    ...(options.logRequests === true && { requestLog: createRequestLog(core.log) }),
  });

  await parts.gateway.restore();
  const fixtures = await parts.fixtures.begin(options.fixtures);
  await parts.sweeps.restart();
  closing.push(() => parts.sweeps.stop());
  parts.gateway.attach(server);
  closing.push(() => site.close());
  const canResume = options.data !== undefined || shared !== undefined;
  // Before the first request is served, and so before all sockets listen.
  server.once('listening', () => {
    own = originOf(server, host);
    setAddresses(addressesOf(publicUrl ?? own));
  });
  const listening = await (canResume ? listenWithMany : listen)(server, {
    host,
    port: options.port ?? 0,
    log: core.log,
  });
  // On a virtual clock there is no idle time to wait out, and waiting for it could take forever.
  const isVirtual = core.clock instanceof VirtualClock;
  const idleMs = isVirtual ? 0 : runtimeLimits.drainIdleMs;
  closing.push(async () => {
    readiness.drain();
    for (const stop of stopping) stop();
    if (isVirtual) parts.faults.release();
    const endsMs = performance.now() + drainTimeoutMs * (1 - runtimeLimits.drainRestShare);
    const [cutOff] = await Promise.all([drain.run(listening, idleMs, endsMs), parts.gateway.close()]);
    if (cutOff > 0)
      core.log.warn({ connections: cutOff }, 'Connections were still open at the deadline and were closed.');
  });
  await parts.lobbies.calls.announceNewServer();
  const files = options.data === undefined ? [] : [databaseFile(databaseIn(options.data))];
  readiness.start(core.store, sharedParts?.engines ?? files);

  const { api: apiBase, web: webBase, gateway } = core.addresses;
  const addresses: ServiceAddresses = {
    ...{ apiBase, webBase, gateway, controlBase: `${own}/control`, controlToken },
    ...(opsBase !== undefined && { opsBase }),
    ...(isConsoleOn && { consoleUrl: consoleUrlAt(own, controlToken) }),
  };
  let closed: Promise<void> | undefined;
  const close = () =>
    (closed ??= closeAll(closing, drainTimeoutMs * (1 - runtimeLimits.drainExitShare), () =>
      core.log.warn({}, 'Not everything could be closed by the deadline.'),
    ));
  return {
    ...addresses,
    readyLine: readyLine(addresses),
    fixtures,
    clock: {
      now: () => core.clock.now(),
      schedule: (delayMs, run) => core.clock.schedule(delayMs, run),
      advance: ms => advanceClock(core, ms),
    },
    faults: parts.faults,
    metrics: () => endpoints.metrics(),
    async reset() {
      parts.faults.clear();
      await parts.fixtures.reset();
      await stateReplaced();
    },
    failInteraction: id => parts.interactions.fail(id),
    close,
    [Symbol.asyncDispose]: close,
  };
}
