import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LobbyDirectory, memoryLobbyDirectory } from '../../../src/backend/fleet/directory.ts';
import { type FileLobbyDirectory, fileLobbyDirectory } from '../../../src/backend/fleet/file-directory.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { needs } from '../../support/runs/parts.ts';

const linux = await needs('linux');

/** Where Linux shows what a process has open. */
const descriptors = '/proc/self/fd';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
let opened: FileLobbyDirectory[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'below', 'directory.sqlite');
});
afterEach(async () => {
  for (const directory of opened) directory.close();
  opened = [];
  await folder.remove();
});

function openFile(options = {}): FileLobbyDirectory {
  const directory = fileLobbyDirectory(path, options);
  opened.push(directory);
  return directory;
}

const kinds: readonly (readonly [string, () => LobbyDirectory])[] = [
  ['in memory', memoryLobbyDirectory],
  ['in a file', openFile],
];

describe.each(kinds)('a directory %s', (_, open) => {
  it('sets an absent entry once, replaces the expected entry, and deletes it', async () => {
    const directory = open();
    expect(await directory.get('k')).toBeUndefined();
    expect(await directory.compareAndSet('k', undefined, '1')).toBe(true);
    expect(await directory.compareAndSet('k', undefined, '2')).toBe(false);
    expect(await directory.compareAndSet('k', '0', '2')).toBe(false);
    expect(await directory.get('k')).toBe('1');
    expect(await directory.compareAndSet('k', '1', '2')).toBe(true);
    expect(await directory.compareAndSet('k', '1', undefined)).toBe(false);
    expect(await directory.compareAndSet('k', '2', undefined)).toBe(true);
    expect(await directory.get('k')).toBeUndefined();
    expect(await directory.compareAndSet('k', '2', '3')).toBe(false);
    expect(await directory.compareAndSet('k', undefined, undefined)).toBe(true);
  });

  it('lists what begins with a prefix, letter for letter', async () => {
    const directory = open();
    for (const key of ['1/a', '1/b', '1%', '1_x', '11/a', '1/A', '1/ü', '1/😀']) {
      await directory.compareAndSet(key, undefined, key.toUpperCase());
    }
    expect([...(await directory.list('1/'))].sort()).toEqual(
      ['1/a', '1/b', '1/A', '1/ü', '1/😀'].map(key => [key, key.toUpperCase()]).sort(),
    );
    expect([...(await directory.list('1/A')).keys()]).toEqual(['1/A']);
    expect((await directory.list('')).size).toBe(8);
    expect((await directory.list('2')).size).toBe(0);
  });

  it('does what a map does', async () => {
    const keys = fc.constantFrom('a', 'b', "c'", '');
    const values = fc.constantFrom(undefined, '', '1', "2'; --");
    const steps = fc.array(fc.tuple(keys, values, values), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async steps => {
        const directory = open();
        for (const [key, value] of await directory.list('')) await directory.compareAndSet(key, value, undefined);
        const model = new Map<string, string>();
        for (const [key, before, after] of steps) {
          const fits = model.get(key) === before;
          if (fits && after === undefined) model.delete(key);
          else if (fits && after !== undefined) model.set(key, after);
          expect(await directory.compareAndSet(key, before, after)).toBe(fits);
        }
        expect(new Map(await directory.list(''))).toEqual(model);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a directory in a file', () => {
  it('outlives the process that wrote it', async () => {
    await openFile().compareAndSet('k', undefined, '1');
    opened[0]?.close();
    opened[0]?.close();
    expect(await openFile().get('k')).toBe('1');
    expect(await opened[0]?.get('k')).toBe('1');
  });

  it('lets one of several processes win each race, and loses no count', async () => {
    const rounds = 40;
    const names = ['a', 'b', 'c'];
    const script = join(import.meta.dirname, 'directory-child.ts');
    const run = promisify(execFile);
    const ended = await Promise.all(names.map(name => run(process.execPath, [script, path, name, String(rounds)])));
    const won = ended.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(won.sort((x, y) => x - y)).toEqual(Array.from({ length: rounds }, (_, round) => round));
    expect(await openFile().get('count')).toBe(String(rounds * names.length));
  });

  it('says so when the file is no directory, and works once it is one', async () => {
    const elsewhere = join(folder.path, 'text');
    writeFileSync(elsewhere, 'certainly not a database, whatever it is'.repeat(100));
    const directory = fileLobbyDirectory(elsewhere);
    await expect(directory.get('k')).rejects.toThrow(/not a database/);
    writeFileSync(elsewhere, '');
    expect(await directory.get('k')).toBeUndefined();
    directory.close();
  });

  it.skipIf(linux.missing)(`keeps no hold of a file that is no directory${linux.note}`, async () => {
    const elsewhere = join(folder.path, 'rubbish');
    writeFileSync(elsewhere, 'certainly not a database, whatever it is'.repeat(100));
    const directory = fileLobbyDirectory(elsewhere);
    for (let asked = 0; asked < 5; asked++) await expect(directory.get('k')).rejects.toThrow(/not a database/);
    const held = readdirSync(descriptors).filter(name => linkOf(join(descriptors, name)) === elsewhere);
    expect(held).toEqual([]);
  });
});

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed since it was listed
  }
}
