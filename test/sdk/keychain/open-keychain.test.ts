import { describe, expect, it } from 'vitest';
import { KeychainError } from '../../../src/model/errors.ts';
import type { Keychain, KeychainTier } from '../../../src/sdk/keychain/keychain.ts';
import { memoryKeychain } from '../../../src/sdk/keychain/memory.ts';
import { type KeychainOpeners, openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';
import { openSystemKeychain } from '../../../src/sdk/keychain/system.ts';
import { silentLogger } from '../../../src/wire/ports.ts';

const fake = (tier: KeychainTier): Keychain => ({ ...memoryKeychain(), tier });
const working: KeychainOpeners = { system: () => fake('system'), memory: memoryKeychain };
const locked: KeychainOpeners = {
  ...working,
  system: async () => {
    throw new KeychainError('keychain_unusable', 'locked');
  },
};
const service = 'Starfall';

describe('openKeychain', () => {
  it('opens the best of the tiers allowed, in whatever order they are listed', async () => {
    expect((await openKeychain({ service, allow: ['memory', 'system'] }, working)).tier).toBe('system');
    expect((await openKeychain({ service, allow: ['memory'] }, working)).tier).toBe('memory');
  });

  it('rejects rather than take a weaker tier that is not listed', async () => {
    await expect(openKeychain({ service, allow: ['system'] }, locked)).rejects.toMatchObject({
      name: 'KeychainError',
      code: 'keychain_unusable',
    });
  });

  it('takes a weaker tier that is listed, and says so', async () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: unknown) => warnings.push(fields) };
    const keychain = await openKeychain({ service, allow: ['system', 'memory'], logger }, locked);
    expect(keychain.tier).toBe('memory');
    expect(warnings).toEqual([{ tier: 'system', code: 'keychain_unusable' }]);
  });

  it('refuses an empty or unknown list, and a service without name', async () => {
    const refused = (allow: readonly string[], name = service) =>
      expect(openKeychain({ service: name, allow: allow as KeychainTier[] }, working)).rejects;
    await refused([]).toMatchObject({ code: 'invalid_tiers' });
    await refused(['memory', 'cloud']).toMatchObject({ code: 'invalid_tiers' });
    await refused(['memory'], '').toMatchObject({ code: 'missing_service' });
  });
});

describe('the memory keychain', () => {
  it('keeps, replaces and deletes by account', async () => {
    const keychain = memoryKeychain();
    expect(await keychain.get('ada')).toBeUndefined();
    await keychain.set('ada', 'one');
    await keychain.set('ada', 'two');
    expect(await keychain.get('ada')).toBe('two');
    expect(await keychain.get('grace')).toBeUndefined();
    expect(await keychain.delete('ada')).toBe(true);
    expect(await keychain.delete('ada')).toBe(false);
  });
});

describe('the system keychain, over a stand-in for keytar', () => {
  const keytarOver = (entries: Map<string, string>) => ({
    getPassword: async (filed: string, account: string) => entries.get(`${filed}/${account}`) ?? null,
    setPassword: async (filed: string, account: string, secret: string) => {
      entries.set(`${filed}/${account}`, secret);
    },
    deletePassword: async (filed: string, account: string) => entries.delete(`${filed}/${account}`),
  });

  it('files entries under the service, and leaves no trial entry behind', async () => {
    const entries = new Map<string, string>();
    const keychain = await openSystemKeychain(service, async () => keytarOver(entries));
    expect(entries.size).toBe(0);
    await keychain.set('ada', 'secret');
    expect([...entries]).toEqual([['Starfall/ada', 'secret']]);
    expect(await keychain.get('ada')).toBe('secret');
    expect(await keychain.delete('ada')).toBe(true);
    expect(await keychain.get('ada')).toBeUndefined();
  });

  it('finds at once that the keychain refuses, or forgets', async () => {
    const refusing = {
      ...keytarOver(new Map()),
      setPassword: async () => {
        throw new Error('Cannot create an item in a locked collection');
      },
    };
    await expect(openSystemKeychain(service, async () => refusing)).rejects.toMatchObject({
      code: 'keychain_unusable',
      message: expect.stringContaining('locked collection'),
    });
    const forgetful = { ...keytarOver(new Map()), getPassword: async () => null };
    await expect(openSystemKeychain(service, async () => forgetful)).rejects.toMatchObject({
      code: 'keychain_unusable',
    });
  });
});
