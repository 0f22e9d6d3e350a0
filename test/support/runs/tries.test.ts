import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { tries } from './tries.ts';

/** Fails for lists of six and more; what a run of it says. */
async function failure(parameters: fc.Parameters<unknown>): Promise<string> {
  const short = fc.asyncProperty(fc.array(fc.nat()), async list => {
    if (list.length >= 6) throw new Error('too long');
  });
  return fc.assert(short, parameters).then(
    () => 'none',
    ({ message }: Error) => message,
  );
}

/** The values that a message shows and the environment that it names. */
function partsOf(message: string) {
  const [, counterexample] = /^Counterexample: (.*)$/m.exec(message) ?? [];
  const [, seed = '', path = '', command] = /RALLYPOINT_SEED=(\S+) RALLYPOINT_PATH=(\S*) (.*)$/.exec(message) ?? [];
  return { counterexample, seed, path, command };
}

describe('what is tried at random', () => {
  it.each([false, true])(
    'is replayed, should it fail, by what the failure says (as it was found: %s)',
    async asFound => {
      const found = partsOf(await failure({ ...tries(1_000, 1_000), endOnFailure: asFound }));
      expect(found.counterexample).toBeDefined();
      vi.stubEnv('RALLYPOINT_SEED', found.seed);
      vi.stubEnv('RALLYPOINT_PATH', found.path);
      const again = partsOf(await failure({ ...tries(1, 1), endOnFailure: asFound }));
      vi.unstubAllEnvs();
      expect(again.counterexample).toBe(found.counterexample);
    },
  );

  it('names the test that failed: isn’t it so, $HOME and (all)?', async () => {
    const { command } = partsOf(await failure(tries(1_000, 1_000)));
    expect(command).toMatch(/^npm run (unit|soak) -- test.support.runs.tries\.test\.ts -t /);
    expect(command).toMatch(/-t 'names the test that failed: isn\.t it so, \.HOME and \.all\.\.'$/);
  });

  it('is tried as often as was said', async () => {
    let tried = 0;
    const count = fc.asyncProperty(fc.nat(), async () => {
      tried++;
    });
    await fc.assert(count, tries(70, 70));
    expect(tried).toBe(70);
  });
});
