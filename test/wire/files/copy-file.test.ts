import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyChangingFile } from '../../../src/wire/files/copy-file.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder();
  onTestFinished(remove);
  return path;
}

describe('a copy of a file that may change', () => {
  it('holds all of a file that stays as it is, of 0 bytes, of a chunk and of one byte more', async () => {
    const path = await folder();
    for (const length of [0, 1024 * 1024, 1024 * 1024 + 1]) {
      const content = Buffer.alloc(length, 'rally');
      await writeFile(join(path, 'from'), content);
      await copyChangingFile(join(path, 'from'), join(path, 'to'));
      expect((await readFile(join(path, 'to'))).equals(content)).toBe(true);
    }
  });

  it('ends when the file becomes shorter while it is copied', async () => {
    const path = await folder();
    const [from, to] = [join(path, 'from'), join(path, 'to')];
    for (let n = 0; n < 20; n++) {
      await writeFile(from, Buffer.alloc(16 * 1024 * 1024));
      const copied = copyChangingFile(from, to);
      await truncate(from, 4096);
      await copied;
      expect((await stat(to)).size).toBeGreaterThanOrEqual(4096);
    }
  });

  it('says that a file is not there, with the code of the system', async () => {
    const path = await folder();
    await expect(copyChangingFile(join(path, 'from'), join(path, 'to'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
