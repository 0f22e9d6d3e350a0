import type Pino from 'pino';
import type { LogFields, Logger } from '../wire/clock/ports.ts';
import { reportErrors } from '../wire/error-report.ts';
import { loadOnce } from '../wire/load-once.ts';
import { paintFor, printable } from './paint.ts';
import { type LogLevel, logLevels } from './serve-options.ts';

type Line = readonly [level: keyof Logger, fields: LogFields, message: string];

/** What is kept of lines that cannot be written, in characters. */
const keptLengthMax = 1024 * 1024;

/**
 * A log on stderr: one JSON object a line, by pino, and at a terminal lines for people. Pino is loaded with the first line, so that a start which says
 * nothing does not wait for it; from then on a line is written before the call returns. Errors are written as reports.
 * A log that cannot be written, on a full disk or to a reader that is gone or has stopped reading, neither ends nor holds up the process.
 */
export function openLog(level: LogLevel): Logger {
  process.stderr.on('error', () => {});
  const pipe = nonBlockingPipe();
  let log: Logger | undefined;
  let waiting: Line[] = [];
  const open = loadOnce(async () => (process.stderr.isTTY ? forTerminal() : openPino(level, pipe)));

  function write(...line: Line): void {
    if (!isLogged(line[0], level)) return;
    if (log) log[line[0]](line[1], line[2]);
    else if (waiting.push(line) === 1) void load();
  }

  async function load(): Promise<void> {
    const lose = () => writePlainly(waiting);
    process.once('exit', lose);
    try {
      log = await open();
      for (const [name, fields, message] of waiting) log[name](fields, message);
    } catch {
      // Too many files are open, perhaps, which is just what a line may be about. The next line tries again.
      writePlainly(waiting);
    }
    process.off('exit', lose);
    waiting = [];
  }

  return reportErrors({
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  });
}

interface Pipe {
  write(line: string): void;
}

async function openPino(level: LogLevel, pipe: Pipe | undefined): Promise<Logger> {
  // By its default: bundled, a CommonJS package that is loaded late shows nothing else.
  const { default: pino } = await import('pino');
  const log: Logger = pino({ level }, pipe ?? fileOf(pino));
  return log;
}

function fileOf({ destination }: typeof Pino): ReturnType<typeof destination> {
  const file = destination({ fd: process.stderr.fd, sync: true, maxLength: keptLengthMax });
  file.on('error', () => {});
  return file;
}

/**
 * Stderr, if it is a pipe. Node.js would block until its reader reads on. Here, lines that the pipe has no room for are kept in memory up to
 * a bound, and further lines are lost.
 */
function nonBlockingPipe(): Pipe | undefined {
  const { stderr } = process;
  const { _handle: handle } = stderr as { readonly _handle?: { setBlocking?(isBlocking: boolean): void } };
  if (stderr.isTTY || process.platform === 'win32' || !handle?.setBlocking) return undefined;
  handle.setBlocking(false);
  return {
    write(line) {
      if (stderr.writableLength + line.length <= keptLengthMax) stderr.write(line);
    },
  };
}

function isLogged(said: keyof Logger, level: LogLevel): boolean {
  return logLevels.indexOf(said) >= logLevels.indexOf(level);
}

/** Lines for people: time, level, message and fields. */
function forTerminal(): Logger {
  const { stderr } = process;
  const paint = paintFor(stderr);
  const write = (level: keyof Logger, fields: LogFields, message: string) => {
    const time = new Date().toTimeString().slice(0, 8);
    const details = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
    const color = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'dim';
    const words = [paint(color, level), printable(message), paint('dim', printable(details.join(' ')))];
    stderr.write(`${[paint('dim', time), ...words].join(' ').trimEnd()}\n`);
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** There is nothing to write them better. */
function writePlainly(lines: readonly Line[]): void {
  for (const [level, fields, msg] of lines) process.stderr.write(`${JSON.stringify({ level, ...fields, msg })}\n`);
}
