import type { ApiErrorName } from '../../model/errors/errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { apiMessages } from './api-messages.ts';

/** Thrown to reject a request. The HTTP server turns it into the interface's error body. */
export class RequestError extends Error {
  readonly reason: ApiErrorName;
  readonly issues: readonly Issue[];
  /** Further keys of the body, and a text that replaces the usual message. */
  readonly extra: { readonly message?: string; readonly [key: string]: unknown };
  /** The value of `WWW-Authenticate` for a 401; absent: that of `Bearer`. */
  readonly challenge: string | undefined;

  constructor(
    reason: ApiErrorName,
    extra: RequestError['extra'] = {},
    { issues = [], challenge }: { readonly issues?: readonly Issue[]; readonly challenge?: string } = {},
  ) {
    super(extra.message ?? apiMessages[reason]);
    this.name = 'RequestError';
    this.reason = reason;
    this.extra = extra;
    this.issues = issues;
    this.challenge = challenge;
  }
}

/** The rejection of a body with these issues. */
export function invalidBody(issues: readonly Issue[]): RequestError {
  return new RequestError('invalid_form_body', {}, { issues });
}

/** Throws `invalid_form_body` if there are issues. */
export function rejectIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalidBody(issues);
}
