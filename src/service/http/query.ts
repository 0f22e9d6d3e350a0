import { fieldErrors } from '../../model/issue.ts';
import { Fault } from '../fault.ts';
import type { Call } from './call.ts';

const flags: ReadonlyMap<unknown, boolean> = new Map([
  ['True', true],
  ['true', true],
  ['1', true],
  ['False', false],
  ['false', false],
  ['0', false],
]);

/**
 * A boolean in the query, false when absent.
 *
 * @throws Fault `invalid_form_body` on any other word, also on a repeated one
 * @see commands.md 6
 */
export function readFlag({ query }: Pick<Call, 'query'>, name: string): boolean {
  const value = query[name];
  if (value === undefined) return false;
  const flag = flags.get(value);
  if (flag !== undefined) return flag;
  const message = fieldErrors.BOOLEAN_TYPE_CONVERT();
  throw new Fault('invalid_form_body', {}, [{ path: [name], code: 'BOOLEAN_TYPE_CONVERT', message }]);
}
