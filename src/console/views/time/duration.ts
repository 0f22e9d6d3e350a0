const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `3 min`, `1.5h`, `250ms` or `1 h 30 min`; a number alone is seconds. Undefined when it is none of these. */
export function parseDuration(written: string): number | undefined {
  const text = written.trim().toLowerCase();
  if (/^\d+(\.\d+)?$/.test(text)) return wholeMs(Number(text) * 1_000);
  if (!/^(\d+(\.\d+)? ?[a-z]+ ?)+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/g)) {
    const ms = Object.hasOwn(unitsMs, unit) ? unitsMs[unit] : undefined;
    if (ms === undefined) return undefined;
    sum += Number(number) * ms;
  }
  return wholeMs(sum);
}

function wholeMs(ms: number): number | undefined {
  const whole = Math.round(ms);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

/**
 * A span of time in at most two units, rounded down: `850 ms`, `4.2 s`, `2 min 5 s`, `3 h 20 min`, `6 d 4 h`. Below ten seconds it has
 * tenths, so that a countdown of three seconds can be followed.
 */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 10_000) return `${Math.floor(ms / 100) / 10} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function two(great: number, greatUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${great} ${greatUnit}` : `${great} ${greatUnit} ${small} ${smallUnit}`;
}
