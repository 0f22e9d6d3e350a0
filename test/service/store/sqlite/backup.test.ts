import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { databaseIn } from '../../../../src/service/store/data-folder.ts';
import { backUp, readBackup, restoreBackup } from '../../../../src/service/store/sqlite/backup.ts';
import { openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { inspectDataFolder } from '../../../../src/service/store/sqlite/inspect.ts';
import { migrations } from '../../../../src/service/store/sqlite/migrations.ts';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let data: string;
let file: string;
let restored: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  data = join(folder.path, 'data');
  file = join(folder.path, 'backup.sqlite');
  restored = join(folder.path, 'restored');
  await put(data, '1');
});
afterEach(() => folder.remove());

async function put(place: string, id: string): Promise<string[]> {
  const store = await openSqliteStore({ location: databaseIn(place), sink: () => {} });
  await store.transact(`lobby/${id}`, work => work.put('lobbies', lobbyRecord({ id })));
  const ids = store.list('lobbies').map(lobby => lobby.id);
  await store.close();
  return ids;
}

it('a backup is what the data folder was then, and its restored folder continues', async () => {
  await backUp(data, file);
  await put(data, '2');
  await restoreBackup(file, restored);
  expect(await put(restored, '3')).toEqual(['1', '3']);
  // Its mark is its own.
  expect(await put(restored, '4')).toEqual(['1', '3', '4']);
});

it('a backup removes what killed ones have left in its folder for a day, and nothing else', async () => {
  const dayMs = 24 * 3_600_000;
  const make = async (name: string, ageMs: number) => {
    const path = join(folder.path, name);
    await mkdir(path);
    await writeFile(join(path, 'copy.sqlite'), 'half of a copy');
    const time = new Date(Date.now() - ageMs);
    await utimes(path, time, time);
  };
  await make('.rallypoint-aB3xY9', dayMs + 60_000);
  await make('.rallypoint-underW', dayMs - 60_000);
  await make('.rallypoint-mine', 2 * dayMs);
  await symlink(join(folder.path, '.rallypoint-mine'), join(folder.path, '.rallypoint-linked'));
  await backUp(data, file);
  expect((await readdir(folder.path)).sort()).toEqual([
    '.rallypoint-linked',
    '.rallypoint-mine',
    '.rallypoint-underW',
    'backup.sqlite',
    'data',
  ]);
  expect(await readdir(join(folder.path, '.rallypoint-mine'))).toEqual(['copy.sqlite']);
});

it('a backup is never written over what is there', async () => {
  await writeFile(file, 'mine');
  await expect(backUp(data, file)).rejects.toThrow('already exists');
  expect(await readFile(file, 'utf8')).toBe('mine');
});

it('a folder that holds a state is not restored into, and left as it is', async () => {
  await backUp(data, file);
  await put(data, '2');
  await expect(restoreBackup(file, data)).rejects.toThrow(
    'already exists. Stop the service, move the data folder away',
  );
  expect(await put(data, '3')).toEqual(['1', '2', '3']);
});

it('what is no backup, damaged, empty or missing is not restored', async () => {
  await writeFile(file, 'Dear diary, '.repeat(500));
  await expect(restoreBackup(file, restored)).rejects.toThrow('damaged or not an SQLite database');
  await writeFile(file, '');
  await expect(restoreBackup(file, restored)).rejects.toThrow('is empty');
  await expect(restoreBackup(`${file}.no`, restored)).rejects.toThrow('does not exist');
  await backUp(data, `${file}.2`);
  await truncate(`${file}.2`, 20_000);
  await expect(restoreBackup(`${file}.2`, restored)).rejects.toThrow('damaged');
  expect(await readdir(restored).catch(() => [])).toEqual([]);
});

it('what stands in the way of a folder is named', async () => {
  await backUp(data, file);
  await writeFile(join(folder.path, 'file'), '');
  await expect(backUp(data, join(folder.path, 'none', 'b.sqlite'))).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringContaining(`${join(folder.path, 'none')} is not a folder.`),
  });
  await expect(restoreBackup(file, join(folder.path, 'file'))).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringContaining(`${join(folder.path, 'file')} is a file, not a folder`),
  });
});

it('a temporary folder that cannot be used is named', async () => {
  await backUp(data, file);
  vi.stubEnv('TMPDIR', join(folder.path, 'none'));
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(readBackup(file, async () => {})).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringMatching(/could not be copied to the temporary folder .*none.* Name another one by TMPDIR\./),
  });
  expect(await inspectDataFolder(data)).toMatchObject([
    { code: 'database', ok: false, remedy: 'Name another temporary folder by TMPDIR' },
  ]);
});

it('a backup of a newer layout is not restored', async () => {
  const version = migrations.length + 1;
  const newer = [...migrations, { version, sql: '' }];
  (await openDatabase(databaseIn(data), newer)).close();
  await backUp(data, file);
  await expect(restoreBackup(file, restored)).rejects.toMatchObject({ code: 'store_too_new' });
});

it('what cannot be read is not called missing, and the message names the file', async () => {
  await symlink(file, file);
  await expect(restoreBackup(file, restored)).rejects.toThrow(`${file} cannot be read: ELOOP`);
  await rm(databaseIn(data));
  await symlink(databaseIn(data), databaseIn(data));
  await expect(backUp(data, `${file}.2`)).rejects.toThrow(`${databaseIn(data)} cannot be read: ELOOP`);
});

it('a log that cannot be read is named, and not the file that would be written', async () => {
  await backUp(data, file);
  const copied = { data: databaseIn(data), backup: file };
  for (const source of Object.values(copied)) await mkdir(`${source}-wal`);
  const unreadable = (source: string) => `${source}-wal cannot be read: it is a folder, not a file`;
  await expect(backUp(data, `${file}.2`)).rejects.toThrow(unreadable(copied.data));
  await expect(restoreBackup(file, restored)).rejects.toThrow(unreadable(copied.backup));
  await expect(readBackup(file, async () => {})).rejects.toThrow(unreadable(copied.backup));
});

it.skipIf(process.platform === 'win32')('a pipe, a folder or a broken link instead of a file is named', async () => {
  const location = databaseIn(data);
  await rm(data, { recursive: true });
  await mkdir(data);
  const leadsNowhere = 'is a symbolic link to /nowhere/at/all, which does not exist';
  const places: readonly [string, () => Promise<unknown>][] = [
    [`${location} is a pipe, not a file`, async () => execFileSync('mkfifo', [location])],
    [`${location} is a folder, not a file`, () => mkdir(location)],
    [`${location} ${leadsNowhere}`, () => symlink('/nowhere/at/all', location)],
    [`${data} ${leadsNowhere}`, () => rm(data, { recursive: true }).then(() => symlink('/nowhere/at/all', data))],
  ];
  for (const [message, make] of places) {
    await rm(location, { recursive: true, force: true });
    await make();
    await expect(backUp(data, file)).rejects.toThrow(message);
    expect(await inspectDataFolder(data)).toMatchObject([
      { message: `${message}.`, remedy: expect.stringMatching('^Check') },
    ]);
    const opened = message.startsWith(location)
      ? message.replace(location, `${location} cannot be opened: it`)
      : message;
    await expect(openDatabase(location)).rejects.toThrow(opened);
  }
  await expect(backUp(restored, join(data, 'b.sqlite'))).rejects.toThrow('does not exist');
  await put(restored, '1');
  await expect(backUp(restored, join(data, 'b.sqlite'))).rejects.toThrow(`${data} ${leadsNowhere}`);
});

it('nothing is backed up where nothing is, or where acknowledged commits are missing', async () => {
  await expect(backUp(join(folder.path, 'nowhere'), file)).rejects.toThrow('does not exist');
  const older = await readFile(databaseIn(data));
  await put(data, '2');
  await writeFile(databaseIn(data), older);
  await expect(backUp(data, file)).rejects.toMatchObject({ code: 'store_incomplete' });
  expect((await readdir(folder.path)).toSorted()).toEqual(['data']);
});
