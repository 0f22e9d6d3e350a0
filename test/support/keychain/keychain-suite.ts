import { describe, expect, it } from 'vitest';
import { type KeychainBackend, keychainBackends, type OpenedKeychain } from '../../../src/sdk/keychain/keychain.ts';
import { keychainLimits } from '../../../src/sdk/keychain/names.ts';
import type { Needs } from '../runs/parts.ts';

export interface KeychainUnderTest {
  readonly backend: KeychainBackend;
  /** Opens what was opened before, as another start of the game would; memory begins empty. */
  open(service?: string): Promise<OpenedKeychain>;
}

/** The largest secret that goes into the system's keychain as it is, and one that does not. */
const largestPlain = 'x'.repeat(1280);
const large = `${'größer ✨ '.repeat(2000)}end`;

/** What every backend keeps. Each test has accounts of its own. */
export function keychainSuite(name: string, underTest: () => KeychainUnderTest, { missing, note }: Needs): void {
  describe.skipIf(missing)(`${name}: the keychain contract${note}`, () => {
    const open = (service?: string) => underTest().open(service);

    it('says which backend and which tier it is', async () => {
      const { backend } = underTest();
      expect(await open()).toMatchObject({ backend, tier: keychainBackends[backend] });
    });

    it('keeps, replaces and deletes by account', async () => {
      const keychain = await open();
      expect(await keychain.get('ada')).toBeUndefined();
      expect(await keychain.locate('ada')).toBeUndefined();
      await keychain.set('ada', 'one');
      await keychain.set('ada', 'two');
      expect(await keychain.get('ada')).toBe('two');
      expect(await keychain.locate('ada')).toEqual({ backend: keychain.backend, tier: keychain.tier });
      expect(await keychain.get('grace')).toBeUndefined();
      expect([await keychain.delete('ada'), await keychain.delete('ada')]).toEqual([true, false]);
      expect(await keychain.get('ada')).toBeUndefined();
    });

    it('gives back every text as it was given, with any length from one and any letters', async () => {
      const keychain = await open();
      const secrets = ['\0', 'a\0b', 'rallypoint-sealed:1:', '"\\\n\r\t', '\u{10FFFF}e\u0301é', 'a'];
      for (const secret of [...secrets, largestPlain, `${largestPlain}x`, large]) {
        await keychain.set('texts', secret);
        expect(await keychain.get('texts')).toBe(secret);
      }
      await keychain.set('texts', 'short again');
      expect(await keychain.get('texts')).toBe('short again');
      expect(await keychain.delete('texts')).toBe(true);
    });

    it('takes a secret at the bound, and rejects one that is empty, beyond it or of broken letters', async () => {
      const keychain = await open();
      const { secretBytesMax } = keychainLimits;
      const secret = 'x'.repeat(secretBytesMax);
      await keychain.set('bounds', secret);
      for (const refused of ['', `${secret}x`, `${'é'.repeat(secretBytesMax / 2)}x`, '\uD800', 'a\uDC00b']) {
        await expect(keychain.set('bounds', refused)).rejects.toMatchObject({ code: 'invalid_secret' });
      }
      expect((await keychain.get('bounds')) === secret).toBe(true);
      await keychain.delete('bounds');
    });

    it('holds accounts apart that differ in anything, case and composition too', async () => {
      const keychain = await open();
      const accounts = ['é', 'e\u0301', 'A', 'a', 'a ', '../a', '..', '/', 'a/b', 'a.b', 'CON', 'a\\b', '%2e', '名前'];
      for (const account of accounts) await keychain.set(account, `secret of ${account}`);
      for (const account of accounts) expect(await keychain.get(account)).toBe(`secret of ${account}`);
      for (const account of accounts) expect(await keychain.delete(account)).toBe(true);
    });

    it(`takes accounts of 1 to ${keychainLimits.nameMax} characters without control characters`, async () => {
      const keychain = await open();
      const longest = '✨'.repeat(keychainLimits.nameMax);
      await keychain.set(longest, 'kept');
      expect(await keychain.delete(longest)).toBe(true);
      for (const account of ['', `${longest}x`, 'a\0b', 'a\nb', '\u0085', '\uD800', undefined as unknown as string]) {
        const refused = { code: 'invalid_account' };
        await expect(keychain.get(account)).rejects.toMatchObject(refused);
        await expect(keychain.set(account, 'x')).rejects.toMatchObject(refused);
        await expect(keychain.delete(account)).rejects.toMatchObject(refused);
        await expect(keychain.locate(account)).rejects.toMatchObject(refused);
        await expect(keychain.move(account)).rejects.toMatchObject(refused);
      }
    });

    it('leaves one whole secret of many that are set concurrently', async () => {
      const keychain = await open();
      const secrets = Array.from({ length: 8 }, (_, n) => `${n}${'x'.repeat(n % 2 === 0 ? 10 : 5000)}`);
      await Promise.all(secrets.map(secret => keychain.set('race', secret)));
      expect(secrets).toContain(await keychain.get('race'));
      await keychain.delete('race');
    });

    it('moves an entry to itself by leaving it, and says so when there is none', async () => {
      const keychain = await open();
      expect(await keychain.move('mover')).toBe(false);
      await keychain.set('mover', large);
      expect([await keychain.move('mover'), await keychain.move('mover', keychain.backend)]).toEqual([true, true]);
      expect(await keychain.get('mover')).toBe(large);
      await expect(keychain.move('mover', 'cloud' as KeychainBackend)).rejects.toMatchObject({
        code: 'invalid_backend',
      });
      await keychain.delete('mover');
    });

    it('keeps secrets over two openings, of each service by itself, unless it is memory', async () => {
      const first = await open();
      if (first.backend === 'memory') return expect(await (await open()).get('kept')).toBeUndefined();
      await first.set('kept', large);
      await first.set('short', 'secret');
      const second = await open();
      expect(await second.get('kept')).toBe(large);
      expect(await second.get('short')).toBe('secret');
      expect(await (await open('Another game')).get('kept')).toBeUndefined();
      expect([await second.delete('kept'), await second.delete('short')]).toEqual([true, true]);
      expect(await first.get('kept')).toBeUndefined();
    });
  });
}
