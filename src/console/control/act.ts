import { type ErrorTree, treeToIssues } from '../../model/errors/issue.ts';
import type { CallAnswer, CallBody } from '../../wire/control/act.ts';
import { control } from './client.ts';
import { ControlError, errorOf } from './errors.ts';

/**
 * Makes a call of the API as somebody: `POST /control/call`.
 *
 * @throws {@link ControlError} also when the call itself was answered with an error: then with its status, its message, and what was wrong
 *   with which part of the body
 */
export async function act(call: CallBody): Promise<CallAnswer> {
  const answer = await control.post<CallAnswer>('/call', call);
  if (answer.status < 400) return answer;
  const { errors } = (answer.body ?? {}) as { readonly errors?: ErrorTree };
  const { message } = errorOf(answer.status, answer.body);
  throw new ControlError(answer.status, message, treeToIssues(errors));
}
