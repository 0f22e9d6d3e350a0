import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { endHold, LogHold, requestHold } from '../../../../src/service/store/sqlite/wal.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let location: string;
let database: DatabaseSync;
beforeEach(async () => {
  folder = await temporaryFolder();
  location = join(folder.path, 'store.sqlite');
  database = await openDatabase(location);
  database.exec('CREATE TABLE filler (number INTEGER PRIMARY KEY, text TEXT)');
});
afterEach(async () => {
  database.close();
  await folder.remove();
});

const mebibyte = 1024 * 1024;
/** Writes five times in a row as much as the log holds. @returns what the log takes then */
function write(): number {
  const fill = database.prepare('REPLACE INTO filler SELECT value, ? FROM json_each(?)');
  const numbers = JSON.stringify(Array.from({ length: 4096 }, (_, at) => at));
  for (let round = 0; round < 5; round++) fill.run(`${round}`.repeat(4000), numbers);
  return statSync(`${location}-wal`).size;
}

it('a log is folded into the database again and again', () => {
  expect(new LogHold(database, location).look()).toBe(false);
  expect(write()).toBeLessThan(60 * mebibyte);
});

it('a log that a backup wishes to be held grows until the wish ends', () => {
  const hold = new LogHold(database, location);
  requestHold(location);
  expect(hold.look()).toBe(true);
  const held = write();
  expect(held).toBeGreaterThan(80 * mebibyte);
  endHold(location);
  expect(hold.look()).toBe(false);
  expect(write()).toBeLessThanOrEqual(held + 20 * mebibyte);
});

it('a wish of a process that died is not granted', () => {
  requestHold(location);
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(`${location}-hold`, longAgo, longAgo);
  expect(new LogHold(database, location).look()).toBe(false);
});
