import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileSystem, openPrivateFolder } from '../../../src/sdk/keychain/private-folder.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { needs } from '../../support/runs/parts.ts';

const posix = await needs('posix');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'deep', 'keychain');
});
afterEach(() => folder.remove());

const text = (content: Buffer | undefined) => content?.toString();
/** A disk on which one call fails so many times. */
function failing(call: 'open' | 'rename', code: string, times = Number.POSITIVE_INFINITY): FileSystem {
  let left = times;
  const failFirst = <Args extends unknown[], Value>(work: (...args: Args) => Promise<Value>) => {
    return async (...args: Args): Promise<Value> => {
      if (left-- > 0) throw Object.assign(new Error(code), { code });
      return work(...args);
    };
  };
  return call === 'open' ? { ...files, open: failFirst(files.open) } : { ...files, rename: failFirst(files.rename) };
}

describe('a private folder', () => {
  it('reads, replaces and removes files, and tells of those that are not there', async () => {
    const opened = await openPrivateFolder(path);
    expect([await opened.read('a'), await opened.remove('a')]).toEqual([undefined, false]);
    await opened.replace('a', Buffer.from('one'));
    await opened.replace('a', Buffer.from('two'));
    expect(text(await (await openPrivateFolder(path)).read('a'))).toBe('two');
    expect([await opened.remove('a'), await opened.read('a')]).toEqual([true, undefined]);
    expect(await files.readdir(path)).toEqual([]);
  });

  it('deletes the files that begin with a prefix', async () => {
    const opened = await openPrivateFolder(path);
    for (const name of ['a.1', 'a.2', 'b.1']) await opened.replace(name, Buffer.from(name));
    await opened.sweep('a.', 'a.2');
    expect((await files.readdir(path)).sort()).toEqual(['a.2', 'b.1']);
  });

  it('leaves the old content and no other file when writing fails at any step', async () => {
    await (await openPrivateFolder(path)).replace('a', Buffer.from('old'));
    for (const call of ['open', 'rename'] as const) {
      const broken = await openPrivateFolder(path, failing(call, 'ENOSPC'));
      const refused = {
        code: 'keychain_folder',
        message: expect.stringMatching(/ENOSPC.*disk is full: free some space/),
      };
      await expect(broken.replace('a', Buffer.from('new'))).rejects.toMatchObject(refused);
      expect(await files.readdir(path)).toEqual(['a']);
      expect(text(await broken.read('a'))).toBe('old');
    }
  });

  it('retries for a moment when another program on Windows has the file open', async () => {
    const soon = await openPrivateFolder(path, failing('rename', 'EPERM', 2), 'win32');
    await soon.replace('a', Buffer.from('new'));
    expect(text(await soon.read('a'))).toBe('new');
    const elsewhere = await openPrivateFolder(path, failing('rename', 'EPERM', 2), 'linux');
    await expect(elsewhere.replace('a', Buffer.from('newer'))).rejects.toMatchObject({ code: 'keychain_folder' });
  });

  it('rejects a folder that cannot be created, is not a folder, or cannot be written', async () => {
    const file = join(folder.path, 'file');
    await files.writeFile(file, '');
    const link = join(folder.path, 'link');
    await files.symlink(folder.path, link);
    for (const wrong of [file, join(file, 'below'), link]) {
      await expect(openPrivateFolder(wrong)).rejects.toMatchObject({ name: 'KeychainError', code: 'keychain_folder' });
    }
  });
});

describe.skipIf(posix.missing)(`a private folder, where files have modes${posix.note}`, () => {
  const modeOf = async (name: string) => ((await files.stat(name)).mode & 0o777).toString(8);

  it('and its files are readable to this user alone, also where it was open to others before', async () => {
    const before = process.umask(0);
    try {
      const opened = await openPrivateFolder(path);
      await opened.replace('a', Buffer.from('secret'));
      expect([await modeOf(path), await modeOf(join(path, 'a'))]).toEqual(['700', '600']);
      await files.chmod(path, 0o755);
      await openPrivateFolder(path);
      expect(await modeOf(path)).toBe('700');
    } finally {
      process.umask(before);
    }
  });

  it('is rejected when it belongs to another user', async () => {
    const lstat = async (name: string) =>
      Object.assign(await files.lstat(name), { uid: (process.getuid?.() ?? 0) + 1 });
    await expect(openPrivateFolder(path, { ...files, lstat } as FileSystem)).rejects.toMatchObject({
      code: 'keychain_folder',
      message: expect.stringContaining('another user'),
    });
  });
});
