import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProcessLock } from '../../src/sdk/credentials/process-lock.ts';
import { openBestKeychain } from '../../src/sdk/keychain/open-best-keychain.ts';
import { systemClock } from '../../src/wire/clock/ports.ts';
import { type MakeOne, makeFolder } from '../../src/wire/make-folder.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { needs } from '../support/runs/parts.ts';

const linux = await needs('linux');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('makeFolder', () => {
  it('makes what is missing with the mode given, and leaves what is there as it is', async () => {
    const path = join(folder.path, 'a', 'b', 'c');
    const before = await modeOf(folder.path);
    await makeFolder(path, 0o700);
    await makeFolder(path, 0o755);
    expect(await Promise.all([path, join(path, '..'), folder.path].map(modeOf))).toEqual([0o700, 0o700, before]);
  });

  it('takes a link to a folder for one, and rejects a file in its place or above it, or a link to nothing', async () => {
    const [file, link, broken] = ['file', 'link', 'broken'].map(name => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(file, '');
    await symlink(folder.path, link);
    await symlink(join(folder.path, 'nothing'), broken);
    await makeFolder(link, 0o700);
    for (const path of [file, broken]) {
      await expect(makeFolder(path, 0o700)).rejects.toMatchObject({ code: 'EEXIST' });
    }
    await expect(makeFolder(join(file, 'a'), 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('is not disturbed by somebody who makes the same at the same time', async () => {
    const path = join(folder.path, 'a', 'b');
    await Promise.all(Array.from({ length: 10 }, () => makeFolder(path, 0o700)));
    expect(await modeOf(path)).toBe(0o700);
  });

  /** As /proc is: it is there, and takes nothing. */
  const refusing: MakeOne = (path, options) => {
    if (!path.startsWith(join(folder.path, 'proc', '/'))) return mkdir(path, options);
    return Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }));
  };

  it('gives up below a folder that takes none and says that it is missing', async () => {
    await expect(makeFolder(join(folder.path, 'proc', 'a', 'b'), 0o700, refusing)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it.skipIf(linux.missing)(`so a keychain and a lock below /proc are rejected${linux.note}`, async () => {
    const path = '/proc/self/no-such-folder/here';
    const options = { service: 'Starfall', allow: ['encrypted-file'], folder: path } as const;
    await expect(openBestKeychain(options)).rejects.toMatchObject({ name: 'KeychainError', code: 'keychain_folder' });
    const lock = openProcessLock({ path: join(path, 'lock'), waitMs: 1_000, clock: systemClock });
    await expect(lock).rejects.toMatchObject({ name: 'KeychainError', code: 'lock_unusable' });
  });
});
