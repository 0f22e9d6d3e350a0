import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EmbeddedStore } from '../../../../src/service/store/embedded.ts';
import type { RelationshipRecord } from '../../../../src/service/store/records.ts';
import type { SetAsideRecord } from '../../../../src/service/store/sqlite/set-aside.ts';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { lobbyMemberRecord, lobbyRecord } from '../../../support/store/records.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let location: string;
const opened: EmbeddedStore[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  location = join(folder.path, 'store.sqlite');
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await folder.remove();
});

async function open(options: Partial<Parameters<typeof openSqliteStore>[0]> = {}): Promise<EmbeddedStore> {
  const store = await openSqliteStore({ location, sink: () => {}, ...options });
  opened.push(store);
  return store;
}

/** A closed store of five lobbies that are due, of which some are then written over. */
async function damaged(bodies: Readonly<Record<string, string>>): Promise<void> {
  const store = await open();
  for (const id of ['1', '2', '3', '4', '5']) {
    await store.transact(`lobby/${id}`, work => {
      work.put('lobbies', lobbyRecord({ id, expires_at_ms: 1000 + Number(id) }));
      work.put('lobby_members', lobbyMemberRecord({ lobby_id: id, user_id: '9' }));
    });
  }
  await store.close();
  opened.length = 0;
  const database = new DatabaseSync(location);
  const write = database.prepare('UPDATE lobbies SET body = ? WHERE id = ?');
  for (const [id, body] of Object.entries(bodies)) write.run(body, id);
  database.close();
}

const wrongBodies = {
  'text that is not JSON': '{"id":"2","metad',
  'an empty text': '',
  null: 'null',
  'a list': '[1]',
  'an object without its key': '{}',
  'another record': JSON.stringify(lobbyRecord({ id: '4', expires_at_ms: 1002 })),
  'a record without the fields of its indexes': '{"id":"2"}',
};

describe('a record that cannot be decoded', () => {
  it.each(Object.entries(wrongBodies))('is not found when it is requested: %s', async (_what, body) => {
    await damaged({ 2: body });
    const store = await open();
    expect(store.get('lobbies', '2')).toBeUndefined();
    expect(store.get('lobbies', '3')).toMatchObject({ id: '3' });
    expect(store.list('lobbies').map(({ id }) => id)).toEqual(['1', '3', '4', '5']);
  });

  it('does not take the place of another in a list with a limit', async () => {
    await damaged({ 1: 'x', 2: 'y' });
    const store = await open();
    const due = store.list('lobbies', { index: 'byExpiry', upTo: 5000, limit: 2 });
    expect(due.map(({ id }) => id)).toEqual(['3', '4']);
  });

  it('is kept as it was, for good, and named at every start', async () => {
    await damaged({ 2: '{"id":"2"' });
    const found: SetAsideRecord[] = [];
    const first = await open({ onSetAside: record => found.push(record) });
    first.list('lobbies');
    const reason = 'it is not JSON';
    expect(found).toMatchObject([{ collection: 'lobbies', key: ['2'], reason }]);
    await first.close();
    opened.length = 0;

    const { log, lines } = recordingLog();
    await open({ log, onSetAside: record => found.push(record) });
    expect(found).toHaveLength(2);
    expect(lines).toMatchObject([{ level: 'warn', records: 1 }]);
    await opened.pop()?.close();
    const database = new DatabaseSync(location);
    expect(database.prepare('SELECT collection, key, body FROM set_aside').all()).toEqual([
      { collection: 'lobbies', key: '["2"]', body: '{"id":"2"' },
    ]);
    database.close();
  });

  it('is named in the log with code, collection, id and reason, without its content', async () => {
    await damaged({ 2: 'hunter2 is a secret' });
    const { log, lines } = recordingLog();
    const store = await open({ log });
    store.list('lobbies');
    store.list('lobbies');
    expect(lines).toMatchObject([
      { level: 'error', code: 'record_unreadable', collection: 'lobbies', id: '2', reason: 'it is not JSON' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('is set aside together with all that are found with it, in one commit', async () => {
    await damaged({ 1: 'x', 2: 'x', 3: 'x', 4: 'x', 5: 'x' });
    const { log, lines } = recordingLog();
    const store = await open({ log, slowStatementMs: 0 });
    expect(store.list('lobbies')).toEqual([]);
    expect(lines.filter(({ statement }) => statement === 'set aside')).toMatchObject([{ records: 5 }]);
    expect(lines.filter(({ code }) => code === 'record_unreadable')).toHaveLength(5);
  });

  it('can be written again', async () => {
    await damaged({ 2: 'x' });
    const store = await open();
    expect(store.get('lobbies', '2')).toBeUndefined();
    await store.transact('lobby/2', work => work.put('lobbies', lobbyRecord({ id: '2', flags: 7 })));
    expect(store.get('lobbies', '2')).toMatchObject({ flags: 7 });
  });

  it('is no part of a snapshot', async () => {
    await damaged({ 2: 'x' });
    const store = await open();
    const { lobbies, lobby_members } = await store.dump();
    expect(lobbies).toHaveLength(4);
    expect(lobby_members).toHaveLength(5);
  });
});

describe('a record of another shape', () => {
  const relationship: RelationshipRecord = {
    ...{ user_id: '1', target_id: '2', type: 1, since_ms: 5, nickname: null, note: null },
    origin_application_id: null,
  };
  const withoutTime: Partial<RelationshipRecord> = { ...relationship };
  Reflect.deleteProperty(withoutTime, 'since_ms');

  it.each([
    ['without a field that its readers need', withoutTime],
    ['with a field of another type', { ...relationship, since_ms: 'yesterday' }],
    ['with a field of null where it needs a value', { ...relationship, type: null }],
  ])('(%s) is set aside, and the others of its user are read', async (_what, wrong) => {
    const store = await open();
    await store.transact('social/1', work => {
      work.put('relationships', relationship);
      work.put('relationships', { ...relationship, target_id: '3' });
    });
    await store.close();
    const database = new DatabaseSync(location);
    database.prepare("UPDATE relationships SET body = ? WHERE target_id = '2'").run(JSON.stringify(wrong));
    database.close();
    const { log, lines } = recordingLog();
    const again = await open({ log });
    expect(again.list('relationships', { equals: ['1'] }).map(({ target_id }) => target_id)).toEqual(['3']);
    expect(JSON.stringify(lines)).toContain('record_unreadable');
  });
});
