import { type Call, expectPrincipal, param } from '../http/call.ts';
import type { ApplicationRecord } from '../store/records.ts';
import { RequestError } from '../support/request-error.ts';

/**
 * The caller's application, which must be the one in the path.
 *
 * Our choice: an application that does not exist is answered like somebody else's, so that nobody can probe for ids.
 *
 * @param kinds of credential that the route lets through
 * @throws RequestError `not_your_application`
 */
export function applicationInPath(
  call: Call,
  ...kinds: readonly ('bot' | 'application' | 'user')[]
): ApplicationRecord {
  const { application } = expectPrincipal(call, ...kinds);
  if (param(call, 'application_id') !== application.id) throw new RequestError('not_your_application');
  return application;
}
