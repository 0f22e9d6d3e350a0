import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Announced } from '../../../../src/service/events/announcement.ts';
import type { EmbeddedStore } from '../../../../src/service/store/embedded.ts';
import { inMemory, openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { openSqliteStore, sqliteStoreOver } from '../../../../src/service/store/sqlite/store.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

const opened: EmbeddedStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function openInMemory(): Promise<EmbeddedStore> {
  const store = await openSqliteStore({ location: inMemory, sink: () => {} });
  opened.push(store);
  return store;
}

const put = (store: EmbeddedStore, id: string, metadata: Record<string, string> | null = null) =>
  store.transact(`lobby/${id}`, work => work.put('lobbies', lobbyRecord({ id, metadata })));

describe('group commit', () => {
  it('commits 1,000 transactions that are queued together in one commit', async () => {
    const store = await openInMemory();
    await Promise.all(Array.from({ length: 1000 }, (_, at) => put(store, String(at))));
    expect(store.commits).toBe(1);
    expect(store.list('lobbies')).toHaveLength(1000);
  });

  it.each([
    [1024, 1],
    [1025, 2],
  ])('puts %d works into %d commits', async (works, commits) => {
    const store = await openInMemory();
    await Promise.all(Array.from({ length: works }, (_, at) => put(store, String(at))));
    expect(store.commits).toBe(commits);
  });

  it('commits transactions that wait for each other separately', async () => {
    const store = await openInMemory();
    for (let at = 0; at < 5; at++) await put(store, String(at));
    expect(store.commits).toBe(5);
  });

  it('lets works join that are queued while the batch runs', async () => {
    const store = await openInMemory();
    const joined: Promise<void>[] = [];
    await store.transact('first', async work => {
      work.put('lobbies', lobbyRecord({ id: '1' }));
      joined.push(put(store, '2'), put(store, '3'));
      await work.get('lobbies', '1');
    });
    await Promise.all(joined);
    expect(store.commits).toBe(1);
  });

  it('writes nothing for transactions that change nothing', async () => {
    const store = await openInMemory();
    await put(store, '1');
    await Promise.all(Array.from({ length: 10 }, () => store.transact('lobby/1', work => work.get('lobbies', '1'))));
    expect(store.commits).toBe(1);
  });
});

describe('a commit that fails', () => {
  async function openFull() {
    const database = await openDatabase(inMemory);
    const announced: Announced[] = [];
    const store = sqliteStoreOver(database, { location: inMemory, sink: events => void announced.push(...events) });
    opened.push(store);
    await put(store, 'before');
    database.exec('PRAGMA max_page_count = 1');
    return { store, announced, free: () => database.exec('PRAGMA max_page_count = 1000000') };
  }
  const metadata = { filler: 'x'.repeat(1_000_000) };

  it('rejects all transactions of the batch with store_full, keeps none of their writes and announces nothing', async () => {
    const { store, announced } = await openFull();
    const revision = store.revision('lobby/1');
    const works = ['1', '2', '3'].map(id =>
      store.transact(`lobby/${id}`, work => {
        work.put('lobbies', lobbyRecord({ id, metadata: id === '2' ? metadata : null }));
        work.put('lobbies', lobbyRecord({ id: 'before', flags: 9 }));
        work.announce({ to: `lobby/${id}` });
      }),
    );
    const outcomes = await Promise.allSettled(works);
    expect(outcomes).toEqual(
      works.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'store_full' }) })),
    );
    expect(store.list('lobbies').map(lobby => lobby.id)).toEqual(['before']);
    expect(store.get('lobbies', 'before')).toMatchObject({ flags: 0 });
    expect(store.get('lobbies', '1')).toBeUndefined();
    expect(store.revision('lobby/1')).toBe(revision);
    expect(announced).toEqual([]);
  });

  it('is also the answer of transactions that were rejected because of what they saw of the batch', async () => {
    const { store } = await openFull();
    const create = () =>
      store.transact('lobby/1', async work => {
        if (await work.get('lobbies', '1')) throw new Error('exists already');
        work.put('lobbies', lobbyRecord({ id: '1', metadata }));
      });
    const outcomes = await Promise.allSettled([create(), create()]);
    expect(outcomes.map(outcome => outcome.status === 'rejected' && outcome.reason.code)).toEqual([
      'store_full',
      'store_full',
    ]);
  });

  it('leaves a store that continues once there is space', async () => {
    const { store, free } = await openFull();
    await expect(put(store, '1', metadata)).rejects.toMatchObject({ code: 'store_full' });
    free();
    await put(store, '1', metadata);
    expect(store.get('lobbies', '1')).toMatchObject({ id: '1' });
  });

  it('of a load leaves what was there', async () => {
    const { store } = await openFull();
    const content = { ...(await store.dump()), lobbies: [lobbyRecord({ id: '1', metadata })] };
    await expect(store.load(content)).rejects.toMatchObject({ code: 'store_full' });
    expect(store.list('lobbies').map(lobby => lobby.id)).toEqual(['before']);
  });
});

describe('the records kept decoded', () => {
  it('are given again as the same object, until a commit replaces them', async () => {
    const store = await openInMemory();
    await put(store, '1');
    const record = store.get('lobbies', '1');
    expect(store.get('lobbies', '1')).toBe(record);
    await put(store, '1', { changed: 'yes' });
    expect(store.get('lobbies', '1')).toMatchObject({ metadata: { changed: 'yes' } });
    await store.transact('lobby/1', work => work.delete('lobbies', '1'));
    expect(store.get('lobbies', '1')).toBeUndefined();
  });

  it('need not hold everything: what fell out is read again', async () => {
    const store = await openSqliteStore({ location: inMemory, sink: () => {}, cacheSizeMax: 2000 });
    opened.push(store);
    await Promise.all(Array.from({ length: 100 }, (_, at) => put(store, String(at), { at: String(at) })));
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 100; at++) expect(store.get('lobbies', String(at))?.metadata).toEqual({ at: String(at) });
    }
  });
});

describe('commit numbers', () => {
  it('continue rising after a restart, past blocks of 65,536', async () => {
    const folder = await temporaryFolder();
    const location = join(folder.path, 'store.sqlite');
    let last = 0;
    for (let round = 0; round < 3; round++) {
      const store = await openSqliteStore({ location, sink: () => {} });
      const first = await store.transact('x', work => work.revision);
      expect(first).toBeGreaterThan(last);
      last = first;
      if (round === 0) {
        const numbers = await Promise.all(
          Array.from({ length: 66_000 }, () => store.transact('x', work => work.revision)),
        );
        last = numbers.at(-1) ?? 0;
        expect(last).toBe(first + 66_000);
        expect(store.commits).toBe(2);
      }
      await store.close();
    }
    await folder.remove();
  });
});

describe('the file', () => {
  it('gives its space back after many records are deleted, in steps that leave other work its turn', async () => {
    const folder = await temporaryFolder();
    const location = join(folder.path, 'store.sqlite');
    const store = await openSqliteStore({ location, sink: () => {} });
    const ids = Array.from({ length: 3000 }, (_, at) => String(at));
    await Promise.all(ids.map(id => put(store, id, { filler: 'x'.repeat(4000) })));
    const filled = statSync(location).size + statSync(`${location}-wal`).size;
    expect(filled).toBeGreaterThan(12_000_000);
    await Promise.all(ids.map(id => store.transact(`lobby/${id}`, work => work.delete('lobbies', id))));
    const isSmall = () => statSync(location).size + statSync(`${location}-wal`).size < filled / 5;
    await vi.waitFor(() => expect(isSmall()).toBe(true), { timeout: 15_000, interval: 25 });
    await put(store, 'after');
    await store.close();
    const again = await openSqliteStore({ location, sink: () => {} });
    expect(again.list('lobbies').map(({ id }) => id)).toEqual(['after']);
    await again.close();
    await folder.remove();
  }, 20_000);
});

describe('slow statements', () => {
  it('are logged with their kind and how long they took, without values', async () => {
    const { log, lines } = recordingLog();
    const store = await openSqliteStore({ location: inMemory, sink: () => {}, log, slowStatementMs: 0 });
    opened.push(store);
    await store.transact('lobby/77', work =>
      work.put('lobbies', lobbyRecord({ id: '77', metadata: { word: 'xyzzy' } })),
    );
    store.get('lobbies', '77');
    store.list('lobbies', { index: 'byExpiry', upTo: 5 });
    const durationMs = expect.any(Number);
    expect(lines).toMatchObject([
      { level: 'warn', statement: 'commit', changes: { lobbies: 1 }, durationMs },
      { level: 'warn', statement: 'get', collection: 'lobbies', durationMs },
      { level: 'warn', statement: 'list', collection: 'lobbies', by: 'byExpiry', durationMs },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/77|xyzzy/);
  });

  it('are those that take as long as the threshold', async () => {
    const { log, lines } = recordingLog();
    const store = await openSqliteStore({ location: inMemory, sink: () => {}, log, slowStatementMs: 60_000 });
    opened.push(store);
    await put(store, '1');
    expect(lines).toEqual([]);
  });
});

describe('closing', () => {
  it('waits for events that are still on their way', async () => {
    let arrived = false;
    const store = await openSqliteStore({
      location: inMemory,
      sink: async () => {
        await new Promise(resolve => setImmediate(resolve));
        arrived = true;
      },
    });
    await store.transact('x', work => work.announce({ to: 'x' }));
    expect(arrived).toBe(false);
    await store.close();
    expect(arrived).toBe(true);
  });
});
