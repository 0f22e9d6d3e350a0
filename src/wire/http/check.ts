import { ValidationError } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';

/** @throws ValidationError when there are issues; nothing has been sent then */
export function rejectIssues(what: string, issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ValidationError(what, issues);
}
