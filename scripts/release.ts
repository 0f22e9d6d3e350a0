import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkChangelog } from './release/changelog.ts';
import { checkSums } from './release/checksums.ts';
import { checkLicences } from './release/licences.ts';
import { checkNatives } from './release/natives.ts';
import type { Outcome } from './release/outcome.ts';
import { prepareRelease, versionAsked } from './release/prepare.ts';
import { checkProvenance } from './release/provenance.ts';
import { checkTarball, packTarball, type Tarball } from './release/tarball.ts';
import { checkVersions } from './release/versions.ts';
import { checkWorkTree } from './release/worktree.ts';

/**
 * Checks that the package is ready to be published. Nothing is ever published from here: the workflow of the public CI
 * does that, for a tag.
 *
 * - `--dry-run` checks and changes nothing.
 * - `major`, `minor`, `patch` or a version of the form 1.2.3 checks, then writes the version and the changelog's heading,
 *   commits and tags. Pushing the tag is left to you.
 * - `--tag v1.2.3`, with `--dry-run`: this is the release of that tag, so everything must be there.
 * - `--only version,tarball` takes some of the steps; `--out FOLDER` keeps the tarball, with its checksums.
 *
 * Exits 1 and gives the reasons when something is not ready, 2 when it was called in a way that makes no sense.
 */
const root = dirname(import.meta.dirname);
const usage =
  'Usage: npm run release -- --dry-run | major | minor | patch | 1.2.3 [--only STEPS] [--tag TAG] [--out FOLDER]';

const options = readOptions();
const scratch = mkdtempSync(join(tmpdir(), 'rallypoint-release-'));
let packed: Tarball | undefined;
const tarball = () => (packed ??= packTarball(root, options.out ?? scratch, scratch));
const sums: string[] = [];

const steps: Readonly<Record<string, () => Outcome | Promise<Outcome>>> = {
  worktree: () => checkWorkTree(root, options.isDryRun),
  version: () => checkVersions(root, options.tag),
  changelog: () => checkChangelog(root),
  api: async () => {
    // It brings a compiler along, which takes a while to load.
    const { compareApiReports } = await import('./release/api-reports.ts');
    const faults = compareApiReports(root);
    return { detail: faults.length === 0 ? 'the reports describe the built types' : 'out of date', faults };
  },
  licences: () => checkLicences(root),
  tarball: () => checkTarball(root, tarball()),
  natives: () => checkNatives(join(tarball().folder, 'dist', 'native'), options.tag !== undefined),
  checksums: () => {
    const outcome = checkSums(tarball(), options.out);
    sums.push(...outcome.sums);
    return outcome;
  },
  provenance: () => checkProvenance(root),
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const names = options.only ?? Object.keys(steps);
  const unknown = names.filter(name => !Object.hasOwn(steps, name));
  if (unknown.length > 0)
    return refuse(`There is no step ${unknown.join(', ')}; there are ${Object.keys(steps).join(', ')}.`);
  const version = options.version === undefined ? undefined : versionAsked(root, options.version);
  const rows: (Outcome & { readonly name: string })[] = [];
  for (const [index, name] of names.entries()) {
    rows.push({ name, ...(await runStep(name, `${index + 1}/${names.length}`)) });
  }
  console.log('');
  for (const line of sums) console.log(line);
  if (sums.length > 0) console.log('');
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, faults, warnings = [], detail } of rows) {
    const result = faults.length > 0 ? 'FAILED ' : warnings.length > 0 ? 'warning' : 'ready  ';
    console.log(`${name.padEnd(width)}  ${result}  ${detail}`);
  }
  const [faults, warnings] = [rows.flatMap(row => row.faults), rows.flatMap(row => row.warnings ?? [])];
  for (const warning of warnings) console.log(`\nWarning: ${warning}`);
  for (const fault of faults) console.error(`\nNot ready: ${fault}`);
  if (faults.length > 0) return 1;
  if (version === undefined) return 0;
  prepareRelease(root, version, new Date().toISOString().slice(0, 10));
  console.log(`\nCommitted and tagged v${version}. To publish it: git push origin HEAD v${version}`);
  return 0;
}

async function runStep(name: string, progress: string): Promise<Outcome> {
  const start = performance.now();
  process.stdout.write(`[${progress}] ${name} … `);
  const outcome = await attempt(name);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${outcome.faults.length > 0 ? 'failed' : 'done'} (${seconds} s)`);
  return outcome;
}

/** What cannot be checked is not ready either. */
async function attempt(name: string): Promise<Outcome> {
  try {
    return (await steps[name]?.()) ?? { detail: '', faults: [] };
  } catch (error) {
    return { detail: 'could not be checked', faults: [error instanceof Error ? error.message : String(error)] };
  }
}

function refuse(reason: string): number {
  console.error(reason);
  return 2;
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean', default: false },
        only: { type: 'string' },
        tag: { type: 'string' },
        out: { type: 'string' },
      },
    });
    const isDryRun = values['dry-run'];
    const [version, ...more] = positionals;
    // A version is made by a run with all steps, and a tag is there only afterwards.
    const isOdd = isDryRun
      ? version !== undefined
      : version === undefined || values.only !== undefined || values.tag !== undefined;
    if (isOdd || more.length > 0) throw new Error(usage);
    const out = values.out === undefined ? undefined : resolve(values.out);
    return { isDryRun, version, only: values.only?.split(','), tag: values.tag, out };
  } catch (error) {
    console.error((error as Error).message);
    if ((error as Error).message !== usage) console.error(usage);
    process.exit(2);
  }
}
