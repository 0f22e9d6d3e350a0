import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inMemory, openDatabase } from '../../../src/service/store/sqlite/database.ts';
import { sqliteStoreOver } from '../../../src/service/store/sqlite/store.ts';
import { databaseFile, Readiness } from '../../../src/service/telemetry/readiness.ts';
import { lobbyRecord } from '../../support/store/records.ts';

describe('readiness', () => {
  it('ends with a commit that fails, and comes back with the next that is written', async () => {
    const readiness = new Readiness();
    const database = await openDatabase(inMemory);
    const store = sqliteStoreOver(database, {
      location: inMemory,
      sink: () => {},
      onCommit: ({ outcome }) => readiness.committed(outcome === 'failed', outcome === 'written'),
    });
    readiness.start(store);
    expect(await readiness.check()).toEqual([]);

    const limitPages = (count: number) => database.exec(`PRAGMA max_page_count = ${count}`);
    const { page_count } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    limitPages(page_count);
    const metadata = { map: 'x'.repeat(100_000) };
    const write = () => store.transact('lobby/1', work => work.put('lobbies', lobbyRecord({ id: '1', metadata })));
    await expect(write()).rejects.toMatchObject({ code: 'store_full' });
    expect(readiness.reasons).toEqual(['store_failed']);

    limitPages(1_000_000);
    // Without any other traffic: whoever asks has it tried.
    expect(await readiness.check()).toEqual([]);
    await write();
    await store.close();
    expect(await readiness.check()).toEqual(['store_failed']);
  });

  it('fails while the database is not at its place', async () => {
    const readiness = new Readiness();
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-ready-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const location = join(folder, 'store.sqlite');
    writeFileSync(location, '');
    const store = sqliteStoreOver(await openDatabase(inMemory), { location: inMemory, sink: () => {} });
    onTestFinished(() => store.close());
    readiness.start(store, [databaseFile(location)]);
    expect(await readiness.check()).toEqual([]);
    renameSync(location, `${location}-moved`);
    expect(await readiness.check()).toEqual(['store_missing']);
    renameSync(`${location}-moved`, location);
    expect(await readiness.check()).toEqual([]);
  });

  it('fails before the start and while the service drains', async () => {
    const readiness = new Readiness();
    expect(await readiness.check()).toEqual(['starting']);
    const store = sqliteStoreOver(await openDatabase(inMemory), { location: inMemory, sink: () => {} });
    readiness.start(store);
    readiness.drain();
    await store.close();
    // Its store is not looked at any more.
    expect(await readiness.check()).toEqual(['draining']);
  });
});
