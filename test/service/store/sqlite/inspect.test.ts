import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseIn } from '../../../../src/service/store/data-folder.ts';
import { backUp } from '../../../../src/service/store/sqlite/backup.ts';
import { openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { inspectDataFolder, storeFindingCodes } from '../../../../src/service/store/sqlite/inspect.ts';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { readLog } from '../../../../src/service/store/sqlite/wal.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let location: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  location = databaseIn(folder.path);
  const store = await openSqliteStore({ location, sink: () => {} });
  for (const id of ['1', '2', '3']) {
    await store.transact('lobbies', work => work.put('lobbies', lobbyRecord({ id, expires_at_ms: 1000 })));
  }
  await store.close();
});
afterEach(() => folder.remove());

const amiss = async () => (await inspectDataFolder(folder.path)).filter(({ ok }) => !ok);

function change(sql: string, ...values: string[]): void {
  const database = new DatabaseSync(location);
  expect(database.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  database.close();
}

describe('the look through a data folder', () => {
  it('looks at everything, finds nothing amiss in a whole one and leaves it as it was', async () => {
    const before = await readFile(location);
    const findings = await inspectDataFolder(folder.path);
    expect(findings.map(({ code }) => code)).toEqual(storeFindingCodes);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(await readFile(location)).toEqual(before);
  });

  it.each([
    ['is not JSON', '{"id"', 'it is not JSON'],
    ['is of another record', JSON.stringify(lobbyRecord({ id: '3', expires_at_ms: 1000 })), 'it names another record'],
    [
      'is due at another time than its index says',
      JSON.stringify(lobbyRecord({ id: '2', expires_at_ms: 5 })),
      'its column expires_at_ms says something else',
    ],
  ])('names a record that %s', async (_what, body, reason) => {
    change('UPDATE lobbies SET body = ? WHERE id = ?', body, '2');
    expect(await amiss()).toMatchObject([{ code: 'records', records: [{ collection: 'lobbies', id: '2', reason }] }]);
    expect(JSON.stringify(await amiss())).not.toContain('idle_timeout');
  });

  it('names the records that a service has set aside', async () => {
    change('UPDATE lobbies SET body = ? WHERE id = ?', 'x', '2');
    const store = await openSqliteStore({ location, sink: () => {} });
    expect(store.get('lobbies', '2')).toBeUndefined();
    await store.close();
    expect(await amiss()).toMatchObject([{ code: 'set_aside', records: [{ collection: 'lobbies', id: '2' }] }]);
  });

  it('names keys that cannot be read', async () => {
    change(
      'INSERT INTO settings VALUES (?, ?)',
      'oauth_signing_key',
      '{"name":"oauth_signing_key","value":{"kty":"RSA"}}',
    );
    change(
      'INSERT INTO applications (id, body) VALUES (?, ?)',
      '1',
      JSON.stringify({
        ...{ id: '1', name: 'Starfall', owner_id: '9', bot_token_hash: null, parent_id: null },
        ...{ redirect_uris: [], integration_types: [0], event_webhooks_url: null, signing_key: 'x' },
      }),
    );
    expect(await amiss()).toMatchObject([
      { code: 'keys', records: [{ collection: 'applications', id: '1' }, { collection: 'settings' }] },
    ]);
  });

  it.each(['TABLE tokens', 'TABLE set_aside', 'INDEX lobbies_byExpiry'])('names a missing %s', async part => {
    const database = new DatabaseSync(location);
    database.exec(`DROP ${part}`);
    database.close();
    const [, name = ''] = part.split(' ');
    expect(await amiss()).toMatchObject([{ code: 'layout', message: expect.stringContaining(` without ${name}`) }]);
  });

  it('finds damaged pages', async () => {
    const database = new DatabaseSync(location);
    const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'lobbies'").get()?.rootpage);
    database.close();
    const bytes = await readFile(location);
    bytes.fill(0xaa, (root - 1) * 4096, root * 4096);
    await writeFile(location, bytes);
    expect((await amiss()).map(({ code }) => code)).toEqual(['integrity', 'records']);
  });

  it('finds that commits are missing, that the file is empty, is missing or is no database', async () => {
    await writeFile(`${location}-mark`, '0000000000000099\n');
    expect(await amiss()).toMatchObject([{ code: 'commits', message: expect.stringMatching(/^9\d of 99 commits/) }]);
    await truncate(location, 0);
    expect(await amiss()).toMatchObject([{ code: 'database', message: expect.stringContaining('held 99 commits') }]);
    await writeFile(location, 'Dear diary, '.repeat(500));
    expect(await amiss()).toMatchObject([{ code: 'database' }]);
    await rm(location);
    expect(await amiss()).toMatchObject([
      {
        code: 'database',
        message: expect.stringContaining('does not exist'),
        remedy: expect.stringMatching('restore'),
      },
    ]);
  });

  it('does not advise to restore a backup where there never was a database', async () => {
    await rm(location);
    await rm(`${location}-mark`, { force: true });
    expect(await amiss()).toMatchObject([{ code: 'database', remedy: expect.stringMatching('^Check the path') }]);
  });

  it.skipIf(process.platform === 'win32')('says that its mark is no file, and does not wait for a pipe', async () => {
    const mark = `${location}-mark`;
    const places = [
      ['a folder, not a file', () => mkdir(mark)],
      ['a pipe, not a file', async () => void execFileSync('mkfifo', [mark])],
      ['a symbolic link to /nowhere/mark, which does not exist', () => symlink('/nowhere/mark', mark)],
    ] as const;
    for (const [what, make] of places) {
      await rm(mark, { recursive: true, force: true });
      await make();
      const message = expect.stringContaining(`${mark} cannot be read: it is ${what}`);
      expect(await amiss()).toMatchObject([{ code: 'database', message }]);
      await expect(openDatabase(location)).rejects.toMatchObject({ code: 'store_unusable', message });
      await expect(backUp(folder.path, `${location}.backup`)).rejects.toMatchObject({ message });
    }
  });

  it.skipIf(process.platform === 'win32')('says that its log is no file, and does not wait for a pipe', async () => {
    const log = `${location}-wal`;
    const places = [
      ['a folder, not a file', () => mkdir(log)],
      ['a pipe, not a file', async () => void execFileSync('mkfifo', [log])],
      ['a symbolic link to /nowhere/log, which does not exist', () => symlink('/nowhere/log', log)],
    ] as const;
    for (const [what, make] of places) {
      await rm(log, { recursive: true, force: true });
      await make();
      expect(await amiss()).toMatchObject([{ code: 'database', message: `${log} is ${what}.` }]);
      await expect(openDatabase(location)).rejects.toThrow(`${location} cannot be opened: ${log} is ${what}.`);
      // A link that leads nowhere is no log: then all commits are in the database, or the copy is rejected.
      if (what.includes('link')) continue;
      const failed = backUp(folder.path, `${location}.backup`);
      await expect(failed).rejects.toThrow(`${log} cannot be read: it is ${what}.`);
    }
  });

  it('says why it cannot look, and does not take that for a missing database', async () => {
    await rm(location);
    await symlink(location, location);
    expect(await amiss()).toMatchObject([
      { code: 'database', message: expect.stringMatching('cannot be read: ELOOP') },
    ]);
  });
});

describe('a write-ahead log', () => {
  async function makeLog(): Promise<Buffer> {
    const database = new DatabaseSync(location);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    for (let n = 0; n < 4; n++) database.exec("UPDATE lobbies SET body = body || ' ' WHERE id = '1'");
    const bytes = await readFile(`${location}-wal`);
    database.close();
    return bytes;
  }
  const frameBytes = 4096 + 24;

  it('is read up to its last whole commit', async () => {
    const bytes = await makeLog();
    const frames = (bytes.length - 32) / frameBytes;
    expect(readLog(bytes)).toEqual({ frames, commits: 4, dropped: 0, hasHead: true });
    expect(readLog(bytes.subarray(0, 32 + 2 * frameBytes + 100))).toMatchObject({ frames: 2, dropped: 0 });
    expect(readLog(new Uint8Array())).toEqual({ frames: 0, commits: 0, dropped: 0, hasHead: true });
  });

  it('drops what follows a damaged frame, and everything after a damaged header', async () => {
    const bytes = await makeLog();
    const frames = (bytes.length - 32) / frameBytes;
    bytes[32 + frameBytes + 500] = (bytes[32 + frameBytes + 500] ?? 0) ^ 1;
    expect(readLog(bytes)).toEqual({ frames: 1, commits: 1, dropped: frames - 1, hasHead: true });
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    expect(readLog(bytes)).toEqual({ frames: 0, commits: 0, dropped: 0, hasHead: false });
  });
});
