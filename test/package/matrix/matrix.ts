import { availableParallelism } from 'node:os';
import { type Ended, installByNpm, openProject, type Project, run } from '../project.ts';
import type { openWorld } from '../story.ts';
import type { Tools } from './tools.ts';

/** What every row may use. */
export interface Bench {
  readonly tarball: string;
  /** Address of the registry that has our package. */
  readonly registry: string;
  readonly tools: Tools;
  readonly world: Awaited<ReturnType<typeof openWorld>>;
  /** A project with the package from the registry, shared by rows that only read it. */
  readonly installed: Project;
}

/** One thing that a user does with the package. */
export interface Row {
  readonly group: string;
  readonly name: string;
  /** Rejects with what went wrong. @returns why it could not be tried here, if so */
  readonly run: (bench: Bench) => Promise<string | undefined>;
}

export interface Result {
  readonly row: Row;
  readonly outcome: 'ok' | 'skipped' | 'failed';
  readonly seconds: number;
  readonly detail: string;
}

/** Runs the rows, as many at a time as the machine has cores. */
export async function runRows(rows: readonly Row[], bench: Bench, tell: (result: Result) => void): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...rows];
  const worker = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const result = await runRow(row, bench);
      results.push(result);
      tell(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, worker));
  return results.sort((a, b) => rows.indexOf(a.row) - rows.indexOf(b.row));
}

async function runRow(row: Row, bench: Bench): Promise<Result> {
  const start = performance.now();
  const seconds = () => Math.round((performance.now() - start) / 100) / 10;
  try {
    const skipped = await row.run(bench);
    return { row, outcome: skipped === undefined ? 'ok' : 'skipped', seconds: seconds(), detail: skipped ?? '' };
  } catch (error) {
    return {
      row,
      outcome: 'failed',
      seconds: seconds(),
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

/** Fails with all that a program said, unless it ended well. */
export function expectGood(ended: Ended): Ended {
  if (ended.code !== 0) throw new Error(`It ended with ${ended.code}.\n${ended.stdout}${ended.stderr}`);
  return ended;
}

/** Fails when a program ended badly, or said anything that reads like a warning. */
export function expectQuiet(ended: Ended, allowed: readonly RegExp[] = []): Ended {
  const { stdout, stderr } = expectGood(ended);
  const lines = `${stdout}\n${stderr}`.split('\n');
  const loud = lines.filter(line => /warn|error|deprecat|gyp|keytar|keyring/i.test(line));
  const unasked = loud.filter(line => !allowed.some(pattern => pattern.test(line)));
  if (unasked.length > 0) throw new Error(`It said:\n${unasked.join('\n')}`);
  return ended;
}

/** Runs a program that uses a service of its own. From the root of the file system: the current folder must not matter. */
export function play(
  bench: Bench,
  program: string,
  node = process.execPath,
  args: readonly string[] = [],
): Promise<Ended> {
  return run(node, [...args, program], { cwd: '/', env: bench.world.env, timeoutMs: 60_000 });
}

/** A project with the package from the registry, installed by npm; the caller removes it. */
export async function openInstalled(
  { registry }: Pick<Bench, 'registry'>,
  fields: Readonly<Record<string, unknown>>,
  args: readonly string[] = [],
): Promise<Project> {
  const project = openProject({ type: 'module', ...fields });
  project.write('.npmrc', `@rallypoint:registry=${registry}/\n`);
  expectGood(await installByNpm(project, args));
  return project;
}
