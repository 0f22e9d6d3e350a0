import { expect, it } from 'vitest';
import { readTokens } from '../../../src/sdk/auth/token-set.ts';

it.each([1e18, 1e306])('expires at a time that a Date can hold, also for a life of %d seconds', expires_in => {
  const { expiresAtMs } = readTokens({ access_token: 'a', expires_in }, 1_000);
  expect(new Date(expiresAtMs).getTime()).toBe(expiresAtMs);
});
