import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formToken, isFormToken } from '../../../../../src/service/features/oauth/sign-in/sign-in.ts';
import { hashSecret, isSameSecret, matchesSecret } from '../../../../../src/service/support/secret.ts';
import { game, openService, secret, type TestService } from '../support.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

describe('the time that a comparison takes', () => {
  // Asked of the code, not measured: a measurement on a busy machine proves nothing.
  it.each<[string, (wrong: boolean) => boolean]>([
    ['matchesSecret', wrong => matchesSecret(wrong ? 'other' : secret, hashSecret(secret))],
    ['isFormToken', wrong => isFormToken('cookie', wrong ? 'x'.repeat(43) : formToken('cookie'))],
    ['isSameSecret', wrong => isSameSecret('abc', wrong ? 'abd' : 'abc')],
  ])('%s judges right and wrong', (_, compare) => {
    expect([compare(false), compare(true)]).toEqual([true, false]);
  });

  it('is checked by one function for secrets, which alone calls for constant time beside the one for passwords', () => {
    const callers = globSync('src/service/**/*.ts').filter(file =>
      readFileSync(file, 'utf8').includes('timingSafeEqual'),
    );
    expect(callers.sort()).toEqual(['src/service/features/oauth/sign-in/password.ts', 'src/service/support/secret.ts']);
  });

  it('nowhere depends on where a secret differs: none is compared by ===', () => {
    const operand = String.raw`[\w.?]*(?:[sS]ecret|[vV]erifier|[cC]hallenge(?!Method)|[pP]assword)\w*(?:\([^()]*\))?`;
    const comparison = new RegExp(
      String.raw`(${operand}\s*[!=]==(?!\s*(?:undefined|null|'))|[!=]==\s*${operand}[\s;),])`,
    );
    const found = globSync('src/service/{oauth,control,http,domain}/**/*.ts').flatMap(file =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => comparison.test(line))
        .map(line => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
    expect(comparison.test('if (codeChallengeOf(verifier) !== code_challenge) throw')).toBe(true);
  });

  it('reveals nothing about stored values: codes and tokens are found by their hash', async () => {
    const { access_token, refresh_token } = await service.signIn();
    const code = await service.code();
    const { deviceCode, userCode } = await service.startDevice();
    const kept = JSON.stringify(await service.content());
    for (const secretText of [access_token, refresh_token, code, deviceCode, userCode, secret, game.bot_token]) {
      expect(kept).not.toContain(secretText);
    }
  });
});
