import { execFile } from 'node:child_process';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyChangingFile } from '../../../src/wire/files/copy-file.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { needs } from '../../support/runs/parts.ts';

const linux = await needs('linux');

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

it.skipIf(linux.missing)(`a copy for which there is no room fails, instead of being shorter${linux.note}`, async () => {
  const path = await folder();
  await writeFile(join(path, 'from'), Buffer.alloc(200_000, 'x'));
  const source = join(import.meta.dirname, '../../../src/wire/files/copy-file.ts');
  const program = `const { copyChangingFile } = await import(${JSON.stringify(source)});
    process.on('SIGXFSZ', () => {});
    await copyChangingFile('from', 'to').then(() => console.log('copied'), error => console.log(error.code));`;
  const args = ['-c', 'ulimit -f 100; exec "$0" --input-type=module --eval "$1"', process.execPath, program];
  const { stdout } = await promisify(execFile)('sh', args, { cwd: path });
  expect(stdout.trim()).toBe('EFBIG');
});
