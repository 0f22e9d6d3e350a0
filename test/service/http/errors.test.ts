import { expect, it } from 'vitest';
import { BusError } from '../../../src/service/bus/errors.ts';
import { errorReply, withChallenge } from '../../../src/service/http/errors.ts';
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

it('a 401 says how to identify oneself, and whether the token was wrong, unless it does already', () => {
  const challenge = (reply: Parameters<typeof withChallenge>[0], authorization?: string) =>
    withChallenge(reply, authorization).headers?.['www-authenticate'];
  const unauthorized = errorReply(new RequestError('unauthorized'));
  expect(challenge(unauthorized)).toBe('Bearer');
  expect(challenge(unauthorized, 'Bearer of-nobody')).toBe('Bearer error="invalid_token"');
  expect(challenge({ status: 401, headers: { 'www-authenticate': 'Basic' } }, 'Basic x')).toBe('Basic');
  expect(challenge(errorReply(new RequestError('missing_scope')), 'Bearer x')).toBeUndefined();
});
