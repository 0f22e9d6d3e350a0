/** Whether the long tests run: `npm run soak`. */
export const isSoak: boolean = process.env.RALLYPOINT_SOAK === '1';

/** How often something random is tried: a bounded number in every test run, many in the soak. */
export function runs(usual: number, soak: number): number {
  return isSoak ? soak : usual;
}
