import { statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chooseConsole } from '../service/options.ts';
import type { ServiceRecorder } from '../testing/recording/record-service.ts';
import { CommandFailure } from './command-line.ts';
import { followLog, logLine } from './control/log-lines.ts';
import { control } from './control/request.ts';
import { readDevSettings } from './dev-options.ts';
import { errorMessage, startFailure } from './failure.ts';
import { greet } from './greeting.ts';
import { devHelp } from './help.ts';
import { openLog } from './log.ts';
import { paintFor, printable } from './paint.ts';
import { makeReadyFolder, readyFile, runningService } from './ready-file.ts';
import { readFixtures } from './serve.ts';
import { defaultReadyFile } from './serve-options.ts';
import { firstSignal } from './signal.ts';
import type { Terminal } from './terminal.ts';

/** The fixtures of the project that `rallypoint init` makes: in the repository and in the package. */
const demo = resolve(import.meta.dirname, '../../src/cli/template/fixtures.json');

/** How often the fixtures file is looked at. */
const watchMs = 300;

/**
 * `rallypoint dev`: runs the service in memory until a signal ends it, and shows what it does.
 *
 * @throws UsageError, CommandFailure
 */
export async function devCommand(args: readonly string[], { stdout }: Terminal): Promise<void> {
  const settings = readDevSettings(args);
  if (!settings) {
    stdout.write(devHelp());
    return;
  }
  const stopped = firstSignal();
  await rejectIfRunning(settings.readyFile);
  const path = settings.fixtures ?? demo;
  // Taken before the file is read, so that no later change is missed.
  const stamp = stampOf(path);
  const fixtures = readFixtures(path);
  // Loaded this late because wrong options must not wait for it.
  const { startService } = await import('../service/service.ts');
  const recorder =
    settings.record === undefined
      ? undefined
      : (await import('../testing/recording/record-service.ts')).recordService();
  const service = await startService({
    host: settings.host,
    port: settings.port,
    clock: settings.virtualClock ? 'virtual' : 'system',
    log: openLog('warn'),
    fixtures,
    ...(chooseConsole({ host: settings.host }) && { console: true }),
    ...(recorder && { traffic: recorder.traffic }),
  }).catch(error => {
    throw startFailure(error, settings);
  });
  const ready = readyFile(settings.readyFile);
  const address = { url: service.controlBase, token: service.controlToken };
  const paint = paintFor(stdout);
  const say = (line: string) => void stdout.write(`${line}\n`);
  const ended = new AbortController();
  try {
    if (settings.readyFile === defaultReadyFile) await makeReadyFolder();
    // Found out now, not when the traffic of an hour is lost.
    if (settings.record !== undefined) await appendFile(settings.record, '').catch(notRecorded);
    ready.write(JSON.stringify(service.readyLine));
    greet(stdout, service, {
      what: settings.fixtures ?? 'a demo',
      addresses: settings.readyFile,
      // The demo's is in the repository; those of a game may be secret.
      botToken:
        settings.fixtures === undefined ? (service.fixtures.applications[0]?.bot_token ?? undefined) : undefined,
    });
    const watching = watchFixtures(
      path,
      stamp,
      async () => {
        try {
          await control(address, 'POST /fixtures', readFixtures(path));
          say(paint('green', printable(`${path} was loaded again.`)));
        } catch (error) {
          say(paint('red', printable(`${path} was not loaded: ${errorMessage(error)}`)));
        }
      },
      ended.signal,
    );
    const following = followLog(
      address,
      0,
      entries => say(entries.map(entry => logLine(entry, paint)).join('\n')),
      ended.signal,
    );
    await Promise.race([stopped, following]);
    ended.abort();
    await Promise.all([following, watching]);
  } finally {
    await service.close();
    ready.remove();
    if (recorder && settings.record !== undefined) await save(recorder, settings.record, say);
  }
}

/** The commands for a running service would be led from one to the other. @throws CommandFailure when there is one already */
async function rejectIfRunning(path: string): Promise<void> {
  const url = await runningService(path);
  if (url === undefined) return;
  const other = 'Stop it, or start this one with a port and a ready file of its own: --port 0 --ready-file FILE';
  throw new CommandFailure(
    printable(`The ready file ${path} is that of a service which is running at ${url}. ${other}`),
  );
}

/** @throws CommandFailure */
async function save(recorder: ServiceRecorder, path: string, say: (line: string) => void): Promise<void> {
  await recorder.save(path).catch(notRecorded);
  say(printable(`The traffic was written to ${path}.`));
}

function notRecorded(error: unknown): never {
  throw new CommandFailure(printable(`The recording could not be written: ${errorMessage(error)}`));
}

/** Calls `onChange` whenever the file is another than that of `before`, until the signal ends it. */
async function watchFixtures(
  path: string,
  before: string,
  onChange: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (let known = before; !signal.aborted; ) {
    await setTimeout(watchMs, undefined, { signal }).catch(() => {});
    const now = stampOf(path);
    // Editors replace a file: for a moment there is none.
    if (signal.aborted || now === known || now === missing) continue;
    known = now;
    await onChange();
  }
}

const missing = 'missing';

/** Differs when the file was written or replaced. */
function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? [found.ino, found.size, found.mtimeNs].join() : missing;
}
