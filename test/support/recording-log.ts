import type { LogFields, Logger } from '../../src/wire/clock/ports.ts';

export type LogLine = LogFields & { readonly level: keyof Logger; readonly message: string };

/** A log that keeps its lines. */
export function recordingLog(): { readonly log: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (level: keyof Logger) => (fields: LogFields, message: string) =>
    void lines.push({ ...fields, level, message });
  return { log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }, lines };
}
