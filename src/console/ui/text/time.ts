import { isClockVirtual } from '../../control/clock.ts';

/** `2026-11-23 08:15:02Z`: the service's time is the same for everybody, so it is shown in UTC. */
export function clockText(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return String(ms);
  return `${date.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** `08:15:02.345`, in UTC. */
export function timeText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().slice(11, 23);
}

/** The time of something that happened. A virtual clock stands still while much happens: its number in the order is shown, too. */
export function eventTimeText(ms: number, order: number): string {
  return isClockVirtual.value ? `${timeText(ms)} #${order}` : timeText(ms);
}

const parts = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `2 h 5 min`, `12 s`, `35 ms`: the two largest units. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms);
  const sign = ms < 0 ? '−' : '';
  let rest = Math.abs(Math.round(ms));
  if (rest < 1000) return `${sign}${rest} ms`;
  const found: string[] = [];
  for (const [unit, size] of parts) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) found.push(`${count} ${unit}`);
    else if (found.length > 0) break;
    if (found.length === 2) break;
  }
  return sign + found.join(' ');
}
