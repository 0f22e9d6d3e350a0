import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemEntropy } from '../../../src/wire/clock/ports.ts';
import { codeChallengeOf, createCodeVerifier } from '../../../src/wire/oauth/pkce.ts';
import { isCodeChallenge, isCodeVerifier } from '../../../src/wire/oauth/pkce-form.ts';

const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
const anyVerifier = fc.string({ unit: fc.constantFrom(...unreserved), minLength: 43, maxLength: 128 });

describe('code verifier', () => {
  it.each([
    [42, false],
    [43, true],
    [44, true],
    [127, true],
    [128, true],
    [129, false],
  ])('of %i characters is accepted: %s', (length, accepted) => {
    expect(isCodeVerifier('a'.repeat(length))).toBe(accepted);
  });

  it.each([' ', '+', '/', '=', '%', 'é', '\n', '\0'])('never contains %j', character => {
    expect(isCodeVerifier('a'.repeat(43) + character)).toBe(false);
    expect(isCodeVerifier(character + 'a'.repeat(43))).toBe(false);
  });

  it('may use every unreserved character', () => {
    expect(isCodeVerifier(unreserved)).toBe(true);
  });

  it('made here is well-formed and different each time', () => {
    const made = Array.from({ length: 100 }, () => createCodeVerifier(systemEntropy));
    expect(made.every(isCodeVerifier)).toBe(true);
    expect(new Set(made).size).toBe(100);
  });
});

describe('code challenge', () => {
  it('of the verifier in RFC 7636, appendix B, is the one printed there', () => {
    expect(codeChallengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });

  it('of any verifier is well-formed', () => {
    fc.assert(fc.property(anyVerifier, verifier => isCodeChallenge(codeChallengeOf(verifier))));
  });

  it.each([
    ['a character less', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c'],
    ['a character more', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMM'],
    ['padding', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM='],
    ['plain base64', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM'],
  ])('with %s is none', (_, text) => {
    expect(isCodeChallenge(text)).toBe(false);
  });
});
