import { ArgumentError } from '../model/errors/errors.ts';

/** A span of time: milliseconds, or a number with a unit, like `'3 min'`, `'250 ms'`, `'1.5 h'`. */
export type Duration = number | `${number} ${Unit}`;
type Unit = keyof typeof unitsMs;

const unitsMs = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @throws ArgumentError `bad_duration` */
export function millisecondsOf(duration: Duration): number {
  const [, number = '', unit = 'ms'] = /^(\d+(?:\.\d+)?) ?([a-z]+)?$/.exec(String(duration)) ?? [];
  const ms = Number(number || Number.NaN) * (unitsMs[unit as Unit] ?? Number.NaN);
  if (Number.isSafeInteger(ms)) return ms;
  const units = Object.keys(unitsMs).join(', ');
  throw new ArgumentError(
    'bad_duration',
    `A duration is a whole number of milliseconds, or a number with one of the units ${units} (got "${duration}").`,
  );
}
