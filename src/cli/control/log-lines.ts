import { setTimeout } from 'node:timers/promises';
import { type Paint, printable } from '../paint.ts';
import { type ControlAddress, control } from './request.ts';

/** An entry of the service's log of traffic. */
export interface LogEntry {
  readonly number: number;
  readonly at_ms: number;
  readonly kind: string;
  readonly [detail: string]: unknown;
}

/** How often new entries are asked for. */
const pauseMs = 250;

/** The entries after `after`, oldest first, and the number to continue from. @throws CommandFailure */
export function readLog(address: ControlAddress, after: number): Promise<{ entries: LogEntry[]; next: number }> {
  return control(address, `GET /log?after=${after}`);
}

/** Calls `show` with new entries until the signal ends it. @throws CommandFailure */
export async function followLog(
  address: ControlAddress,
  after: number,
  show: (entries: readonly LogEntry[]) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let from = after; ; ) {
    const { entries, next } = await readLog(address, from);
    if (entries.length > 0) show(entries);
    // After a restart of the service its numbers begin anew.
    from = next;
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}

/** One line about an entry. */
export function logLine({ at_ms, kind, number: _, request_id, ...details }: LogEntry, paint: Paint): string {
  const { route, event, outcome, status, ...rest } = details;
  const what = [route ?? event, outcome]
    .filter(one => one !== undefined)
    .map(one => paint('bold', printable(`${one}`)));
  const code = status === undefined ? [] : [paint(isGood(status) ? 'green' : 'red', printable(`${status}`))];
  const others = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => printable(name === 'caller' ? `by ${value}` : `${name}=${shown(value)}`));
  return [paint('dim', timeOf(at_ms)), kind.padEnd('connection'.length), ...what, ...code, ...others].join('  ');
}

function isGood(status: unknown): boolean {
  return typeof status === 'number' && status < 400;
}

function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The time of day on this machine, like 09:41:00.250. */
function timeOf(ms: number): string {
  const local = ms - new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(local).toISOString().slice(11, 23);
}
