import { relative } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { isSoak, runs } from './soak.ts';

/**
 * How often a property is tried, in every run of the tests and in the soak, which tells now and then how far it is. A
 * failure says how it is replayed: by its seed and path in RALLYPOINT_SEED and RALLYPOINT_PATH.
 *
 * @example fc.assert(property, { ...tries(50, 1_000), endOnFailure: true })
 */
export function tries(usual: number, soak: number): fc.Parameters<unknown> {
  const { RALLYPOINT_SEED: seed, RALLYPOINT_PATH: path = '' } = process.env;
  const numRuns = runs(usual, soak);
  return {
    numRuns,
    ...(seed !== undefined && { seed: Number(seed), path }),
    plugins: [tellReplay, ...(isSoak ? [tellProgress(numRuns)] : [])],
  };
}

const tellReplay: fc.Plugin<unknown> = () => ({
  onAllRunsComplete(details) {
    if (!details.failed) return;
    const { seed, counterexamplePath, errorInstance } = details;
    const replay = `RALLYPOINT_SEED=${seed} RALLYPOINT_PATH=${counterexamplePath ?? ''} ${presentTest()}`;
    throw new Error(`${fc.defaultReportMessage(details)}\n\nTo replay it: ${replay}`, { cause: errorInstance });
  },
});

const tellingMs = 20_000;

/** Counts what a failure is made smaller by, too. */
function tellProgress(numRuns: number): fc.Plugin<unknown> {
  const { currentTestName } = expect.getState();
  let tried = 0;
  let toldMs = performance.now();
  return fc.afterEach(() => {
    tried++;
    if (performance.now() - toldMs < tellingMs) return;
    toldMs = performance.now();
    process.stderr.write(`${tried} of ${numRuns} tried: ${currentTestName}\n`);
  });
}

/** The command that runs it alone; what a shell or a pattern would read otherwise is left to any character. */
function presentTest(): string {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const name = currentTestName
    .split(' > ')
    .at(-1)
    ?.replaceAll(/[^\p{L}\p{N} ,:;-]/gu, '.');
  return `npm run ${isSoak ? 'soak' : 'unit'} -- ${relative(process.cwd(), testPath)} -t '${name}'`;
}
