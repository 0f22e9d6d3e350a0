import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeychainOptions, KeychainTier } from '../../../src/sdk/keychain/keychain.ts';
import { digest } from '../../../src/sdk/keychain/names.ts';
import { openBestKeychain } from '../../../src/sdk/keychain/open-best-keychain.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { keytarOver, librariesOver, noLibraries } from '../../support/keychain/keychain-stand-ins.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

const large = 'secret'.repeat(1000);
const everyLasting: readonly KeychainTier[] = ['system', 'encrypted-file'];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let kept: Map<string, string>;
let told: [object, string][];
beforeEach(async () => {
  folder = await temporaryFolder();
  kept = new Map();
  told = [];
});
afterEach(() => folder.remove());

/** Opens with what can be used on this start of the game. */
function open(has: 'both' | 'keytar' | 'keyring' | 'locked' | 'nothing', options: Partial<KeychainOptions> = {}) {
  const all = librariesOver(kept);
  const locked = async () =>
    keytarOver(kept, () => {
      throw new Error('Cannot create an item in a locked collection');
    });
  const libraries = {
    both: all,
    keytar: { ...noLibraries, keytar: all.keytar },
    keyring: { ...noLibraries, keyring: all.keyring },
    locked: { ...noLibraries, keytar: locked },
    nothing: noLibraries,
  }[has];
  const tell = (fields: object, message: string) => told.push([fields, message]);
  const logger = { ...silentLogger, info: tell, warn: tell };
  const rest = { service: 'Starfall', folder: folder.path, logger, allow: everyLasting };
  return openBestKeychain({ ...rest, ...options }, { libraries });
}

/** The folder of the service. */
const home = async () => join(folder.path, (await readdir(folder.path))[0] ?? '');

describe('an entry that another backend keeps', () => {
  it('is found by a better one, stays where it is, and is kept by the better one once set', async () => {
    await (await open('nothing')).set('ada', large);
    const better = await open('both');
    expect(better.backend).toBe('keytar');
    expect(await better.get('ada')).toBe(large);
    expect(await better.locate('ada')).toEqual({ backend: 'file', tier: 'encrypted-file' });
    await better.set('ada', 'new');
    expect(await better.locate('ada')).toEqual({ backend: 'keytar', tier: 'system' });
    expect(await (await open('keytar', { allow: ['system'] })).get('ada')).toBe('new');
  });

  it('is found though its tier is not among those allowed for new ones', async () => {
    await (await open('nothing')).set('ada', large);
    expect(await (await open('keytar', { allow: ['system'] })).get('ada')).toBe(large);
  });

  it('is moved to a better one when it is read, if that was asked for, and the original is deleted', async () => {
    await (await open('nothing')).set('ada', large);
    const moving = await open('both', { moveOnRead: true });
    expect(await moving.get('ada')).toBe(large);
    expect(await moving.locate('ada')).toEqual({ backend: 'keytar', tier: 'system' });
    expect(told).toContainEqual([{ from: 'file', to: 'keytar' }, 'an entry moves to another keychain']);
    const names = await readdir(await home());
    expect(names.filter(name => name.startsWith(`${digest('ada')}.file.`))).toEqual([]);
    expect(await (await open('both')).get('ada')).toBe(large);
  });

  it('is never moved to a later choice on reading', async () => {
    await (await open('keytar')).set('ada', 'secret');
    const later = await open('keytar', { allow: ['encrypted-file'], moveOnRead: true });
    expect(await later.get('ada')).toBe('secret');
    expect(await later.locate('ada')).toMatchObject({ backend: 'keytar' });
  });

  it('moves between the two libraries, which do not read each other', async () => {
    await (await open('keyring')).set('ada', large);
    const keychain = await open('both');
    expect(await keychain.move('ada')).toBe(true);
    expect(await keychain.move('ada')).toBe(true);
    expect(await (await open('keytar')).get('ada')).toBe(large);
    expect(await keychain.move('ada', 'keyring')).toBe(true);
    expect(await (await open('keyring')).get('ada')).toBe(large);
    expect([...kept.keys()].filter(name => name.endsWith('/ada'))).toEqual(['Starfall (keyring)/ada']);
  });

  it('is moved to no tier that was not allowed, nor to memory', async () => {
    const keychain = await open('both', { allow: ['system'] });
    await keychain.set('ada', 'secret');
    const refused = { name: 'ArgumentError', code: 'invalid_backend' };
    await expect(keychain.move('ada', 'file')).rejects.toMatchObject(refused);
    await expect(keychain.move('ada', 'memory')).rejects.toMatchObject(refused);
    expect(await keychain.locate('ada')).toMatchObject({ backend: 'keytar' });
  });
});

describe('an entry whose backend cannot be used now', () => {
  it('is not taken for missing: reading, moving and deleting it say what is wrong', async () => {
    await (await open('keytar')).set('ada', 'secret');
    const without = await open('nothing');
    const missing = { code: 'keychain_missing', message: expect.stringContaining('in keytar') };
    await expect(without.get('ada')).rejects.toMatchObject(missing);
    await expect(without.locate('ada')).rejects.toMatchObject(missing);
    await expect(without.move('ada')).rejects.toMatchObject(missing);
    await expect(without.delete('ada')).rejects.toMatchObject({ code: 'keychain_missing' });
    await expect((await open('locked')).get('ada')).rejects.toMatchObject({ code: 'keychain_locked' });
    expect(await (await open('keytar')).get('ada')).toBe('secret');
  });

  it('is replaced by a new secret for good: the old one is deleted when it can be', async () => {
    await (await open('keytar')).set('ada', 'old');
    const without = await open('nothing');
    await without.set('ada', 'new');
    expect(await without.get('ada')).toBe('new');
    expect(told).toContainEqual([{ from: 'keytar', to: 'file' }, 'an entry moves to a weaker keychain']);
    expect(kept.get('Starfall/ada')).toBe('old');

    const again = await open('keytar');
    expect(await again.get('ada')).toBe('new');
    expect(await again.move('ada')).toBe(true);
    expect(kept.get('Starfall/ada')).toBe('new');
  });

  it('stays deleted, although a copy could not be deleted immediately', async () => {
    await (await open('keytar')).set('ada', 'old');
    const without = await open('nothing');
    await without.set('ada', 'new');
    expect(await without.delete('ada')).toBe(true);
    expect(kept.has('Starfall/ada')).toBe(true);

    const again = await open('keytar');
    expect(await again.get('ada')).toBeUndefined();
    expect(await again.delete('ada')).toBe(false);
    expect(kept.has('Starfall/ada')).toBe(false);
  });

  it('is read again once its backend can be used, without opening the keychain again', async () => {
    await (await open('keytar')).set('ada', 'secret');
    let isThere = false;
    const keytar = async () => {
      if (isThere) return keytarOver(kept);
      return noLibraries.keytar();
    };
    const options = { service: 'Starfall', folder: folder.path, allow: everyLasting };
    const keychain = await openBestKeychain(options, { libraries: { ...noLibraries, keytar } });
    await expect(keychain.get('ada')).rejects.toMatchObject({ code: 'keychain_missing' });
    isThere = true;
    expect(await keychain.get('ada')).toBe('secret');
  });
});

describe('an entry of which no place is known', () => {
  const forgetPlaces = async () => {
    const path = await home();
    for (const name of await readdir(path)) if (name.endsWith('.place')) await rm(join(path, name));
  };

  it('is looked for in each backend, found, and deleted wherever it is', async () => {
    await (await open('keyring')).set('ada', 'by keyring');
    await (await open('nothing')).set('grace', large);
    await forgetPlaces();
    const keychain = await open('both');
    expect([await keychain.get('ada'), await keychain.get('grace')]).toEqual(['by keyring', large]);
    expect(await keychain.locate('ada')).toEqual({ backend: 'keyring', tier: 'system' });
    expect([await keychain.delete('ada'), await keychain.get('ada')]).toEqual([true, undefined]);
    await keychain.set('grace', 'new');
    await forgetPlaces();
    expect(await (await open('both')).get('grace')).toBe('new');
    expect(await (await open('nothing')).get('grace')).toBeUndefined();
  });

  it('may be of a game that used keytar before, under the same service and account', async () => {
    kept.set('Starfall/ada', 'from before');
    expect(await (await open('both')).get('ada')).toBe('from before');
  });

  it('is found too when the record of its place was changed to nonsense', async () => {
    const keychain = await open('both');
    await keychain.set('ada', 'secret');
    const path = await home();
    const place = (await readdir(path)).find(name => name.endsWith('.place')) ?? '';
    for (const text of ['', '{', 'null', '[]', '{"holder":"cloud","stale":[],"revision":"x"}', '{"stale":1}']) {
      await writeFile(join(path, place), text);
      expect(await keychain.get('ada')).toBe('secret');
    }
  });
});
