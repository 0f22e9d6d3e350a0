import { expect, it } from 'vitest';
import { FailureLog } from '../../../src/service/http/failure-log.ts';
import { StoreError } from '../../../src/service/store/errors.ts';
import { RequestError } from '../../../src/service/support/request-error.ts';
import type { Logger } from '../../../src/wire/clock/ports.ts';

function logged() {
  const lines: object[] = [];
  const write = (fields: object) => void lines.push(fields);
  const log: Logger = { debug: write, info: write, warn: write, error: write };
  return { lines, failures: new FailureLog(log) };
}

it('a kind of failure of the store is logged once in a second, every other error each time', () => {
  const { lines, failures } = logged();
  const failed = new StoreError('store_failed', 'The store failed.', { cause: { code: '22021' } });
  for (let n = 0; n < 5; n++) failures.report(failed, { n });
  expect(lines).toEqual([{ n: 0, error: failed }]);
  const full = new StoreError('store_full', 'The disk is full.');
  const defect = new TypeError('x is not a function');
  for (const error of [full, full, defect, defect]) failures.report(error, {});
  expect(lines.slice(1)).toEqual([{ error: full }, { error: defect }, { error: defect }]);
});

it('an error that the answer tells its caller is not logged', () => {
  const { lines, failures } = logged();
  failures.report(new RequestError('unknown_message'), {});
  expect(lines).toEqual([]);
});
