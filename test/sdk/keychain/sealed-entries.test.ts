import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seal, unseal } from '../../../src/sdk/keychain/sealed-entries.ts';

const unreadable = expect.objectContaining({ name: 'KeychainError', code: 'keychain_unreadable' });

describe('an encrypted text', () => {
  it('is decrypted to the original', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, owner) => {
        expect(unseal(seal(text, owner), owner)).toBe(text);
      }),
    );
  });

  it('has a new key each time', () => {
    const [one, two] = [seal('secret', 'ada'), seal('secret', 'ada')];
    expect(one.key).not.toBe(two.key);
    expect(() => unseal({ key: two.key, content: one.content }, 'ada')).toThrow(unreadable);
  });

  it('is not decrypted for another entry', () => {
    const { key, content } = seal('secret', 'ada');
    expect(() => unseal({ key, content }, 'grace')).toThrow(unreadable);
    expect(() => unseal({ key: key.slice(0, -2), content }, 'ada')).toThrow(unreadable);
    for (let length = 0; length < content.length; length++) {
      expect(() => unseal({ key, content: content.subarray(0, length) }, 'ada')).toThrow(unreadable);
    }
  });

  it('is not decrypted when any bit was changed', () => {
    const { key, content } = seal('secret', 'ada');
    for (let bit = 0; bit < content.length * 8; bit++) {
      const changed = Buffer.from(content);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => unseal({ key, content: changed }, 'ada')).toThrow(unreadable);
    }
  });
});
