import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest';

/** Vitest's runner that runs the tests which reach a mutant, until one fails. */
export default class MutationRunner extends TestRunner {
  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const state = globalThis.mutation$;
    if (state !== undefined) {
      if (state.failed !== undefined || state.only?.has(test.id) === false) test.mode = 'skip';
      state.phaseEnded('outside');
    }
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    globalThis.mutation$?.phaseEnded(test.id);
    noteFailure(test);
    super.onAfterRunTask(test);
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    globalThis.mutation$?.phaseEnded('outside');
    for (const file of files) noteFailures(file);
    super.onAfterRunFiles(files);
  }
}

/** A file fails without a test when it cannot be loaded, a suite when one of its hooks fails. */
function noteFailures(task: RunnerTask): void {
  noteFailure(task);
  if ('tasks' in task) for (const inner of task.tasks) noteFailures(inner);
}

function noteFailure(task: RunnerTask): void {
  const state = globalThis.mutation$;
  if (state === undefined || task.result?.state !== 'fail') return;
  state.failed ??= task.name;
}
