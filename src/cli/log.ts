import { pino } from 'pino';
import type { Logger } from '../wire/ports.ts';
import type { LogLevel } from './serve-options.ts';

/** A log on stderr, one JSON object a line; each is written before the call returns. */
export function openLog(level: LogLevel): Logger {
  return pino({ level }, pino.destination({ fd: process.stderr.fd, sync: true }));
}
