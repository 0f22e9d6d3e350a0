/** A bound as text. The unit follows from the end of its name: `…Ms`, `…Bytes…`; all others are plain numbers. */
export function formatFigure(name: string, value: number): string {
  if (/Ms(Max|Min)?$/.test(name)) return formatDuration(value);
  if (/Bytes/.test(name) && !/PerSecond/.test(name)) return formatSize(value);
  return group(value);
}

const durations = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** In the largest unit that gives a whole number, in seconds below two minutes. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  for (const [unit, length] of durations) {
    if (ms % length === 0 && ms > 60_000) return `${group(ms / length)} ${unit}${ms === length ? '' : 's'}`;
  }
  return `${group(ms / 1000)} s`;
}

function formatSize(bytes: number): string {
  if (bytes >= 2 ** 20 && bytes % 2 ** 20 === 0) return `${group(bytes / 2 ** 20)} MiB`;
  if (bytes >= 2 ** 14 && bytes % 1024 === 0) return `${group(bytes / 1024)} KiB`;
  return `${group(bytes)} bytes`;
}

/** Thousands apart, from 1,000 on. */
function group(value: number): string {
  return value.toLocaleString('en-US');
}
