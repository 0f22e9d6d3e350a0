import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeychainTier, OpenedKeychain } from '../../../src/sdk/keychain/keychain.ts';
import { digest } from '../../../src/sdk/keychain/names.ts';
import { openBestKeychain } from '../../../src/sdk/keychain/open-best-keychain.ts';
import { librariesOver, noLibraries, StandInSafeStorage } from '../../support/keychain/keychain-stand-ins.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

const secret = 'secret'.repeat(1000);
const changed = { name: 'KeychainError', code: 'keychain_unreadable' };

/** Backends that keep something in files, with what is the entry's own there. */
const cases = [
  { backend: 'keytar', tier: 'system', parts: ['.sealed.'] },
  { backend: 'safe-storage', tier: 'system', parts: ['.sealed.', '.key'] },
  { backend: 'file', tier: 'encrypted-file', parts: ['.sealed.', '.key'] },
] as const;

describe.each(cases)('files of $backend that were changed from outside', ({ backend, tier, parts }) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let keychain: OpenedKeychain;
  beforeEach(async () => {
    folder = await temporaryFolder();
    const libraries = backend === 'keytar' ? librariesOver(new Map()) : noLibraries;
    const safeStorage = new StandInSafeStorage();
    const allow: KeychainTier[] = [tier];
    keychain = await openBestKeychain({ service: 'S', allow, folder: folder.path, safeStorage }, { libraries });
  });
  afterEach(() => folder.remove());

  const home = async () => join(folder.path, (await readdir(folder.path))[0] ?? '');
  /** Files with a part in their names that appear while `work` runs. */
  async function newFiles(part: string, work: () => Promise<void>): Promise<string> {
    const path = await home();
    const before = new Set(await readdir(path));
    await work();
    const [name = ''] = (await readdir(path)).filter(found => !before.has(found) && found.includes(part));
    return join(path, name);
  }

  it.each(parts)('are reported unreadable for every byte of %s that is changed', async part => {
    const file = await newFiles(part, () => keychain.set('ada', secret));
    const content = await readFile(file);
    const step = Math.max(1, Math.floor(content.length / 40));
    for (let at = 0; at < content.length; at += step) {
      const one = Buffer.from(content);
      one[at] = (one[at] ?? 0) ^ 1;
      await writeFile(file, one);
      // The last letter of a key in base64url has bits that mean nothing.
      await keychain.get('ada').then(
        text => expect(text).toBe(secret),
        error => expect(error).toMatchObject(changed),
      );
      await writeFile(file, content.subarray(0, at));
      await expect(keychain.get('ada')).rejects.toMatchObject(changed);
    }
    await writeFile(file, content);
    expect(await keychain.get('ada')).toBe(secret);
  });

  it.each(parts)('are reported unreadable when %s of another account is put in its place', async part => {
    const mine = await newFiles(part, () => keychain.set('ada', secret));
    const others = await newFiles(part, () => keychain.set('grace', 'other'.repeat(1000)));
    await writeFile(mine, await readFile(others));
    await expect(keychain.get('ada')).rejects.toMatchObject(changed);
  });

  const inFiles = cases.filter(each => each.backend === backend && each.backend !== 'keytar');
  it.each(inFiles)('are reported unreadable when all of another account is put in its place', async () => {
    const [mine, others] = [digest('ada'), digest('grace')];
    await keychain.set('ada', secret);
    await keychain.set('grace', 'other'.repeat(1000));
    const path = await home();
    for (const name of await readdir(path)) if (name.startsWith(`${mine}.${backend}`)) await rm(join(path, name));
    for (const name of await readdir(path)) {
      if (name.startsWith(`${others}.${backend}`)) await cp(join(path, name), join(path, name.replace(others, mine)));
    }
    await expect(keychain.get('ada')).rejects.toMatchObject(changed);
  });

  it.each(parts)('are reported unreadable when %s of an earlier secret is put back', async part => {
    const earlier = await newFiles(part, () => keychain.set('ada', secret));
    const content = await readFile(earlier);
    const later = await newFiles(part, () => keychain.set('ada', 'later'.repeat(1000)));
    await writeFile(part === '.key' ? earlier : later, content);
    await expect(keychain.get('ada')).rejects.toMatchObject(changed);
  });

  it('are reported unreadable when a file is missing or truncated', async () => {
    const file = await newFiles('.sealed.', () => keychain.set('ada', secret));
    await rm(file);
    await expect(keychain.get('ada')).rejects.toMatchObject(changed);
    await keychain.set('ada', 'new');
    expect(await keychain.get('ada')).toBe('new');

    // Nor does it matter when the record of its place is lost too.
    const lost = await newFiles('.sealed.', () => keychain.set('ada', secret));
    for (const gone of [lost, join(await home(), `${digest('ada')}.place`)]) await rm(gone);
    await expect(keychain.get('ada')).rejects.toMatchObject(changed);
    await keychain.set('ada', 'newer');
    expect(await keychain.get('ada')).toBe('newer');

    const again = await newFiles('.sealed.', () => keychain.set('grace', secret));
    await writeFile(again, 'garbage');
    expect([await keychain.delete('grace'), await keychain.get('grace')]).toEqual([true, undefined]);
  });

  it('never show the secret in an error', async () => {
    const file = await newFiles('.sealed.', () => keychain.set('ada', secret));
    const path = await home();
    for (const name of await readdir(path)) {
      expect((await readFile(join(path, name))).includes('secretsecret')).toBe(false);
    }
    await writeFile(file, 'garbage');
    const error = await keychain.get('ada').catch((thrown: Error) => thrown);
    expect(String(error)).not.toContain('secretsecret');
    expect(error).not.toHaveProperty('cause.message');
  });
});
