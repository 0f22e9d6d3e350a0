import { randomInt } from 'node:crypto';

/** Whether the long tests run: `npm run soak`. */
export const isSoak: boolean = process.env.RALLYPOINT_SOAK === '1';

/** How often something random is tried: a bounded number in every test run, many in the soak. */
export function runs(usual: number, soak: number): number {
  return isSoak ? soak : usual;
}

/** How long a test may take that tries something often. */
export const patienceMs: number = runs(60_000, 3_600_000);

/** What random values are made of: always the same but in the soak, unless RALLYPOINT_SEED replays another. */
export function seedOf(usual: number): number {
  return Number(process.env.RALLYPOINT_SEED ?? (isSoak ? randomInt(2 ** 31) : usual));
}
