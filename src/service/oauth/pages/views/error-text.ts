import { type ApiErrorName, apiErrors } from '../../../../model/errors/errors.ts';
import { StoreError } from '../../../store/errors.ts';
import { Fault } from '../../../support/fault.ts';
import { AuthorizationPageFault } from '../../authorize/authorization-request.ts';
import { OutdatedForm } from '../visitor.ts';
import type { ErrorWords, PageWords } from '../words/words.ts';
import type { ErrorText } from './error-page.ts';
import { minutesOf } from './page.ts';

/** What a person is told of an error; anything unforeseen is a 500 and told to nobody but the log. */
export function errorText({ errors }: PageWords, error: unknown): ErrorText {
  const failed = { heading: errors.failed, advice: errors.nothingChanged };
  if (error instanceof AuthorizationPageFault) {
    // The message is for the game's developer, who looks for it in this wording.
    const { message, parameter } = error;
    return {
      status: apiErrors[error.reason].status,
      heading: errors.link.heading,
      message,
      advice: errors.link[parameter],
    };
  }
  if (error instanceof OutdatedForm) return { status: 403, ...errors.outdated, advice: errors.nothingChanged };
  if (error instanceof Fault) {
    const { status } = apiErrors[error.reason];
    const retryAfterSeconds = error.reason === 'rate_limited' ? Number(error.extra.retry_after) : undefined;
    if (retryAfterSeconds === undefined) return { status, ...failed, message: messageOf(errors, error) };
    return { status, ...failed, message: errors.tooMany(minutesOf(retryAfterSeconds)), retryAfterSeconds };
  }
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, ...failed, message: errors.unreadable };
  }
  return { status: error instanceof StoreError ? apiErrors.overloaded.status : 500, ...errors.broken };
}

/** Faults that a person can cause have words; the others say what they say to programs. */
function messageOf(errors: ErrorWords, { reason, message }: Fault): string {
  const words: Partial<Record<ApiErrorName, string>> = {
    unknown_user: errors.unknownUser,
    unknown_guild: errors.unknownGuild,
    missing_permissions: errors.missingPermissions,
  };
  return words[reason] ?? message;
}
