import { rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { endLeftPrograms, markPrograms } from './left-programs.ts';

const reasonInTitle = /\(skipped: (.*)\)$/;
const noReason = 'no reason in its title';

/**
 * Ends a run with the tests that passed only when they were tried again, and a table of those that were skipped and why. The reason is
 * at the end of the title of the test or of a suite around it (see {@link needs}); a test that gives none fails the run. Programs that
 * tests have left running are ended.
 */
export class RunsReporter implements Reporter {
  constructor() {
    markPrograms();
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    reportRetries(modules);
    const isExplained = reportSkips(modules);
    listFailures(modules, isExplained && errors.length === 0);
    endLeftPrograms();
  }
}

/** Leaves the names of the failed files for scripts/run.mjs, if nothing else failed. */
function listFailures(modules: readonly TestModule[], isAll: boolean): void {
  const { RALLYPOINT_FAILED_FILES: path } = process.env;
  if (path === undefined) return;
  if (isAll) writeFileSync(path, JSON.stringify([...new Set(modules.filter(module => !module.ok()).map(fileOf))]));
  else rmSync(path, { force: true });
}

function reportRetries(modules: readonly TestModule[]): void {
  const retried = modules
    .flatMap(module => [...module.children.allTests('passed')])
    .filter(test => (test.diagnostic()?.retryCount ?? 0) > 0);
  if (retried.length === 0) return;
  const lines = retried.map(({ module, fullName }) => `  ${fileOf(module)}: ${fullName}`);
  console.log(`\nPassed only when tried again:\n${lines.join('\n')}\n`);
}

/** @returns whether every skipped test gives a reason */
function reportSkips(modules: readonly TestModule[]): boolean {
  const skipped = modules.flatMap(module => [...module.children.allTests('skipped')]).filter(isOwnDecision);
  if (skipped.length === 0) return true;
  const byReason = Map.groupBy(skipped, reasonOf);
  const lines = [...byReason].map(([reason, tests]) => {
    const files = new Set(tests.map(({ module }) => fileOf(module)));
    return `${String(tests.length).padStart(6)}  ${reason}\n        in ${[...files].sort().join(', ')}`;
  });
  console.log(`\nSkipped, and why:\n${lines.join('\n')}\n`);
  const unexplained = byReason.get(noReason) ?? [];
  if (unexplained.length === 0) return true;
  console.error(`These give no reason: ${unexplained.map(({ fullName }) => fullName).join('; ')}`);
  process.exitCode = 1;
  return false;
}

function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

/** Not because a name was asked for (`-t`), and not because the suite around it failed. */
function isOwnDecision({ project, parent }: TestCase): boolean {
  return project.config.testNamePattern === undefined && parent.errors().length === 0;
}

function reasonOf(test: TestCase): string {
  let node: TestCase | TestCase['parent'] = test;
  while (node.type !== 'module') {
    const reason = reasonInTitle.exec(node.name)?.[1];
    if (reason !== undefined) return reason;
    node = node.parent;
  }
  return noReason;
}
