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
