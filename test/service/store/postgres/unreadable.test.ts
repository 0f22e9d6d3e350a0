import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/service/store/contract.ts';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { createSharedDatabase, type SharedDatabase } from '../../../support/engines/shared-database.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { needs } from '../../../support/runs/parts.ts';
import { lobbyMemberRecord, lobbyRecord } from '../../../support/store/records.ts';

const part = await needs('postgres');

describe.skipIf(part.missing)(`records and answers of PostgreSQL that cannot be used${part.note}`, () => {
  let server: PostgresServer;
  let database: SharedDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await createSharedDatabase(server);
  });
  afterAll(() => server?.remove());
  beforeEach(async () => {
    await database.clear();
    await database.query('DELETE FROM rallypoint.set_aside');
  });

  /** Five lobbies that are due, of which some are then written over. */
  async function damaged(store: Store, bodies: Readonly<Record<string, string>>): Promise<void> {
    for (const id of ['1', '2', '3', '4', '5']) {
      await store.transact(`lobby/${id}`, transaction => {
        transaction.put('lobbies', lobbyRecord({ id, expires_at_ms: 1000 + Number(id) }));
        transaction.put('lobby_members', lobbyMemberRecord({ lobby_id: id, user_id: '9' }));
      });
    }
    for (const [id, body] of Object.entries(bodies))
      await database.query('UPDATE rallypoint.lobbies SET body = $1 WHERE id = $2', [body, id]);
  }

  const setAside = () => database.query('SELECT collection, key, reason, body FROM rallypoint.set_aside ORDER BY id');
  const due = (store: Store, limit: number) => store.list('lobbies', { index: 'byExpiry', from: 0, upTo: 5000, limit });

  it('a due record that cannot be decoded is set aside once, logged once by one of two nodes, and takes no place in a list', async () => {
    const logs = [recordingLog(), recordingLog()];
    const nodes = await Promise.all(logs.map(({ log }) => database.open({ log })));
    await damaged(nodes[0] as Store, { 1: '{"hunter2', 2: JSON.stringify(lobbyRecord({ id: '4' })) });
    for (let round = 0; round < 3; round++) {
      const lists = await Promise.all(nodes.map(node => due(node, 2)));
      if (round > 0) for (const list of lists) expect(list.map(({ id }) => id)).toEqual(['3', '4']);
    }
    const lines = logs.flatMap(({ lines }) => lines);
    expect(lines.map(({ level, code, collection, id }) => [level, code, collection, id]).sort()).toEqual([
      ['error', 'record_unreadable', 'lobbies', '1'],
      ['error', 'record_unreadable', 'lobbies', '2'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    expect((await setAside()).map(({ key, reason }) => [key, reason]).sort()).toEqual([
      ['["1"]', 'it is not JSON'],
      ['["2"]', 'it names another record'],
    ]);
    await Promise.all(nodes.map(node => node.close()));
  });

  it('a record that cannot be decoded is not found, is kept as it was, and can be written again', async () => {
    const { log, lines } = recordingLog();
    const store = await database.open({ log });
    await damaged(store, { 2: 'x' });
    const found = await Promise.all([store.get('lobbies', '2'), store.get('lobbies', '3')]);
    expect(found).toMatchObject([undefined, { id: '3' }]);
    expect(await setAside()).toEqual([{ collection: 'lobbies', key: '["2"]', reason: 'it is not JSON', body: 'x' }]);
    await store.transact('lobby/2', transaction => transaction.put('lobbies', lobbyRecord({ id: '2', flags: 7 })));
    expect(await store.get('lobbies', '2')).toMatchObject({ flags: 7 });
    expect(lines).toMatchObject([{ code: 'record_unreadable', id: '2' }]);
    await store.close();
  });

  it('501 records that are found together are all set aside, and so is one whose key has two parts', async () => {
    const { log, lines } = recordingLog();
    const store = await database.open({ log });
    await damaged(store, {});
    await database.query(`
      INSERT INTO rallypoint.lobbies (id, body) SELECT 'x' || n, 'x' FROM generate_series(1, 501) AS n;
      UPDATE rallypoint.lobby_members SET body = 'y' WHERE lobby_id = '3'`);
    expect(await store.list('lobbies')).toHaveLength(5);
    expect(await store.list('lobby_members', { equals: ['3'] })).toEqual([]);
    expect(await setAside()).toHaveLength(502);
    expect(lines).toHaveLength(502);
    expect(lines.at(-1)).toMatchObject({ collection: 'lobby_members', id: '3/9' });
    await store.close();
  });

  it('a record that cannot be set aside is skipped, and named in the log once', async () => {
    const { log, lines } = recordingLog();
    const store = await database.open({ log });
    await damaged(store, { 2: 'x' });
    await database.query('ALTER TABLE rallypoint.set_aside RENAME TO away');
    for (let round = 0; round < 3; round++) expect(await store.list('lobbies')).toHaveLength(4);
    expect(await store.get('lobbies', '2')).toBeUndefined();
    await database.query('ALTER TABLE rallypoint.away RENAME TO set_aside');
    expect(lines).toMatchObject([{ code: 'record_unreadable', id: '2', error: expect.any(Error) }]);
    expect(await store.list('lobbies')).toHaveLength(4);
    expect(await setAside()).toHaveLength(1);
    await store.close();
  });

  it("calls are answered store_failed while the row '' of scopes is missing, and succeed once it is back", async () => {
    const store = await database.open();
    await damaged(store, {});
    await database.query("DELETE FROM rallypoint.scopes WHERE name = ''");
    const failed = { code: 'store_failed', message: expect.stringContaining('without the revisions of scopes') };
    const [alone, together, got, written] = await Promise.allSettled([
      store.revision('lobby/7'),
      store.revision('lobby/1'),
      store.get('lobbies', '1'),
      store.transact('lobby/8', transaction => transaction.put('lobbies', lobbyRecord({ id: '8' }))),
    ]);
    expect([alone.status, together.status, written.status]).toEqual(['rejected', 'rejected', 'rejected']);
    expect(alone).toMatchObject({ reason: failed });
    expect(written).toMatchObject({ reason: failed });
    expect(got).toMatchObject({ value: { id: '1' } });
    await database.query("INSERT INTO rallypoint.scopes VALUES ('', 1000, now())");
    await store.transact('lobby/8', transaction => transaction.put('lobbies', lobbyRecord({ id: '8' })));
    expect(await store.revision('lobby/8')).toBe(1001);
    await store.close();
  });

  it.each([
    [
      'revisions that are text',
      'scopes ALTER COLUMN revision TYPE text',
      'scopes ALTER COLUMN revision TYPE bigint USING revision::bigint',
    ],
    [
      'bodies that are documents',
      'lobbies ALTER COLUMN body TYPE jsonb USING to_jsonb(body)',
      "lobbies ALTER COLUMN body TYPE text USING body #>> '{}'",
    ],
    ['a table without its body', 'lobbies RENAME COLUMN body TO content', 'lobbies RENAME COLUMN content TO body'],
  ])('%s end no process: calls are answered', async (_what, change, back) => {
    const store = await database.open();
    await damaged(store, {});
    await database.query(`ALTER TABLE rallypoint.${change}`);
    const fresh = await database.open();
    const calls = [store, fresh].flatMap(node => [
      node.revision('lobby/1'),
      node.get('lobbies', '1'),
      Promise.all(['1', '2', '3'].map(id => node.get('lobbies', id))),
      node.list('lobbies'),
    ]);
    for (const answer of await Promise.allSettled(calls)) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'store_failed' });
    }
    await database.query(`ALTER TABLE rallypoint.${back}`);
    const later = await database.open();
    expect(await later.list('lobbies')).toHaveLength(5);
    await Promise.all([store, fresh, later].map(node => node.close()));
  });
});
