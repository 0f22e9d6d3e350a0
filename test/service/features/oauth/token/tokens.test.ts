import { expect, it } from 'vitest';
import { limits } from '../../../../../src/model/limits/limits.ts';
import type { Core } from '../../../../../src/service/core.ts';
import { issueAccess } from '../../../../../src/service/features/oauth/token/tokens.ts';
import { openMemoryStore } from '../../../../../src/service/store/memory/store.ts';
import { systemEntropy } from '../../../../../src/wire/clock/ports.ts';

it('an access token that is issued while the clock moves is answered with its whole life', async () => {
  const store = openMemoryStore({ sink: () => {} });
  let nowMs = 1_700_000_000_000;
  const clock = { now: () => nowMs++, schedule: () => () => {} };
  const core = { clock, entropy: systemEntropy, ids: { next: () => '7' } } as unknown as Core;
  const authorization = { id: '1', application_id: '2', user_id: '3', scopes: ['identify'] };
  const issue = (endsAtMs?: number) =>
    store.transact('x', transaction =>
      issueAccess(core, transaction, { authorization, grantId: 'g', scopes: ['identify'] }, endsAtMs),
    );
  expect((await issue()).expires_in).toBe(limits.accessTokenLifeMs / 1000);
  expect((await issue(nowMs + 60_000)).expires_in).toBe(60);
  expect((await issue(nowMs + 59_999)).expires_in).toBe(59);
  expect((await issue(nowMs - 1)).expires_in).toBe(0);
  await store.close();
});
