import { ArgumentError } from '../model/errors/errors.ts';
import type { Finding } from '../sdk/redirect/doctor/finding.ts';
import { UsageError } from './command-line.ts';
import { readDoctorSettings } from './doctor-options.ts';
import { errorMessage } from './failure.ts';
import { doctorHelp } from './help.ts';
import { type Paint, paintFor, printable } from './paint.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

/**
 * `rallypoint doctor`: names what keeps a player from signing in on this machine, and how to fix it.
 *
 * @returns false when it found a problem
 * @throws UsageError
 */
export async function doctorCommand(args: readonly string[], { stdout }: Terminal): Promise<boolean> {
  const settings = readDoctorSettings(args);
  if (!settings) {
    stdout.write(doctorHelp());
    return true;
  }
  // Loaded this late because wrong options must not wait for it.
  const { doctor } = await import('../sdk/redirect/doctor/doctor.ts');
  const findings = await doctor(settings).catch(error => {
    // By its name: it is built apart, with a class of its own.
    throw error.name === ArgumentError.name ? new UsageError(printable(errorMessage(error))) : error;
  });
  if (settings.json) stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else {
    stdout.write(`${report(findings, paintFor(stdout)).join('\n')}\n`);
    const hasScheme = settings.scheme !== undefined || settings.applicationId !== undefined;
    if (!hasScheme) stdout.write('No scheme was checked: name one by --scheme or --application.\n');
  }
  return findings.every(({ ok }) => ok);
}

function report(findings: readonly Finding[], paint: Paint): string[] {
  const rows = findings.flatMap(({ code, ok, message, remedy }) => [
    [ok ? paint('green', '✓') : paint('red', '✗'), paint('bold', words(code)), printable(message)],
    ...(remedy === undefined ? [] : [['', '', paint('yellow', `→ ${printable(remedy)}`)]]),
  ]);
  return [...table(rows), '', summary(findings)];
}

function words(code: string): string {
  return code.replaceAll('_', ' ');
}

function summary(findings: readonly Finding[]): string {
  const problems = findings.filter(({ ok }) => !ok).length;
  if (problems === 0) return `No problem found in ${findings.length} checks.`;
  return `${problems} of ${findings.length} checks found a problem.`;
}
