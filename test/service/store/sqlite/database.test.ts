import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { needs } from '../../../support/runs/parts.ts';

const linux = await needs('linux');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let location: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  location = join(folder.path, 'store.sqlite');
});
afterEach(() => folder.remove());

const unusable = (text: string) =>
  expect.objectContaining({ code: 'store_unusable', message: expect.stringContaining(text) });

describe('opening a database file', () => {
  it('makes it and its folders, for the owner alone', async () => {
    const path = join(folder.path, 'new', 'folder', 'store.sqlite');
    (await openDatabase(path)).close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder.path, 'new'))).mode & 0o777).toBe(0o700);
  });

  it('writes ahead and syncs every commit', async () => {
    const database = await openDatabase(location);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    database.close();
  });

  it('rejects a file that is no database, and leaves it as it is', async () => {
    const text = 'Dear diary, '.repeat(500);
    await writeFile(location, text);
    await expect(openDatabase(location)).rejects.toThrow(unusable(location));
    expect(await readFile(location, 'utf8')).toBe(text);
  });

  it('rejects a damaged database', async () => {
    (await openDatabase(location)).close();
    const bytes = await readFile(location);
    bytes.fill(0xff, 100, 4096);
    await writeFile(location, bytes);
    await expect(openDatabase(location)).rejects.toThrow(unusable('damaged'));
  });

  it('rejects a database that lacks a table, but not an index, which only makes it slow', async () => {
    (await openDatabase(location)).close();
    const drop = (part: string) => {
      const database = new DatabaseSync(location);
      database.exec(`DROP ${part}`);
      database.close();
    };
    drop('INDEX lobbies_byExpiry');
    (await openDatabase(location)).close();
    drop('TABLE lobbies');
    await expect(openDatabase(location)).rejects.toThrow(unusable('it lacks lobbies'));
  });

  it("rejects somebody else's database, and leaves it as it is", async () => {
    const other = new DatabaseSync(location);
    other.exec('CREATE TABLE notes (text); PRAGMA user_version = 1');
    other.close();
    await expect(openDatabase(location)).rejects.toThrow(unusable("not one of Rallypoint's"));
    const again = new DatabaseSync(location);
    expect(again.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'notes' }]);
    again.close();
  });

  it.skipIf(linux.missing)(`rejects a place where no folder can be made, and ends${linux.note}`, async () => {
    const path = '/proc/self/nowhere/folder/store.sqlite';
    await expect(openDatabase(path)).rejects.toThrow(unusable(path));
  });

  it('rejects a folder in the place of the file, and a file in the place of the folder', async () => {
    await mkdir(location);
    await expect(openDatabase(location)).rejects.toThrow(unusable(location));
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const below = join(file, 'store.sqlite');
    await expect(openDatabase(below)).rejects.toThrow(unusable(below));
  });
});
