import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { equivalentMutants } from '../../scripts/mutation/equivalent.ts';
import { findMutants, instrument } from '../../scripts/mutation/mutants.ts';
import { wilson } from '../../scripts/mutation/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'rallypoint-mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  globalThis.mutation$ = undefined;
});

/** What the mutators make of a text: each change as `original → replacement`, and a function that runs it with one of them on. */
function mutate(text: string) {
  const file = join(folder, 'subject.ts');
  writeFileSync(file, text);
  const { mutants } = findMutants([file]);
  const script = stripTypeScriptTypes(instrument(text, mutants)).replaceAll('export ', '');
  return {
    changes: mutants.map(({ original, replacement }) => `${original} → ${replacement}`),
    run(change: string, ...input: unknown[]): unknown {
      const mutant = mutants.find(({ original, replacement }) => `${original} → ${replacement}` === change);
      const isOn = (id: number): boolean => id === mutant?.id;
      globalThis.mutation$ = { isOn } as NonNullable<typeof globalThis.mutation$>;
      return new Function(`${script}; return subject`)()(...input);
    },
  };
}

describe('mutants', () => {
  it('change a comparison to its boundary, its opposite, true and false', () => {
    const { changes } = mutate('export const subject = (n: number): boolean => n < 5;');
    expect(changes).toEqual(['n < 5 → undefined', '< → <=', '< → >=', 'n < 5 → true', 'n < 5 → false']);
  });

  it('change only what their number switches on', () => {
    const { run } = mutate('export function subject(n: number) { return n < 5 && !(n === 3) ? "small" : "large"; }');
    expect([run('none', 5), run('< → <=', 5), run('none', 3), run('!(n === 3) → (n === 3)', 3)]).toEqual([
      'large',
      'small',
      'large',
      'small',
    ]);
    expect([run('"small" → \'\'', 4), run('&& → ||', 4)]).toEqual(['', 'small']);
  });

  it('leave out the body of a function, and the question mark of an optional chain', () => {
    const { run } = mutate('export function subject(a?: { b: number }) { return a?.b; }');
    expect(run('none', undefined)).toBeUndefined();
    expect(run('{ return a?.b; } → {}', { b: 1 })).toBeUndefined();
    expect(() => run('?. → .', undefined)).toThrow(TypeError);
  });

  it('are not made of types, of names, of log lines and of texts of errors', () => {
    const text = `import { log } from 'log';
      export type Kind = 'a' | 'b';
      export const fields: { 'a': Kind } = log.warn({ at: true }, 'It is late.');
      throw new TypeError(\`It is \${1} late.\`);`;
    expect(mutate(text).changes).toEqual([]);
  });

  it('that cannot be observed are named by texts which the sources still hold', () => {
    const { mutants } = findMutants(globSync('src/{model/rules,service/domain}/**/*.ts'));
    expect(equivalentMutants(mutants).stale).toEqual([]);
  });
});

describe('the interval of a sampled score', () => {
  it.each([
    [90, 100, 0.826, 0.945],
    [0, 10, 0, 0.278],
    [10, 10, 0.722, 1],
  ])('%i of %i', (found, tried, from, to) => {
    const [low, high] = wilson(found, tried);
    expect([low, high]).toEqual([expect.closeTo(from, 3), expect.closeTo(to, 3)]);
  });
});
