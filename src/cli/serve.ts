import { readFile } from 'node:fs/promises';
import type { Fixtures } from '../service/control/fixtures-document.ts';
import type { Service } from '../service/service.ts';
import type { Logger } from '../wire/ports.ts';
import { CommandFailure } from './command-line.ts';
import { errorMessage, startFailure } from './failure.ts';
import { serveHelp } from './help.ts';
import { type ReadyFile, readyFile } from './ready-file.ts';
import { readServeOptions, type ServeSettings } from './serve-options.ts';
import { firstSignal } from './signals.ts';

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
  const fixtures = settings.fixtures === undefined ? undefined : await readFixtures(settings.fixtures);
  const ready = settings.readyFile === undefined ? undefined : readyFile(settings.readyFile);
  // One left by a service that was killed would tell of addresses that are gone.
  await ready?.remove();
  const log = await openLog(settings);
  const service = await start(settings, fixtures, log);
  try {
    await announce(service, ready);
    log.info({ address: service.web_base }, 'The service accepts traffic.');
    const signal = await stopped;
    log.info({ signal }, 'The service finishes what is under way.');
  } finally {
    await service.close();
    await ready?.remove();
  }
}

async function openLog({ logLevel }: ServeSettings): Promise<Logger> {
  const { pino, destination } = await import('pino');
  const log: Logger = pino({ level: logLevel }, destination({ fd: process.stderr.fd, sync: true }));
  return log;
}

async function start(settings: ServeSettings, fixtures: Fixtures | undefined, log: Logger): Promise<Service> {
  const { host, port, allowPublicDeveloperSignIn, limits, virtualClock, data } = settings;
  // Loaded this late because wrong options must not wait for it.
  const { startService } = await import('../service/service.ts');
  try {
    return await startService({
      ...{ host, port, allowPublicDeveloperSignIn, limits, log },
      clock: virtualClock ? 'virtual' : 'system',
      ...(data !== undefined && { data }),
      ...(fixtures !== undefined && { fixtures }),
    });
  } catch (error) {
    throw startFailure(error, settings);
  }
}

async function readFixtures(path: string): Promise<Fixtures> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The fixtures file ${path} cannot be read: ${errorMessage(error)}`);
  }
  try {
    // The service checks it.
    return JSON.parse(text) as Fixtures;
  } catch {
    // The parser's own words may quote a secret.
    throw new CommandFailure(`The fixtures file ${path} is not JSON.`);
  }
}

async function announce(service: Service, ready: ReadyFile | undefined): Promise<void> {
  const { event, api_base, web_base, gateway, control_base, control_token, pid, version } = service;
  const line = JSON.stringify({ event, api_base, web_base, gateway, control_base, control_token, pid, version });
  await ready?.write(line);
  process.stdout.write(`${line}\n`);
}
