import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutant } from './mutants.ts';
import type { Outcome, Plan, Progress, Status } from './plan.ts';

const root = join(import.meta.dirname, '../..');
/** A mutant that takes longer than this holds its process up for ever: the process is ended. */
const stuckMs = 45_000;

/** Tries each mutant with one test file after the other, until one notices. `save` gets what is known after each test file. */
export async function tryMutants(
  mutants: readonly Mutant[],
  testFiles: readonly string[],
  textsOf: (mutants: readonly Mutant[]) => Record<string, string>,
  save: (outcomes: readonly Outcome[]) => void,
): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-mutation-'));
  const state = new Map(mutants.map(({ id }) => [id, { status: 'not covered' as Status, by: '' }]));
  const beganMs = performance.now();
  try {
    for (const [index, testFile] of testFiles.entries()) {
      const alive = () => mutants.filter(({ id }) => !isFound(state.get(id)?.status));
      if (alive().length === 0) break;
      const fileBeganMs = performance.now();
      const before = alive().length;
      await tryFile(testFile);
      save(outcomes());
      const seconds = Math.round((performance.now() - fileBeganMs) / 1000);
      const totalMinutes = Math.round((performance.now() - beganMs) / 60_000);
      console.log(
        `${index + 1}/${testFiles.length} ${testFile}: ${before - alive().length} found in ${seconds} s; ${alive().length} left after ${totalMinutes} min`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return outcomes();

  function outcomes(): Outcome[] {
    return mutants.map(mutant => {
      const { status, by } = state.get(mutant.id) as { status: Status; by: string };
      return { mutant, status, ...(by !== '' && { by }) };
    });
  }

  /** Until every mutant that the file reaches was tried; a process that is stuck or damaged is replaced. */
  async function tryFile(testFile: string): Promise<void> {
    let left = mutants.filter(({ id }) => !isFound(state.get(id)?.status));
    for (let checkEvery = 100; left.length > 0; ) {
      const { covered, ended, stuck, stale, failed } = await runFile(testFile, left, checkEvery);
      if (failed !== undefined) {
        console.error(`${testFile} is left out, because it fails without a mutant: ${failed}`);
        return;
      }
      const doubted = new Set(checkEvery > 1 ? stale : []);
      for (const [id, killedBy] of ended)
        if (!doubted.has(id)) conclude(id, killedBy === null ? 'survived' : 'killed', killedBy);
      if (stuck !== undefined) conclude(stuck, 'timed out', 'the limit of time');
      if (stuck === undefined && stale.length === 0) return;
      if (doubted.size > 0) checkEvery = Math.max(1, Math.floor(checkEvery / 10));
      left = left.filter(({ id }) => covered.has(id) && id !== stuck && (!ended.has(id) || doubted.has(id)));
    }

    function conclude(id: number, status: Status, by: string | null): void {
      state.set(id, { status, by: by === null ? '' : `${testFile}: ${by}` });
    }
  }

  async function runFile(testFile: string, tried: readonly Mutant[], checkEvery: number) {
    const progressFile = join(folder, 'progress');
    const planFile = join(folder, 'plan.json');
    rmSync(progressFile, { force: true });
    const plan: Plan = { testFile, ids: tried.map(({ id }) => id), texts: textsOf(tried), checkEvery, progressFile };
    writeFileSync(planFile, JSON.stringify(plan));
    const child = spawn(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', join(import.meta.dirname, 'vitest.config.ts')],
      {
        cwd: root,
        env: { ...process.env, RALLYPOINT_MUTATION: planFile },
        stdio: ['ignore', 'ignore', process.env.RALLYPOINT_MUTATION_OUTPUT === '1' ? 'inherit' : 'ignore'],
        detached: true,
      },
    );
    await ended(child, progressFile);
    return readProgress(progressFile);
  }
}

function isFound(status: Status | undefined): boolean {
  return status === 'killed' || status === 'timed out';
}

/** Resolves when the process is gone, which is ended when it makes no progress. */
async function ended(child: ChildProcess, progressFile: string): Promise<void> {
  let size = 0;
  let changedMs = performance.now();
  const exit = new Promise(resolve => child.once('exit', resolve));
  while (child.exitCode === null && child.signalCode === null) {
    await Promise.race([exit, sleep(250)]);
    const now = existsSync(progressFile) ? readFileSync(progressFile).length : 0;
    if (now !== size) changedMs = performance.now();
    size = now;
    if (performance.now() - changedMs > stuckMs && child.pid !== undefined) {
      // The whole group: vitest and its worker.
      process.kill(-child.pid, 'SIGKILL');
      await exit;
    }
  }
}

function readProgress(progressFile: string) {
  const lines = existsSync(progressFile) ? readFileSync(progressFile, 'utf8').split('\n').filter(Boolean) : [];
  const covered = new Set<number>();
  const ended = new Map<number, string | null>();
  let stuck: number | undefined;
  let stale: readonly number[] = [];
  let failed: string | undefined = lines.length === 0 ? 'it says nothing' : undefined;
  for (const line of lines) {
    const progress: Progress = JSON.parse(line);
    if (progress.type === 'covered') for (const id of progress.ids) covered.add(id);
    else if (progress.type === 'begun') stuck = progress.id;
    else if (progress.type === 'ended') {
      ended.set(progress.id, progress.killedBy);
      stuck = undefined;
    } else if (progress.type === 'stale') stale = progress.ids;
    else failed = progress.tests.join(', ');
  }
  return { covered, ended, stuck, stale, failed };
}
