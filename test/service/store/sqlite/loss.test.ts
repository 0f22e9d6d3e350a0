import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { needs } from '../../../support/runs/parts.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

const posix = await needs('posix');
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let location: string;
let wal: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  location = join(folder.path, 'store.sqlite');
  wal = `${location}-wal`;
});
afterEach(() => folder.remove());

const program = join(import.meta.dirname, 'durability-child.ts');
const incomplete = (text: RegExp | string) =>
  expect.objectContaining({ code: 'store_incomplete', message: expect.stringMatching(text) });

let killedFolder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  killedFolder = await temporaryFolder();
  const child = spawn(process.execPath, [program, join(killedFolder.path, 'store.sqlite'), 'one'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = 0;
  for await (const chunk of child.stdout) {
    said += String(chunk).length;
    if (said > 10_000) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
});
afterAll(() => killedFolder.remove());

/** A store that was killed, with acknowledged commits in its log alone. */
async function killed(): Promise<void> {
  await cp(killedFolder.path, folder.path, { recursive: true });
}

async function count(): Promise<number> {
  const store = await openSqliteStore({ location, sink: () => {} });
  const { length } = store.list('lobbies');
  await store.close();
  return length;
}

async function flipByte(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  await writeFile(path, bytes);
}

describe('a store that was killed', () => {
  it('is opened with all that it acknowledged', async () => {
    await killed();
    expect(await count()).toBeGreaterThan(900);
  });

  const frameBytes = 4096 + 24;
  const damages: readonly [what: string, damage: () => Promise<void>][] = [
    ['deleted', () => rm(wal)],
    ['emptied', () => truncate(wal, 0)],
    ['cut off', () => truncate(wal, 32 + 3 * frameBytes)],
    ['damaged in its head', () => flipByte(wal, 20)],
    ['damaged in its first frame', () => flipByte(wal, 32 + 24 + 100)],
    ['damaged in a later frame', () => flipByte(wal, 32 + 20 * frameBytes + 24 + 100)],
  ];
  it.each(damages)('is rejected when its log was %s, and rejected again at the next try', async (_what, damage) => {
    await killed();
    await damage();
    const before = await stat(wal).then(
      ({ size }) => size,
      () => undefined,
    );
    for (let round = 0; round < 2; round++) {
      await expect(openDatabase(location)).rejects.toThrow(incomplete(/lacks \d+ of \d+ commits .* delete .*-mark/s));
    }
    // What an expert could still find in the log is there.
    if (before) expect((await stat(wal)).size).toBe(before);
    expect(await readdir(folder.path)).not.toContain('store.sqlite-wal-kept');
  });

  it('is whole again when the damage to its log is undone after a rejection', async () => {
    await killed();
    await copyFile(location, `${location}.twin`);
    await copyFile(wal, `${location}.twin-wal`);
    const store = await openSqliteStore({ location: `${location}.twin`, sink: () => {} });
    const { length } = store.list('lobbies');
    await store.close();

    await flipByte(wal, 32 + 20 * frameBytes + 24 + 100);
    await expect(openDatabase(location)).rejects.toThrow(incomplete('commits'));
    await flipByte(wal, 32 + 20 * frameBytes + 24 + 100);
    expect(await count()).toBe(length);
  });

  it('continues with what is left when its mark is deleted', async () => {
    await killed();
    await rm(wal);
    await expect(openDatabase(location)).rejects.toThrow(incomplete('commits'));
    await rm(`${location}-mark`);
    const left = await count();
    expect(left).toBeLessThan(900);
    expect(await count()).toBe(left);
  });
});

describe('a database that held something', () => {
  beforeEach(async () => {
    const store = await openSqliteStore({ location, sink: () => {} });
    await store.transact('lobby/1', work => work.put('lobbies', lobbyRecord({ id: '1' })));
    await store.close();
  });

  it('is opened again', async () => {
    expect(await count()).toBe(1);
  });

  it('is rejected when its file is empty, and left so', async () => {
    await truncate(location, 0);
    for (let round = 0; round < 2; round++) {
      await expect(openDatabase(location)).rejects.toThrow(incomplete(`${location} is empty`));
    }
    expect((await stat(location)).size).toBe(0);
  });

  it('is rejected when its file is missing, and none is made', async () => {
    await rm(location);
    await expect(openDatabase(location)).rejects.toThrow(incomplete(`${location} is missing`));
    await expect(stat(location)).rejects.toThrow();
  });

  it('is rejected when an older copy was put in its place', async () => {
    await copyFile(location, `${location}.old`);
    const store = await openSqliteStore({ location, sink: () => {} });
    await store.transact('lobby/2', work => work.put('lobbies', lobbyRecord({ id: '2' })));
    await store.close();
    await copyFile(`${location}.old`, location);
    await expect(openDatabase(location)).rejects.toThrow(incomplete('lacks 1 of'));
  });

  it('is rejected without a mark when its pages are damaged', async () => {
    const database = new DatabaseSync(location);
    const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'lobbies'").get()?.rootpage);
    database.close();
    const bytes = await readFile(location);
    bytes.fill(0xaa, (root - 1) * 4096, root * 4096);
    await writeFile(location, bytes);
    await rm(`${location}-mark`);
    await expect(openDatabase(location)).rejects.toThrow(
      expect.objectContaining({ code: 'store_unusable', message: expect.stringContaining('is damaged') }),
    );
  });

  it('is opened when an older version, which had no mark, left it', async () => {
    await rm(`${location}-mark`);
    expect(await count()).toBe(1);
  });
});

it('a new folder with an empty file, as a start that was killed leaves it, is used', async () => {
  await writeFile(location, '');
  expect(await count()).toBe(0);
});

it('an attempt to open a store a second time within a process does not give its lock away', async () => {
  const store = await openSqliteStore({ location, sink: () => {} });
  await store.transact('lobby/1', work => work.put('lobbies', lobbyRecord({ id: '1' })));
  await expect(openSqliteStore({ location, sink: () => {} })).rejects.toMatchObject({ code: 'store_in_use' });
  const child = spawn(process.execPath, [program, location, 'two'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.once('data', () => child.kill('SIGKILL'));
  let said = '';
  for await (const chunk of child.stderr) said += chunk;
  expect(said).toContain('store_in_use');
  await store.transact('lobby/2', work => work.put('lobbies', lobbyRecord({ id: '2' })));
  await store.close();
  expect(await count()).toBe(2);
});

it.skipIf(posix.missing).each([
  { what: 'folder', path: () => folder.path },
  { what: 'database', path: () => location },
])(`a store whose $what is deleted logs that once, and still has all records${posix.note}`, async ({ path }) => {
  const { log, lines } = recordingLog();
  const store = await openSqliteStore({ location, sink: () => {}, log });
  const put = (id: string) => store.transact(`lobby/${id}`, work => work.put('lobbies', lobbyRecord({ id })));
  await put('1');
  expect(lines).toEqual([]);
  // The mark alone is deleted to continue without what is missing.
  await rm(`${location}-mark`);
  await put('4');
  expect(lines).toEqual([]);
  await rm(path(), { recursive: true });
  await put('2');
  await put('3');
  expect(lines).toMatchObject([{ level: 'error', location, message: expect.stringContaining('was deleted') }]);
  expect(store.list('lobbies').map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  await store.close();
});
