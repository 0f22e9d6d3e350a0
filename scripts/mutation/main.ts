import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { equivalentMutants } from './equivalent.ts';
import { findMutants, instrument, type Mutant } from './mutants.ts';
import type { Outcome } from './plan.ts';
import { describeMutant, scoreOf, summarize } from './report.ts';
import { tryMutants } from './try-mutants.ts';

/**
 * Mutation testing: changes the rules and the service's domain in thousands of places, one at a time, and sees whether a
 * test fails. Prints what no test noticed and exits 1 when that is more than a tenth.
 */
const help = `npm run mutation -- [options]

  --sample N        try N mutants, picked by --seed, instead of all
  --seed N          another sample (default 1)
  --files TEXT      only mutants of source files whose path contains the text
  --tests TEXT      only test files whose path contains the text
  --report FILE     write every mutant with its outcome as JSON
  --survivors FILE  try again what survived according to such a report
  --threshold N     per cent of the mutants that have to be found (default 90)`;

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    report: { type: 'string' },
    survivors: { type: 'string' },
    threshold: { type: 'string', default: '90' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(help);
  process.exit(0);
}

/** The tests that may notice, those first that are close to the sources and need no service of their own. */
const testFolders = [
  ...['model', 'service/domain', 'service/routes', 'service/gateway/sessions', 'service/oauth/provisional'],
  ...['service/control', 'backend', 'service/testing', 'service/web', 'service/outbound', 'service/oauth'],
  ...['service/gateway', 'contract'],
];
const testFiles = new Set(
  testFolders.flatMap(folder =>
    globSync(`test/${folder}/**/*.test.ts`)
      .sort()
      .toSorted((a, b) => costOf(a) - costOf(b)),
  ),
);

const files = globSync('src/{model/rules,service/domain}/**/*.ts').sort();
const { mutants: all, excluded } = findMutants(files);
const { equivalent, others, stale } = equivalentMutants(all);
if (stale.length > 0) {
  console.error(`equivalent.ts names mutants that there are no more:\n${stale.join('\n')}`);
  process.exit(1);
}

const chosen = choose(others.filter(({ file }) => file.includes(options.files)));
console.log(
  `${all.length} mutants in ${files.length} files; ${equivalent.length} change nothing that can be seen; ${chosen.length} are tried.`,
);
for (const [reason, count] of Object.entries(excluded)) console.log(`Not mutated: ${count} of the kind "${reason}".`);

const outcomes = await tryMutants(chosen, [...testFiles].filter(isAsked), textsOf, save);
for (const { mutant, status } of outcomes) {
  if (status === 'survived' || status === 'not covered') console.log(describeMutant(mutant, status));
}
console.log(summarize(outcomes, chosen.length < others.length));
process.exit(scoreOf(outcomes) * 100 >= Number(options.threshold) ? 0 : 1);

/** Examples are quick, properties try many, and a service takes its time to start. */
function costOf(testFile: string): number {
  if (readFileSync(testFile, 'utf8').includes('startService(')) return 2;
  return testFile.endsWith('.property.test.ts') ? 1 : 0;
}

function isAsked(testFile: string): boolean {
  return testFile.includes(options.tests);
}

function save(known: readonly Outcome[]): void {
  if (options.report) writeFileSync(options.report, JSON.stringify(known, null, 1));
}

function choose(mutants: readonly Mutant[]): readonly Mutant[] {
  if (options.survivors) return mutants.filter(survivedBefore(options.survivors));
  if (options.sample === undefined) return mutants;
  const random = randomOf(Number(options.seed));
  const keyed = mutants.map(mutant => ({ mutant, key: random() }));
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, Number(options.sample))
    .map(({ mutant }) => mutant)
    .sort((a, b) => a.id - b.id);
}

/** Whether it survived by that report, also when the lines have moved meanwhile. */
function survivedBefore(report: string): (mutant: Mutant) => boolean {
  const before: Outcome[] = JSON.parse(readFileSync(report, 'utf8'));
  const survivors = before.filter(({ status }) => status === 'survived' || status === 'not covered');
  const names = new Set(survivors.map(({ mutant }) => nameOf(mutant)));
  return mutant => names.has(nameOf(mutant));
}

function nameOf({ file, line, original, replacement }: Mutant): string {
  return JSON.stringify([file, line, original, replacement]);
}

function textsOf(mutants: readonly Mutant[]): Record<string, string> {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const texts = [...byFile].map(([file, own]) => [file, instrument(readFileSync(file, 'utf8'), own)]);
  return Object.fromEntries(texts);
}

/** Numbers from 0 to 1, always the same for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
