import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inMemory, openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { type Migration, migrations } from '../../../../src/service/store/sqlite/migrations.ts';
import { sqliteStoreOver } from '../../../../src/service/store/sqlite/store.ts';

import { serviceLimits } from '../../../../src/service/support/service-limits.ts';

import { recordingLog } from '../../../support/recording-log.ts';

import { temporaryFolder } from '../../../support/runs/folder.ts';
import { declaredLayoutSql } from '../../../support/store/declared-layout.ts';
import { lobbyMemberRecord, lobbyRecord } from '../../../support/store/records.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let location: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  location = join(folder.path, 'store.sqlite');
});
afterEach(() => folder.remove());

const nextVersion = migrations.length + 1;
const next: Migration = {
  version: nextVersion,
  apply: database => database.exec('ALTER TABLE lobbies ADD COLUMN mood TEXT; UPDATE lobbies SET mood = body'),
};

describe('the migrations', () => {
  it('are numbered 1, 2, 3 …', () => {
    expect(migrations.map(step => step.version)).toEqual(migrations.map((_, at) => at + 1));
  });

  it('lead to the layout that the collections declare', async () => {
    const migrated = await openDatabase(inMemory);
    const declared = new DatabaseSync(inMemory);
    declared.exec(declaredLayoutSql());
    expect(describeLayout(migrated)).toEqual(describeLayout(declared));
  });
});

describe('opening', () => {
  it('brings a file of an older layout to the newest, with what is in it', async () => {
    const store = sqliteStoreOver(await openDatabase(location), { location, sink: () => {} });
    await store.transact('lobby/1', work => work.put('lobbies', lobbyRecord({ id: '1' })));
    await store.close();

    const database = await openDatabase(location, [...migrations, next]);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: nextVersion });
    expect(database.prepare('SELECT id, mood FROM lobbies').all()).toEqual([
      { id: '1', mood: JSON.stringify(lobbyRecord({ id: '1' })) },
    ]);
    database.close();
  });

  it('brings members, applications and sessions of layout 1 to what they have now', async () => {
    const old = await openDatabase(location, migrations.slice(0, 1));
    const { voice, voice_session_id, ...member } = lobbyMemberRecord({ lobby_id: '1', user_id: '2' });
    const application = {
      ...{ id: '3', name: 'Starfall', owner_id: '9', bot_token_hash: null },
      ...{ redirect_uris: [], integration_types: [0], event_webhooks_url: null },
    };
    old
      .prepare('INSERT INTO lobby_members (lobby_id, user_id, application_id, body) VALUES (?, ?, ?, ?)')
      .run('1', '2', member.application_id, JSON.stringify(member));
    old.prepare("INSERT INTO applications (id, body) VALUES ('3', ?)").run(JSON.stringify(application));
    old
      .prepare("INSERT INTO gateway_sessions (id, body) VALUES ('4', ?)")
      .run(JSON.stringify({ id: '4', user_id: '9' }));
    old.close();

    const store = sqliteStoreOver(await openDatabase(location), { location, sink: () => {} });
    expect(await store.get('lobby_members', '1', '2')).toEqual({ ...member, voice, voice_session_id });
    expect(await store.get('applications', '3')).toEqual({
      ...application,
      ...{ parent_id: null, bot_username: null, role_connection_metadata: [] },
    });
    expect(await store.get('gateway_sessions', '4')).toEqual({
      ...{ id: '4', user_id: '9', may_call: false },
      ...{ node: null, claim: 0, family_id: null, may_set_presence: false },
      client: { client: 'desktop', os: '', version: 0 },
    });
    await store.close();
  });

  it('gives refresh tokens of layout 2 an end, finds what a user has, and drops those that were used', async () => {
    const old = await openDatabase(location, migrations.slice(0, 2));
    const insert = old.prepare('INSERT INTO tokens (hash, expires_at_ms, body) VALUES (?, ?, ?)');
    const parties = { authorization_id: null, grant_id: null, application_id: null, user_id: '9', scopes: [] };
    const session = { hash: 'c', kind: 'session', ...parties, expires_at_ms: null };
    const refresh = { ...session, hash: 'a', kind: 'refresh' };
    const used = { ...refresh, hash: 'b', answered: { sealed: 'x', at_ms: 1 } };
    for (const token of [session, refresh, used]) insert.run(token.hash, null, JSON.stringify(token));
    const signIn = { hash: 'd', user_id: '9', expires_at_ms: 5 };
    old
      .prepare('INSERT INTO sign_ins (hash, expires_at_ms, body) VALUES (?, ?, ?)')
      .run('d', 5, JSON.stringify(signIn));
    old.close();

    const startMs = Date.now();
    const store = sqliteStoreOver(await openDatabase(location), { location, sink: () => {} });
    const [kept, ...others] = await store.list('tokens', { index: 'byUser', equals: ['9'] });
    expect(others).toEqual([session]);
    expect(kept).toEqual({ ...refresh, expires_at_ms: expect.any(Number) });
    const lifeMs = (kept?.expires_at_ms ?? 0) - startMs;
    expect(Math.abs(lifeMs - serviceLimits.refreshTokenIdleMs)).toBeLessThan(60_000);
    expect(await store.list('tokens', { index: 'byExpiry' })).toEqual([kept]);
    expect(await store.list('sign_ins', { index: 'byUser', equals: ['9'] })).toEqual([signIn]);
    await store.close();
  });

  it('makes a copy of the old layout before, whole and for the owner alone, and says so in the log', async () => {
    const store = sqliteStoreOver(await openDatabase(location), { location, sink: () => {} });
    await store.transact('lobby/1', work => work.put('lobbies', lobbyRecord({ id: '1' })));
    await store.close();

    const { log, lines } = recordingLog();
    (await openDatabase(location, [...migrations, next], log)).close();
    const copy = `${location}.layout-${migrations.length}`;
    expect(lines).toMatchObject([{ level: 'warn', copy, from: migrations.length, to: nextVersion }]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const before = sqliteStoreOver(await openDatabase(copy), { location: copy, sink: () => {} });
    expect(before.list('lobbies')).toEqual([lobbyRecord({ id: '1' })]);
    await before.close();
  });

  it('makes no copy of a new database, and keeps the copies that are there', async () => {
    (await openDatabase(location)).close();
    expect(await readdir(folder.path)).toEqual(['store.sqlite']);
    await writeFile(`${location}.layout-${migrations.length}`, 'an earlier one');
    (await openDatabase(location, [...migrations, next])).close();
    expect(await readFile(`${location}.layout-${migrations.length}`, 'utf8')).toBe('an earlier one');
    expect((await stat(`${location}.layout-${migrations.length}.2`)).size).toBeGreaterThan(4096);
  });

  it('lets a database of an older version shrink from then on', async () => {
    const old = new DatabaseSync(location);
    old.exec('CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID');
    old.exec('PRAGMA application_id = 0x52414c59; PRAGMA user_version = 1');
    old.close();
    const database = await openDatabase(location, [
      { version: 1, apply: () => {} },
      { version: 2, apply: () => {} },
    ]);
    expect(database.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    database.close();
  });

  it('brings messages of layout 2 to what they show of users now', async () => {
    const old = await openDatabase(location, migrations.slice(0, 2));
    const user = { id: '9', username: 'ada' };
    const told = JSON.stringify({ lobby_id: '1', sent_at_ms: 2, id: '3', message: { id: '3', author: user } });
    old.prepare("INSERT INTO lobby_messages (lobby_id, sent_at_ms, id, body) VALUES ('1', 2, '3', ?)").run(told);
    const message = { id: '4', author: user, interaction_metadata: { user } };
    old
      .prepare("INSERT INTO interaction_messages (id, interaction_id, body) VALUES ('4', '5', ?)")
      .run(JSON.stringify({ id: '4', interaction_id: '5', message }));
    old.close();

    const store = sqliteStoreOver(await openDatabase(location), { location, sink: () => {} });
    const now = { ...user, public_flags: 0, flags: 0, primary_guild: null };
    expect(await store.list('lobby_messages')).toMatchObject([{ message: { id: '3', author: now } }]);
    expect(await store.list('interaction_messages')).toMatchObject([
      { message: { author: now, interaction_metadata: { user: now } } },
    ]);
    await store.close();
  });

  it('runs each step once', async () => {
    let runs = 0;
    const counted = [...migrations, { version: nextVersion, apply: () => void runs++ }];
    for (let round = 0; round < 3; round++) (await openDatabase(location, counted)).close();
    expect(runs).toBe(1);
  });

  it('rejects a file of a newer layout, naming both versions, and leaves it as it is', async () => {
    (await openDatabase(location, [...migrations, next])).close();
    await expect(openDatabase(location)).rejects.toThrow(
      expect.objectContaining({
        code: 'store_too_new',
        message: expect.stringMatching(new RegExp(`layout ${nextVersion}\\b.*up to ${migrations.length}\\b`)),
      }),
    );
    (await openDatabase(location, [...migrations, next])).close();
  });

  it('leaves a file as it was when a step fails, and can be tried again', async () => {
    (await openDatabase(location)).close();
    const failing: Migration = {
      version: nextVersion,
      apply: database => {
        database.exec('CREATE TABLE half (done)');
        throw new Error('power cut');
      },
    };
    await expect(openDatabase(location, [...migrations, failing])).rejects.toThrow(
      expect.objectContaining({ code: 'store_unusable', message: expect.stringContaining('was left as it was') }),
    );
    const database = await openDatabase(location);
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
    database.close();
    (await openDatabase(location, [...migrations, next])).close();
  });

  it('that find no space say so, although SQLite has rolled back by itself', async () => {
    const full: Migration = {
      version: nextVersion,
      apply: database => {
        database.exec('ROLLBACK');
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      },
    };
    await expect(openDatabase(location, [...migrations, full])).rejects.toThrow(
      expect.objectContaining({ code: 'store_full', message: expect.stringContaining('no space left on its disk') }),
    );
  });
});

/** Tables with their columns, indexes with theirs, whatever statements made them. */
function describeLayout(database: DatabaseSync) {
  const own = new Set(['counters', 'set_aside']);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  return tables
    .map(table => String(table.name))
    .filter(table => !own.has(table))
    .map(table => ({
      table,
      traits: database.prepare('SELECT wr, strict FROM pragma_table_list WHERE name = ?').get(table),
      columns: database
        .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY name')
        .all(table),
      indexes: database
        .prepare(`
          SELECT list.name, list."unique", list.partial, list.origin, info.seqno, info.name AS field,
            substr(sql, instr(sql, 'WHERE')) AS condition
          FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
          LEFT JOIN sqlite_schema ON sqlite_schema.name = list.name ORDER BY list.name, info.seqno`)
        .all(table),
    }));
}
