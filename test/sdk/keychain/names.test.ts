import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAccount, digest, filedAccount, keychainLimits } from '../../../src/sdk/keychain/names.ts';

const account = fc
  .string({ unit: 'binary', minLength: 1, maxLength: keychainLimits.nameMax })
  .filter(name => name.length <= keychainLimits.nameMax && !/\p{Cc}/u.test(name));

describe('an account, as the system gets it', () => {
  it('is unchanged when it is plain, and becomes a digest otherwise', () => {
    for (const plain of ['ada', '123456789012345678', 'user-1_a', 'x'.repeat(64)])
      expect(filedAccount(plain)).toBe(plain);
  });

  it('has none of the letters that Windows or the libraries take for something else, and no two meet by case', () => {
    fc.assert(
      fc.property(account, account, (one, other) => {
        checkAccount(one);
        expect(filedAccount(one)).toMatch(/^~?[a-z0-9_-]{1,64}$/);
        if (one !== other) expect(filedAccount(one).toLowerCase()).not.toBe(filedAccount(other).toLowerCase());
      }),
    );
    expect(
      new Set(['a', 'A', 'x'.repeat(65), 'X'.repeat(65), 'a/b', 'a.b', `~${digest('A')}`].map(filedAccount)).size,
    ).toBe(7);
  });

  it('gives files a name without separators, dots or case', () => {
    fc.assert(
      fc.property(account, name => {
        expect(digest(name)).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });
});
