import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inMemory, openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { migrate } from '../../../../src/service/store/sqlite/migrate.ts';
import { type Migration, migrations } from '../../../../src/service/store/sqlite/migrations.ts';
import { sqliteStoreOver } from '../../../../src/service/store/sqlite/store.ts';

import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { silentLogger } from '../../../../src/wire/clock/ports.ts';

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
  sql: 'ALTER TABLE lobbies ADD COLUMN mood TEXT; UPDATE lobbies SET mood = body',
};

describe('the migrations', () => {
  it('are numbered 1, 2, 3 …', () => {
    expect(migrations.map(step => step.version)).toEqual(migrations.map((_, at) => at + 1));
  });

  it('lead to the layout that the collections declare', async () => {
    expect(describeLayout(await openDatabase(inMemory))).toEqual(declaredLayout());
  });

  it('are the ones that databases were made with', () => {
    // A step that changes makes databases that have passed it lack the difference: write another step instead.
    const digests = migrations.map(({ sql }) => createHash('sha256').update(sql).digest('hex').slice(0, 16));
    expect(digests).toEqual([
      ...['d513094c0e3e34b4', '66114bee32b548d7', 'f46ad3292afc545d', '2a2fe25b7875f7f8', '932c866a6f240a10'],
      ...['790b5ba8a8df1c37', '4ef39ad1fcb5a1c8', '95e001be72b1e63e', 'a8d9507423efdffe', '4298768c6ec3a162'],
    ]);
  });
});

describe('databases of builds whose layout differed from that of the same number today', () => {
  it.each(Array.from({ length: 9 }, (_, at) => at + 1))(
    'open from layout %i without its indexes, or half of its tables',
    layout => {
      const isLacking = [
        ({ type }) => type === 'index',
        ({ type }, at) => type === 'table' && at % 2 === 0,
        ({ type }, at) => type === 'table' && at % 2 === 1,
      ] satisfies ((part: Record<string, unknown>, at: number) => boolean)[];
      for (const [at, isMissing] of isLacking.entries()) {
        const database = new DatabaseSync(inMemory);
        for (const { sql } of migrations.slice(0, layout)) database.exec(sql);
        const parts = database
          .prepare(
            "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'counters' ORDER BY type, name",
          )
          .all();
        for (const { type, name } of parts.filter(isMissing)) database.exec(`DROP ${type} ${name}`);
        database.exec(`PRAGMA application_id = 0x52414c59; PRAGMA user_version = ${layout}`);
        migrate(database, migrations, join(folder.path, String(at)), silentLogger);
        expect(describeLayout(database)).toEqual(declaredLayout());
        database.close();
      }
    },
  );

  it('open with what is in them when layout 7 was another one, before and after they were called damaged', async () => {
    for (const steps of [[], migrations.slice(7, 9)]) {
      const at = join(folder.path, `${steps.length}.sqlite`);
      const early = new DatabaseSync(at);
      early.exec('BEGIN');
      for (const sql of [...migrations.slice(0, 6).map(step => step.sql), earlyLayout7Sql]) early.exec(sql);
      const application = {
        ...{ id: '3', name: 'Starfall', owner_id: '9', bot_token_hash: null, bot_username: null },
        ...{ redirect_uris: [], integration_types: [0], event_webhooks_url: null, role_connection_metadata: [] },
      };
      const session = { id: '4', user_id: '9', application_id: '3', may_call: false, node: null, claim: 0 };
      const relationship = { user_id: '8', family_id: '3', target_id: '9', pair: '8/9', type: 1, since_ms: 1 };
      early.prepare("INSERT INTO applications (id, body) VALUES ('3', ?)").run(JSON.stringify(application));
      early.prepare("INSERT INTO applications (id, body) VALUES ('5', ?)").run('{"id":');
      early.prepare("INSERT INTO gateway_sessions (id, body) VALUES ('4', ?)").run(JSON.stringify(session));
      early
        .prepare("INSERT INTO game_relationships (user_id, family_id, target_id, body) VALUES ('8', '3', '9', ?)")
        .run(JSON.stringify(relationship));
      early.prepare("INSERT INTO headless_sessions (token_hash, body) VALUES ('a', ?)").run('{"token_hash":"a"}');
      for (const { sql } of steps) early.exec(sql);
      early.exec(`PRAGMA application_id = 0x52414c59; PRAGMA user_version = ${7 + steps.length}; COMMIT`);
      early.close();

      const { log, lines } = recordingLog();
      const store = sqliteStoreOver(await openDatabase(at, undefined, log), { location: at, sink: () => {} });
      expect(await store.get('applications', '3')).toEqual({ ...application, parent_id: null });
      expect(await store.get('applications', '5')).toBeUndefined();
      expect(await store.get('gateway_sessions', '4')).toMatchObject({
        ...{ ...session, family_id: '3', may_set_presence: false },
        client: { client: 'desktop', os: '', version: 0 },
      });
      expect(await store.list('game_relationships', { index: 'byPair', equals: ['8/9'] })).toEqual([relationship]);
      expect(await store.list('headless_sessions')).toEqual([]);
      await store.close();
      expect(lines.at(-1)).toMatchObject({
        level: 'warn',
        tables: expect.arrayContaining(['applications', 'game_relationships', 'social_presences']),
      });
      const database = await openDatabase(at);
      expect(describeLayout(database)).toEqual(declaredLayout());
      database.close();
    }
  });

  it('open when layout 1 already had what layout 2 brings', async () => {
    const early = new DatabaseSync(location);
    early.exec('BEGIN');
    for (const { sql } of migrations.slice(0, 2)) early.exec(sql);
    const connection = { application_id: '1', user_id: '2', authorization_id: '3', metadata: {} };
    early.prepare("INSERT INTO role_connections VALUES ('1', '2', '3', ?)").run(JSON.stringify(connection));
    early.exec('PRAGMA application_id = 0x52414c59; PRAGMA user_version = 1; COMMIT');
    early.close();

    const store = sqliteStoreOver(await openDatabase(location), { location, sink: () => {} });
    expect(await store.list('role_connections', { index: 'byAuthorization', equals: ['3'] })).toEqual([connection]);
    await store.close();
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
      { version: 1, sql: '' },
      { version: 2, sql: '' },
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
    const counted = [...migrations, { version: nextVersion, sql: "INSERT INTO settings VALUES ('runs', '{}')" }];
    for (let round = 0; round < 3; round++) (await openDatabase(location, counted)).close();
    const database = await openDatabase(location, counted);
    expect(database.prepare('SELECT name FROM settings').all()).toEqual([{ name: 'runs' }]);
    database.close();
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
      sql: 'CREATE TABLE half (done); INSERT INTO nowhere VALUES (1)',
    };
    await expect(openDatabase(location, [...migrations, failing])).rejects.toThrow(
      expect.objectContaining({
        code: 'store_unusable',
        message: expect.stringContaining('was left as it was: no such table: nowhere.'),
      }),
    );
    const database = await openDatabase(location);
    expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
    database.close();
    (await openDatabase(location, [...migrations, next])).close();
  });

  it('that find no space say so, although SQLite has rolled back by itself', async () => {
    const full: Migration = {
      version: nextVersion,
      sql: 'ROLLBACK; PRAGMA max_page_count = 1; CREATE TABLE more (content); CREATE TABLE most (content)',
    };
    await expect(openDatabase(location, [...migrations, full])).rejects.toThrow(
      expect.objectContaining({ code: 'store_full', message: expect.stringContaining('no space left on its disk') }),
    );
  });
});

function declaredLayout() {
  const declared = new DatabaseSync(inMemory);
  declared.exec(declaredLayoutSql());
  return describeLayout(declared);
}

/** Step 7 as some builds have applied it. */
const earlyLayout7Sql = `
  CREATE TABLE relationships (
    user_id TEXT, target_id TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, target_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX relationships_byTarget ON relationships (target_id);

  CREATE TABLE game_relationships (
    user_id TEXT, family_id TEXT, target_id TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, family_id, target_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX game_relationships_byPair ON game_relationships (user_id, target_id);
  CREATE INDEX game_relationships_byTarget ON game_relationships (target_id);

  CREATE TABLE social_settings (user_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE headless_sessions (
    token_hash TEXT PRIMARY KEY, user_id TEXT, expires_at_ms INTEGER, body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX headless_sessions_byUser ON headless_sessions (user_id) WHERE user_id IS NOT NULL;
  CREATE INDEX headless_sessions_byExpiry ON headless_sessions (expires_at_ms) WHERE expires_at_ms IS NOT NULL;

  CREATE TABLE direct_channels (id TEXT PRIMARY KEY, pair TEXT, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX direct_channels_byPair ON direct_channels (pair) WHERE pair IS NOT NULL;

  CREATE TABLE direct_recipients (
    user_id TEXT, channel_id TEXT, body TEXT NOT NULL, PRIMARY KEY (user_id, channel_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE direct_messages (
    channel_id TEXT, sent_at_ms INTEGER, id TEXT, expires_at_ms INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (channel_id, sent_at_ms, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX direct_messages_byExpiry ON direct_messages (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
  CREATE INDEX direct_messages_byId ON direct_messages (id);
`;

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
