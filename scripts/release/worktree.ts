import type { Outcome } from './outcome.ts';
import { run } from './run.ts';

/** A release is made of what is committed. A dry run says so and goes on. */
export function checkWorkTree(root: string, isDryRun: boolean): Outcome {
  try {
    const changes = run(root, 'git', 'status', '--porcelain').split('\n').filter(Boolean);
    const detail = `${run(root, 'git', 'rev-parse', '--short', 'HEAD').trim()}, ${changes.length} uncommitted changes`;
    const names = changes.map(change => change.slice(3)).slice(0, 3);
    const sentences =
      names.length > 0 ? [`Commit or stash what is not committed, for instance ${names.join(', ')}.`] : [];
    return isDryRun ? { detail, faults: [], warnings: sentences } : { detail, faults: sentences };
  } catch (error) {
    return { detail: 'no repository', faults: [(error as Error).message] };
  }
}
