import { formatPath, type Issue } from '../../../src/model/errors/issue.ts';

/** `options.0.name STRING_TYPE_REGEX` lines, for comparing what a check found. */
export function faults(issues: readonly Issue[]): string[] {
  return issues.map(({ path, code }) => `${formatPath(path)} ${code}`);
}
