import type { LogFields, Logger } from '../wire/clock/ports.ts';
import { reportErrors } from '../wire/error-report.ts';
import { type LogLevel, logLevels } from './serve-options.ts';

type Line = readonly [level: keyof Logger, fields: LogFields, message: string];

/**
 * A log on stderr, one JSON object a line, by pino. That is loaded with the first line, so that a start which says
 * nothing does not wait for it; from then on a line is written before the call returns. Errors are written as reports.
 */
export function openLog(level: LogLevel): Logger {
  let log: Logger | undefined;
  let waiting: Line[] = [];

  function write(...line: Line): void {
    if (!isLogged(line[0], level)) return;
    if (log) log[line[0]](line[1], line[2]);
    else if (waiting.push(line) === 1) void load();
  }

  async function load(): Promise<void> {
    const lose = () => writePlainly(waiting);
    process.once('exit', lose);
    // By its default: bundled, a CommonJS package that is loaded late shows nothing else.
    const { default: pino } = await import('pino');
    process.off('exit', lose);
    log = pino({ level }, pino.destination({ fd: process.stderr.fd, sync: true }));
    for (const [name, fields, message] of waiting) log[name](fields, message);
    waiting = [];
  }

  return reportErrors({
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  });
}

function isLogged(said: keyof Logger, level: LogLevel): boolean {
  return logLevels.indexOf(said) >= logLevels.indexOf(level);
}

/** The process ends before there is anything to write them better. */
function writePlainly(lines: readonly Line[]): void {
  for (const [level, fields, msg] of lines) process.stderr.write(`${JSON.stringify({ level, ...fields, msg })}\n`);
}
