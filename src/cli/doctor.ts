import { ArgumentError } from '../model/errors/errors.ts';
import { UsageError } from './command-line.ts';
import { type DoctorSettings, readDoctorSettings } from './doctor-options.ts';
import { errorMessage } from './failure.ts';
import { doctorHelp } from './help.ts';
import { type Paint, paintFor, printable } from './paint.ts';
import { readSecrets } from './serve-options.ts';
import { readPlace } from './state/options.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { waitingAt } from './waiting.ts';

/**
 * `rallypoint doctor`: finds out why a player cannot sign in on this machine, or what is wrong with a service's state, and
 * how to fix it.
 *
 * @returns false when it found a problem
 * @throws UsageError
 */
export async function doctorCommand(args: readonly string[], terminal: Terminal): Promise<boolean> {
  const { stdout, environment } = terminal;
  const settings = readDoctorSettings(args);
  if (!settings) {
    stdout.write(doctorHelp());
    return true;
  }
  const { data, store } = settings;
  const waiting = waitingAt(terminal);
  const findings =
    data !== undefined
      ? await checkData(data)
      : store !== undefined
        ? await waiting('the database', checkStore(store, readSecrets(environment)))
        : await waiting("this machine's keychain and desktop", checkGame(settings));
  if (settings.json) stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else {
    stdout.write(`${report(findings, paintFor(stdout)).join('\n')}\n`);
    const { scheme, applicationId } = settings;
    const hasCheckedScheme = scheme !== undefined || applicationId !== undefined;
    if (data === undefined && store === undefined && !hasCheckedScheme)
      stdout.write('No scheme was checked. Pass one with --scheme or --application.\n');
  }
  return findings.every(({ ok }) => ok);
}

// Both are loaded late, so that wrong options are reported immediately.

async function checkGame(settings: DoctorSettings): Promise<readonly Finding[]> {
  const { doctor } = await import('../sdk/redirect/doctor/doctor.ts');
  return doctor(settings).catch(error => {
    // Compared by name, because the client SDK is a separate build with its own classes.
    throw error.name === ArgumentError.name ? new UsageError(printable(errorMessage(error))) : error;
  });
}

async function checkData(folder: string): Promise<readonly Finding[]> {
  const { inspectDataFolder } = await import('../service/store/sqlite/upkeep.ts');
  return inspectDataFolder(folder);
}

async function checkStore(url: string, secrets: readonly string[]): Promise<readonly Finding[]> {
  const place = readPlace('--store', url);
  if ('data' in place) return checkData(place.data);
  const { inspectPostgres } = await import('../service/store/transfer/inspect-postgres.ts');
  return inspectPostgres(place.store, secrets);
}

/** The result of one check. */
interface Finding {
  readonly code: string;
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string | undefined;
}

function report(findings: readonly Finding[], paint: Paint): string[] {
  const rows = findings.flatMap(({ code, ok, message, remedy }) => [
    [ok ? paint('green', '✓') : paint('red', '✗'), paint('bold', labelOf(code)), printable(message)],
    ...(remedy === undefined ? [] : [['', '', paint('yellow', `→ ${printable(remedy)}`)]]),
  ]);
  return [...table(rows), '', summary(findings)];
}

function labelOf(code: string): string {
  return code.replaceAll('_', ' ');
}

function summary(findings: readonly Finding[]): string {
  const problems = findings.filter(({ ok }) => !ok).length;
  if (problems === 0) return `No problem found in ${findings.length} checks.`;
  return `${problems} of ${findings.length} checks found a problem.`;
}
