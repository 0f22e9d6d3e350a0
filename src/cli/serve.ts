import { readFileSync } from 'node:fs';
import { chooseConsole, proxyWarning, type ServiceOptions } from '../service/options.ts';
import type { Service } from '../service/service.ts';
import type { Fixtures } from '../service/testing/fixtures/document.ts';
import { type Logger, systemClock } from '../wire/clock/ports.ts';
import { readJsonFile } from '../wire/json-file.ts';
import { CommandFailure } from './command-line.ts';
import { fileTrouble, startFailure } from './failure.ts';
import { serveHelp } from './help.ts';
import { openLog } from './log.ts';
import { type ReadyFile, readyFile } from './ready-file.ts';
import { readServeOptions, type ServeSettings } from './serve-options.ts';
import { firstSignal } from './signal.ts';

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
  const service = await startService(serviceOptions(settings, fixtures, log)).catch(error => {
    throw startFailure(error, settings);
  });
  isStarting = false;
  try {
    announce(service, ready);
    // For people only: where the output is read by a program, the ready line has it.
    if (service.consoleUrl !== undefined && process.stderr.isTTY)
      process.stderr.write(`\nConsole: ${service.consoleUrl}\n\n`);
    const warning = proxyWarning(settings);
    // Whatever the level of the log: one line among many is missed.
    if (warning !== undefined) process.stderr.write(`\nWARNING: ${warning}\n\n`);
    log.info({ address: service.webBase }, 'The service accepts traffic.');
    const signal = await stopped;
    log.info({ signal }, 'The service finishes the requests in progress.');
  } finally {
    await service.close();
    ready?.remove();
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

function announce({ readyLine }: Service, ready: ReadyFile | undefined): void {
  const line = JSON.stringify(readyLine);
  ready?.write(line);
  process.stdout.write(`${line}\n`);
}
