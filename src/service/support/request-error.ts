import type { ApiErrorName } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { apiMessages } from './api-messages.ts';

/** A request the service refuses. The HTTP door turns it into the interface's error body. */
export class RequestError extends Error {
  readonly reason: ApiErrorName;
  readonly issues: readonly Issue[];
  /** More keys for the body, and text that replaces the catalogue's message. */
  readonly extra: { readonly message?: string; readonly [key: string]: unknown };

  constructor(reason: ApiErrorName, extra: RequestError['extra'] = {}, issues: readonly Issue[] = []) {
    super(extra.message ?? apiMessages[reason]);
    this.name = 'RequestError';
    this.reason = reason;
    this.extra = extra;
    this.issues = issues;
  }
}

/** Throws what the issues make: `invalid_form_body`, or nothing when there are none. */
export function rejectIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new RequestError('invalid_form_body', {}, issues);
}
