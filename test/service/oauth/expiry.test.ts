import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../../src/model/limits.ts';
import { sweepExpired } from '../../../src/service/oauth/expiry.ts';
import { signInLifeMs } from '../../../src/service/oauth/sign-in.ts';
import { ada, openService, type TestService } from './support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

async function counts() {
  const { codes, tokens, sign_ins } = await service.store.dump();
  return { codes: codes.length, tokens: tokens.length, sign_ins: sign_ins.length };
}

it('clears away what has expired and keeps what has not, to the millisecond', async () => {
  await service.signIn();
  await service.authorization.signIns.open(ada.id);
  expect(await counts()).toEqual({ codes: 1, tokens: 2, sign_ins: 1 });

  const steps = [
    { at: limits.authorizationCodeLifeMs, left: { codes: 0, tokens: 2, sign_ins: 1 } },
    { at: signInLifeMs, left: { codes: 0, tokens: 2, sign_ins: 0 } },
    { at: limits.accessTokenLifeMs, left: { codes: 0, tokens: 1, sign_ins: 0 } },
  ];
  let passedMs = 0;
  for (const { at, left } of steps) {
    await service.clock.advance(at - 1 - passedMs);
    const before = await counts();
    await sweepExpired(service.core);
    expect(await counts()).toEqual(before);
    await service.clock.advance(1);
    await sweepExpired(service.core);
    expect(await counts()).toEqual(left);
    passedMs = at;
  }
});

it('clears away any number of records, in bounded units of work', async () => {
  const expires_at_ms = service.clock.now();
  await service.store.transact('test', transaction => {
    for (let index = 0; index < 1201; index++) {
      transaction.put('sign_ins', { hash: String(index), user_id: ada.id, expires_at_ms });
    }
  });
  await sweepExpired(service.core);
  expect((await counts()).sign_ins).toBe(0);
});

it('happens by itself from start to stop', async () => {
  const stop = service.authorization.start();
  await service.code();
  await service.clock.advance(3_600_000);
  expect((await counts()).codes).toBe(0);
  stop();
  await service.code();
  await service.clock.advance(3_600_000);
  expect((await counts()).codes).toBe(1);
});
