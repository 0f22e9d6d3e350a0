import { apiErrors } from '../../model/errors.ts';
import { issuesToTree } from '../../model/issue.ts';
import { Fault } from '../fault.ts';
import type { Reply } from './call.ts';
import type { LimitRefusal } from './limiter.ts';

/** The interface's error body for a refused request. @see commands.md 4.1 */
export function faultReply(fault: Fault): Reply {
  const { code, status, message } = apiErrors[fault.reason];
  const errors = fault.issues.length > 0 ? { errors: issuesToTree(fault.issues) } : {};
  return { status, body: { message, code, ...fault.extra, ...errors } };
}

/** The body of a 429. @see commands.md 5.2 */
export function limitReply({ global, retryAfterSeconds }: LimitRefusal): Reply {
  return { status: 429, body: { message: 'You are being rate limited.', retry_after: retryAfterSeconds, global } };
}

/** What an error thrown on the way to an answer becomes; anything unforeseen is a 500 and told to nobody but the log. */
export function errorReply(error: unknown): Reply {
  if (error instanceof Fault) return faultReply(error);
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return faultReply(new Fault('request_too_large'));
  return faultReply(new Fault('internal_error'));
}

/** Whether {@link errorReply} hides the error behind a 500. */
export function isUnforeseen(error: unknown): boolean {
  return errorReply(error).status >= 500;
}
