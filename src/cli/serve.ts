import { readFileSync } from 'node:fs';
import { chooseConsole, proxyWarning, type ServiceOptions } from '../service/options.ts';
import type { Service } from '../service/service.ts';
import type { Fixtures } from '../service/testing/fixtures/document.ts';
import { type Logger, systemClock } from '../wire/clock/ports.ts';
import { readJsonFile } from '../wire/json-file.ts';
import { CommandFailure } from './command-line.ts';
import { errorMessage, fileTrouble, startFailure } from './failure.ts';
import { greet } from './greeting.ts';
import { serveHelp } from './help.ts';
import { openLog } from './log.ts';
import { makeReadyFolder, type ReadyFile, readyFile, runningService } from './ready-file.ts';
import { defaultReadyFile, readServeOptions, type ServeSettings } from './serve-options.ts';
import { firstSignal } from './signal.ts';
import { waitingAt } from './waiting.ts';

/**
 * `rallypoint serve`: runs the service until a signal ends it.
 *
 * @throws UsageError, CommandFailure
 */
export async function serve(args: readonly string[]): Promise<void> {
  const settings = readServeOptions(args);
  if (!settings) {
    process.stdout.write(serveHelp());
    return;
  }
  const stopped = firstSignal();
  const fixtures = settings.fixtures === undefined ? undefined : readFixtures(settings.fixtures);
  const ready = settings.readyFile === undefined ? undefined : readyFile(settings.readyFile);
  // A ready file left by a killed service would name addresses that no longer exist.
  ready?.clear();
  // Loaded this late because wrong options must not wait for them.
  const { startService } = await import('../service/service.ts');
  const log = openLog(settings.logLevel);
  let isStarting = true;
  // A start cannot be interrupted, but nothing is lost when its process ends.
  void stopped.then(() => {
    if (!isStarting) return;
    systemClock.schedule(settings.drainTimeoutMs, () => {
      log.warn({}, 'The service was told to stop while it started, and did not end by the deadline.');
      ready?.remove();
      process.exit();
    });
  });
  const starting = startService(serviceOptions(settings, fixtures, log)).catch(error => {
    throw startFailure(error, settings);
  });
  const service = await waitingAt(process)(settings.shared ? 'PostgreSQL and Redis' : 'the state', starting);
  isStarting = false;
  const byDefault = readyFile(defaultReadyFile);
  try {
    const line = JSON.stringify(service.readyLine);
    ready?.write(line);
    const obstacle = ready ? undefined : await writeByDefault(byDefault, line);
    if (obstacle !== undefined && !process.stdout.isTTY) log.info({}, obstacle);
    announce(service, settings, obstacle);
    const warning = proxyWarning(settings);
    // Whatever the level of the log: one line among many is missed.
    if (warning !== undefined) process.stderr.write(`\nWARNING: ${warning}\n\n`);
    log.info({ address: service.webBase }, 'The service accepts traffic.');
    const signal = await stopped;
    log.info({ signal }, 'The service finishes the requests in progress.');
  } finally {
    await service.close();
    ready?.remove();
    byDefault.remove();
  }
}

/** @returns why the commands for a running service do not find this one */
async function writeByDefault(file: ReadyFile, line: string): Promise<string | undefined> {
  const other = await runningService(defaultReadyFile);
  if (other !== undefined) {
    return `${defaultReadyFile} stays that of the service which is running at ${other}. Give this one its own: --ready-file FILE.`;
  }
  try {
    await makeReadyFolder();
    file.write(line);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function serviceOptions(settings: ServeSettings, fixtures: Fixtures | undefined, log: Logger): ServiceOptions {
  const {
    host,
    publicUrl,
    trustedProxies,
    allowedHosts,
    connections,
    connectionsPerAddress,
    allowPrivateWebhooks,
    port,
    opsPort,
    signIn,
    allowPublicDeveloperSignIn,
    limits,
    voiceEndpoint,
    drainTimeoutMs,
    virtualClock,
    logRequests,
    slowStatementMs,
    data,
    shared,
  } = settings;
  return {
    ...{
      host,
      port,
      trustedProxies,
      allowedHosts,
      allowPrivateWebhooks,
      signIn,
      allowPublicDeveloperSignIn,
      limits,
      drainTimeoutMs,
      logRequests,
      log,
    },
    clock: virtualClock ? 'virtual' : 'system',
    ...(opsPort !== undefined && { opsPort }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(connections !== undefined && { connections }),
    ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
    ...(voiceEndpoint !== undefined && { voice: { endpoint: voiceEndpoint } }),
    ...(data !== undefined && { data }),
    ...(shared && { store: shared.store, bus: shared.bus, secret: shared.secrets }),
    ...(slowStatementMs !== undefined && { slowStatementMs }),
    ...(fixtures !== undefined && { fixtures }),
    // By name, so that the console shows what happened before it was opened.
    ...(chooseConsole(settings) && { console: true }),
  };
}

/** @throws CommandFailure */
export function readFixtures(path: string): Fixtures {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The fixtures file ${path} cannot be read: ${fileTrouble(path, error)}`);
  }
  const fixtures = readJsonFile(text);
  if ('fault' in fixtures) throw new CommandFailure(`The fixtures file ${path} is not JSON: ${fixtures.fault}.`);
  // The service checks it.
  return fixtures.value as Fixtures;
}

/** For programs a line of JSON, at a terminal what people want to know. */
function announce(service: Service, settings: ServeSettings, obstacle: string | undefined): void {
  if (process.stdout.isTTY) {
    const addresses = obstacle ?? settings.readyFile ?? defaultReadyFile;
    greet(process.stdout, service, { what: settings.fixtures ?? settings.data ?? 'the interface', addresses });
    return;
  }
  process.stdout.write(`${JSON.stringify(service.readyLine)}\n`);
  if (service.consoleUrl !== undefined && process.stderr.isTTY)
    process.stderr.write(`\nConsole: ${service.consoleUrl}\n\n`);
}
