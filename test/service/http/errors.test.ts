import { expect, it } from 'vitest';
import { BusError } from '../../../src/service/bus/errors.ts';
import { errorReply } from '../../../src/service/http/errors.ts';
import { StoreError } from '../../../src/service/store/errors.ts';
import { RequestError } from '../../../src/service/support/request-error.ts';

it.each([
  ['a full store', new StoreError('store_full', 'No space is left.')],
  ['an unavailable bus', new BusError('bus_unavailable', 'Redis does not answer.')],
  ['too many open files', Object.assign(new Error('too many open files'), { code: 'EMFILE' })],
  ['a part that could not be loaded', new RequestError('unavailable')],
])('%s is answered 503 with the seconds to wait', (_, error) => {
  expect(errorReply(error)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
});

it('any other error without a limit has no time to wait', () => {
  expect(errorReply(new RequestError('not_found')).headers).toBeUndefined();
  expect(errorReply(new Error('unforeseen'))).toMatchObject({ status: 500 });
  expect(errorReply(new Error('unforeseen')).headers).toBeUndefined();
});

it.each(['unauthorized', 'invalid_access_token', 'invalid_webhook_token'] as const)(
  '%s is answered 401 with a challenge (RFC 9110, section 11.6.1)',
  reason => {
    expect(errorReply(new RequestError(reason))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="rallypoint"' },
    });
  },
);

it('missing_scope is answered 403 with a challenge, wherever it is found (RFC 6750, section 3.1)', () => {
  expect(errorReply(new RequestError('missing_scope'))).toMatchObject({
    status: 403,
    headers: { 'www-authenticate': 'Bearer realm="rallypoint", error="insufficient_scope"' },
  });
});
