import { describe, expect, it } from 'vitest';
import { safeStorageEncoding } from '../../../src/sdk/keychain/file-entries.ts';
import type { SafeStorage } from '../../../src/sdk/keychain/keychain.ts';
import { StandInSafeStorage } from '../../support/keychain/keychain-stand-ins.ts';

const refused = (storage: SafeStorage | undefined) => expect(safeStorageEncoding(storage).encode('secret')).rejects;

describe("texts covered by Electron's safeStorage", () => {
  it('are encrypted, and uncovered to what they were', async () => {
    const covering = safeStorageEncoding(new StandInSafeStorage());
    const covered = Buffer.from(await covering.encode('größer ✨'));
    expect(covered.includes('größer')).toBe(false);
    expect(await covering.decode(covered)).toBe('größer ✨');
  });

  it('are covered by the calls that do not block, where Electron has them', async () => {
    const plain = new StandInSafeStorage();
    const modern: SafeStorage = {
      isEncryptionAvailable: () => false,
      encryptString: () => Buffer.from('by the wrong call'),
      decryptString: () => 'by the wrong call',
      isAsyncEncryptionAvailable: async () => true,
      encryptStringAsync: async text => plain.encryptString(text),
      decryptStringAsync: async encrypted => ({
        shouldReEncrypt: false,
        result: plain.decryptString(Buffer.from(encrypted)),
      }),
    };
    const covering = safeStorageEncoding(modern);
    for (const text of ['secret', '']) {
      expect(await covering.decode(Buffer.from(await covering.encode(text)))).toBe(text);
    }
  });

  it("are rejected where Linux has no keychain, by 'basic_text' or 'unknown': everybody knows that key", async () => {
    const storage = new StandInSafeStorage();
    for (const selected of ['basic_text', 'unknown']) {
      storage.selected = selected;
      await refused(storage).toMatchObject({
        code: 'keychain_unprotected',
        message: expect.stringContaining("'encrypted-file'"),
      });
    }
    for (const selected of ['gnome_libsecret', 'kwallet6', undefined]) {
      storage.selected = selected;
      await safeStorageEncoding(storage).encode('secret');
    }
  });

  it('are rejected without safeStorage', async () => {
    await refused(undefined).toMatchObject({ code: 'keychain_missing' });
    const early = new StandInSafeStorage();
    early.isReady = false;
    await refused(early).toMatchObject({ code: 'keychain_unusable', message: expect.stringContaining('ready') });
    const fail = () => {
      throw new Error('no');
    };
    const silent = Object.assign(new StandInSafeStorage(), { isEncryptionAvailable: fail });
    await refused(silent).toMatchObject({ code: 'keychain_unusable' });
    const broken = Object.assign(new StandInSafeStorage(), { encryptString: fail });
    await refused(broken).toMatchObject({ code: 'keychain_unusable' });
  });

  it("are unreadable with another user's key", async () => {
    const covered = await safeStorageEncoding(new StandInSafeStorage()).encode('secret');
    const other = safeStorageEncoding(new StandInSafeStorage());
    await expect(other.decode(Buffer.from(covered.subarray(0, 20)))).rejects.toMatchObject({
      code: 'keychain_unreadable',
    });
  });
});
