import { beforeEach, expect, it } from 'vitest';
import { limitProfiles } from '../../../../../src/model/limits/limit-profiles.ts';
import { createAttemptLimiter } from '../../../../../src/service/auth/attempt-limiter.ts';
import { startDevice } from '../../../../../src/service/features/oauth/device/device-code.ts';
import { decideDevice, findDevice } from '../../../../../src/service/features/oauth/device/device-decision.ts';
import { redeemDevice } from '../../../../../src/service/features/oauth/token/device-grant.ts';
import type { ApplicationRecord } from '../../../../../src/service/store/records.ts';
import { ada, ben, makeWorld, type TestCore } from '../../support.ts';

// Below HTTP, all of these have read the device's record before one of them writes it.
let core: TestCore;
let starfall: ApplicationRecord;
beforeEach(async () => {
  const addresses = { web: 'http://127.0.0.1', api: 'http://127.0.0.1/api', gateway: 'ws://127.0.0.1/gateway' };
  const world = await makeWorld({ limits: limitProfiles.off, addresses });
  ({ core, starfall } = world);
});

const silent = { authorized: async () => {}, deauthorized: async () => () => {} };
const scope = new URLSearchParams({ scope: 'identify' });
const many = Array.from({ length: 20 }, (_, at) => at);

const client = () => ({ application: starfall, proven: true, address: '127.0.0.1' });
const start = () => startDevice(core, client(), scope);

function answer(userCode: string, userId: string, decision: 'approve' | 'deny' = 'approve'): Promise<void> {
  return decideDevice(core, silent, createAttemptLimiter(core, 'oauth-user-code'), { userCode, userId, decision });
}

function poll(device_code: string) {
  const deps = {
    idTokens: { add: async <T>(response: T) => response, sign: async () => '' },
    merges: { prepare: async () => undefined },
  };
  return redeemDevice(core, deps, client(), new URLSearchParams({ device_code }));
}

it('a code becomes tokens once, however many polls find it granted', async () => {
  const { device_code, user_code } = await start();
  await answer(user_code, ada);
  const outcomes = await Promise.allSettled(many.map(() => poll(device_code)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ error: 'invalid_grant' });
  }
  expect(await core.store.list('tokens')).toHaveLength(2);
});

it('all but the first of many concurrent polls have to slow down, each by another interval', async () => {
  const { device_code } = await start();
  const outcomes = await Promise.all(many.map(() => poll(device_code).catch(({ error }) => error)));
  expect(outcomes.filter(error => error === 'authorization_pending')).toHaveLength(1);
  expect(outcomes.filter(error => error === 'slow_down')).toHaveLength(many.length - 1);
  const [record] = await core.store.list('device_codes');
  expect(record?.interval_ms).toBe(many.length * 5000);
});

it('the first of many answers counts', async () => {
  const { user_code } = await start();
  const outcomes = await Promise.allSettled(
    many.map(at => answer(user_code, at % 2 ? ben : ada, at % 3 ? 'approve' : 'deny')),
  );
  const [record] = await core.store.list('device_codes');
  expect(record).toMatchObject({ user_id: ada, state: 'denied' });
  const agreeing = many.filter(at => at % 2 === 0 && at % 3 === 0);
  expect(outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))).toEqual(agreeing);
  expect(await core.store.list('authorizations')).toEqual([]);
});

it('no two devices that wait show one code', async () => {
  const bytes = (count: number) => new Uint8Array(count).fill(turn++ < 6 ? 0 : turn);
  let turn = 0;
  const rigged = { ...core, entropy: { bytes } };
  const begin = () => startDevice(rigged, client(), scope);
  const codes = [(await begin()).user_code, (await begin()).user_code];
  expect(codes[0]).toBe('BBBBBBBB');
  expect(new Set(codes).size).toBe(2);
});

it('an application that is gone asks for nothing any more', async () => {
  const { user_code } = await start();
  await core.store.transact('applications', transaction => transaction.delete('applications', starfall.id));
  const typed = { userCode: user_code, userId: ada };
  expect(await findDevice(core, createAttemptLimiter(core, 'oauth-user-code'), typed)).toBeUndefined();
});
