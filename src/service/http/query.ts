import { type FieldErrorCode, fieldErrors } from '../../model/errors/field-errors.ts';
import type { Issue } from '../../model/errors/issue.ts';
import { isSnowflake, type Snowflake } from '../../model/snowflake.ts';
import { invalidBody, RequestError, rejectIssues } from '../support/request-error.ts';
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
 * Reads several parameters of a query, so that everything that is wrong with them is reported together.
 *
 * @throws RequestError `invalid_form_body`
 */
export function readTogether<Values extends readonly unknown[]>(
  ...reads: { readonly [Place in keyof Values]: () => Values[Place] }
): Values {
  const issues: Issue[] = [];
  const values = reads.map(read => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      issues.push(...error.issues);
      return undefined;
    }
  });
  rejectIssues(issues);
  return values as unknown as Values;
}

/**
 * A boolean in the query, false when absent.
 *
 * @throws RequestError `invalid_form_body` on any other or repeated value
 * @see docs/spec/http.md#bodies-and-queries
 */
export function readFlag({ query }: Pick<Call, 'query'>, name: string): boolean {
  const value = query[name];
  if (value === undefined) return false;
  const flag = flags.get(value);
  if (flag !== undefined) return flag;
  throw wrong(name, 'BOOLEAN_TYPE_CONVERT', fieldErrors.BOOLEAN_TYPE_CONVERT());
}

/**
 * A whole number in the query from `min` to `max`.
 *
 * @throws RequestError `invalid_form_body` on anything else
 */
export function readCount(
  { query }: Pick<Call, 'query'>,
  name: string,
  { min, max, absent }: { readonly min: number; readonly max: number; readonly absent: number },
): number {
  const value = query[name];
  if (value === undefined) return absent;
  if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value)) {
    throw wrong(name, 'NUMBER_TYPE_COERCE', fieldErrors.NUMBER_TYPE_COERCE(value, 'int'));
  }
  const count = Number(value);
  if (count < min) throw wrong(name, 'NUMBER_TYPE_MIN', fieldErrors.NUMBER_TYPE_MIN(min));
  if (count > max) throw wrong(name, 'NUMBER_TYPE_MAX', fieldErrors.NUMBER_TYPE_MAX(max));
  return count;
}

/**
 * An id in the query, undefined when absent.
 *
 * @throws RequestError `invalid_form_body` on anything else
 */
export function readQueryId<Resource extends string>(
  { query }: Pick<Call, 'query'>,
  name: string,
): Snowflake<Resource> | undefined {
  const value = query[name];
  if (value === undefined || isSnowflake<Resource>(value)) return value;
  throw wrong(name, 'NUMBER_TYPE_COERCE', fieldErrors.NUMBER_TYPE_COERCE(value, 'snowflake'));
}

/**
 * Ids in the query, repeated or separated by commas; none when absent.
 *
 * @throws RequestError `invalid_form_body` if one is not an id, or there are more than `max`
 */
export function readQueryIds({ query }: Pick<Call, 'query'>, name: string, max: number): readonly Snowflake[] {
  const ids = [query[name] ?? []].flat().flatMap(text => text.split(','));
  if (ids.length > max) throw wrong(name, 'BASE_TYPE_MAX_LENGTH', fieldErrors.BASE_TYPE_MAX_LENGTH(max));
  const strange = ids.find(id => !isSnowflake(id));
  if (strange !== undefined)
    throw wrong(name, 'NUMBER_TYPE_COERCE', fieldErrors.NUMBER_TYPE_COERCE(strange, 'snowflake'));
  return ids as Snowflake[];
}

/**
 * A required text in the query.
 *
 * @throws RequestError `invalid_form_body` when it is missing, empty or repeated
 */
export function readQueryText({ query }: Pick<Call, 'query'>, name: string): string {
  const value = query[name];
  if (typeof value === 'string' && value !== '') return value;
  throw wrong(name, 'BASE_TYPE_REQUIRED', fieldErrors.BASE_TYPE_REQUIRED());
}

function wrong(name: string, code: FieldErrorCode, message: string): RequestError {
  return invalidBody([{ path: [name], code, message }]);
}
