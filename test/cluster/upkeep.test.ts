import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { systemTerminal } from '../../src/cli/terminal.ts';
import { intents } from '../../src/model/gateway.ts';
import { startService } from '../../src/service/index.ts';
import type { StoreContent } from '../../src/service/store/contract.ts';
import { databaseIn } from '../../src/service/store/data-folder.ts';
import { openPostgres } from '../../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../../src/service/store/postgres/store.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { TestCluster } from '../support/cluster/test-cluster.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { needs } from '../support/runs/parts.ts';
import { ServiceProcess } from '../support/service/service-process.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const engines = await needs('postgres', 'redis');
const [ada] = starfall.users;
const secret = 'a secret of the nodes';

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}, isTTY = false) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(args, {
    ...systemTerminal,
    environment,
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text), isTTY },
  });
  return { code, stdout, stderr };
}

async function contentOfFolder(folder: string): Promise<StoreContent> {
  const store = await openSqliteStore({ location: databaseIn(folder), sink: () => {} });
  const content = await store.dump();
  await store.close();
  return content;
}

async function contentOfDatabase(url: string): Promise<StoreContent> {
  const store = openPostgresStore({ postgres: await openPostgres(url) });
  const content = await store.dump();
  await store.close();
  return content;
}

/** What a move takes along as it is. */
function withoutSessions(content: StoreContent): StoreContent {
  return { ...content, gateway_sessions: [], gateway_events: [], presences: [] };
}

describe.skipIf(engines.missing)(`the state of a cluster${engines.note}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await TestCluster.start(0, { limits: 'off' });
  });
  afterAll(() => cluster?.close());

  async function folder(): Promise<string> {
    const made = await temporaryFolder();
    onTestFinished(() => made.remove());
    return made.path;
  }

  const failed = (reason: string | RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(reason) });

  it('is migrated once, and described before', async () => {
    const store = await cluster.postgres.createDatabase();
    const described = await run(['migrate', '--store', store, '--dry-run']);
    expect(described).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/an empty database gets layout \d+.*Nothing was changed/),
    });
    expect((await run(['doctor', '--store', store])).code).toBe(1);
    const first = await run(['migrate', '--json'], { RALLYPOINT_STORE: store });
    expect(JSON.parse(first.stdout)).toMatchObject({ found: 0, applied: expect.arrayContaining([1]) });
    const second = await run(['migrate', '--store', store]);
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/has layout \d+\. There is nothing to do\./),
    });
    expect(await run(['doctor', '--store', store])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 nodes are running'),
    });
  });

  it('moves from a data folder to PostgreSQL and back, and is the same', async () => {
    const place = await folder();
    const data = join(place, 'data');
    const service = await ServiceProcess.start(place, starfall);
    onTestFinished(() => service.end('SIGKILL'));
    const token = `Bearer ${await playerToken(service.ready, ada.id)}`;
    const client = await GatewayClient.identified(service.ready.gateway, { token, intents: intents.LOBBIES });
    const { id } = (await callApi(service.ready, 'POST', '/lobbies', { idle_timeout_seconds: 5 })).body as {
      id: string;
    };
    await callApi(service.ready, 'PUT', `/lobbies/${id}/members/${ada.id}`, {});
    for (let n = 0; n < 600; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, () =>
          callApi(service.ready, 'POST', '/lobbies', { metadata: { map: '\u{1f30a}\u0001' } }),
        ),
      );
    }
    const store = await cluster.postgres.createDatabase();
    expect(await run(['move', '--from', data, '--to', store])).toEqual(failed(/in use|another process/));
    // Its session stays behind in the folder.
    await service.end('SIGKILL');
    await client.closed;
    expect(await run(['move', '--from', join(place, 'nowhere'), '--to', store])).toEqual(failed('does not exist'));

    const moved = await run(['move', '--from', data, '--to', store], {}, true);
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('compared record by record') });
    const shown = moved.stderr.split('\r\u001b[K');
    expect([shown.at(0), shown.at(-1)]).toEqual(['', '']);
    for (const line of shown.slice(1, -1))
      expect(line).toMatch(/^(copied|compared) [a-z_]+: (?:1 record|\d+ records)$/);
    const before = await contentOfFolder(data);
    const after = await contentOfDatabase(store);
    expect(before.lobbies.length).toBe(601);
    expect(withoutSessions(after)).toEqual(withoutSessions(before));
    expect(after.gateway_sessions).toMatchObject([{ id: before.gateway_sessions[0]?.id, base: null }]);
    expect(await run(['move', '--from', data, '--to', store])).toEqual(failed('is not empty'));

    // A node ends the session, and with it what depended on it.
    const node = await startService({ ...cluster.engines, store, limits: 'off' });
    expect((await callApi(node, 'GET', `/lobbies/${id}`)).status).toBe(200);
    expect(await run(['move', '--from', store, '--to', join(place, 'early')])).toEqual(failed('1 node is running'));
    const read = await openPostgres(store);
    await expect.poll(async () => (await read.query('SELECT id FROM rallypoint.gateway_sessions')).length).toBe(0);
    await read.close();
    await expect.poll(async () => (await callApi(node, 'GET', `/lobbies/${id}`)).status, { timeout: 15_000 }).toBe(404);
    await node.close();

    const back = join(place, 'back');
    expect(await run(['move', '--from', store, '--to', back, '--json'])).toMatchObject({ code: 0, stderr: '' });
    expect(await contentOfFolder(back)).toEqual(await contentOfDatabase(store));
    expect(await run(['move', '--from', store, '--to', back])).toEqual(failed('already exists'));
    const again = await startService({ data: back, limits: 'off' });
    expect((await callApi(again, 'GET', '/applications/@me')).status).toBe(200);
    await again.close();
  }, 60_000);

  it('is backed up while nodes write, at one instant, and restored to either engine', async () => {
    const place = await folder();
    const store = await cluster.postgres.createDatabase();
    const start = () => startService({ ...cluster.engines, store, secret, fixtures: starfall, limits: 'off' });
    const [a, b] = await Promise.all([start(), start()]);
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = [a, b, a, b].map(async node => {
      while (!isOver) acknowledged.push(((await callApi(node, 'POST', '/lobbies', {})).body as { id: string }).id);
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    const known = [...acknowledged];
    const file = join(place, 'backup.sqlite');
    const backup = await run(['backup', '--store', store, '--out', file]);
    isOver = true;
    await Promise.all(writers);
    expect(backup).toMatchObject({ code: 0, stderr: '' });
    expect(backup.stdout).toContain('Gateway sessions were not taken along');
    expect(await run(['backup', file, '--store', store])).toEqual(failed('already exists'));
    expect(await run(['restore', file, '--store', store])).toEqual(failed('2 nodes are running'));
    const { verify_key } = (await callApi(a, 'GET', '/applications/@me')).body as { verify_key: string };
    await Promise.all([a.close(), b.close()]);
    expect(await run(['restore', file, '--store', store])).toEqual(failed('is not empty'));

    const other = await cluster.postgres.createDatabase();
    expect(await run(['restore', file], { RALLYPOINT_STORE: other })).toMatchObject({ code: 0, stderr: '' });
    const content = await contentOfDatabase(other);
    const ids = new Set(content.lobbies.map(lobby => lobby.id));
    expect(known.filter(id => !ids.has(id))).toEqual([]);
    const checked = await run(['doctor', '--store', other], { RALLYPOINT_SECRET: secret });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('No problem found') });
    expect(await run(['doctor', '--store', other])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/→ Set RALLYPOINT_SECRET as on the nodes/),
    });

    // A service on its own does not encrypt its keys.
    expect(await run(['move', '--from', other, '--to', join(place, 'moved')])).toEqual(
      failed(/^rallypoint: The keys in the database/),
    );
    const data = join(place, 'data');
    expect(await run(['restore', file, '--data', data])).toEqual(failed('RALLYPOINT_SECRET'));
    expect(await run(['restore', file, '--data', data], { RALLYPOINT_SECRET: secret })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await run(['doctor', '--data', data])).toMatchObject({ code: 0 });
    const alone = await startService({ data, limits: 'off' });
    expect((await callApi(alone, 'GET', '/applications/@me')).body).toMatchObject({ verify_key });
    await alone.close();
  }, 60_000);

  it('keeps the records that were set aside, in a backup and from engine to engine, and doctor lists them', async () => {
    const place = await folder();
    const store = await cluster.postgres.createDatabase();
    expect((await run(['migrate', '--store', store])).code).toBe(0);
    const postgres = await openPostgres(store);
    await postgres.query(`INSERT INTO rallypoint.lobbies (id, body) VALUES ('7', 'no lobby')`);
    const opened = openPostgresStore({ postgres });
    expect(await opened.list('lobbies')).toEqual([]);
    await opened.close();
    const listed = { code: 1, stdout: expect.stringMatching(/1 record was set aside: lobbies 7 \(it is not JSON\)/) };
    expect(await run(['doctor', '--store', store])).toMatchObject(listed);

    const file = join(place, 'backup.sqlite');
    expect((await run(['backup', '--store', store, '--out', file])).code).toBe(0);
    const data = join(place, 'data');
    expect((await run(['restore', file, '--data', data])).code).toBe(0);
    expect(await run(['doctor', '--data', data])).toMatchObject(listed);
    const other = await cluster.postgres.createDatabase();
    expect((await run(['move', '--from', data, '--to', other])).code).toBe(0);
    expect(await run(['doctor', '--store', other])).toMatchObject(listed);
    const kept = await openPostgres(other);
    expect(await kept.query('SELECT key, body FROM rallypoint.set_aside')).toEqual([
      { key: '["7"]', body: 'no lobby' },
    ]);
    await kept.close();
  }, 60_000);

  it('is not there at all when a restore fails halfway', async () => {
    const place = await folder();
    const data = join(place, 'data');
    const service = await startService({ data, fixtures: starfall });
    await service.close();
    const store = await cluster.postgres.createDatabase();
    await run(['migrate', '--store', store]);
    const postgres = await openPostgres(store);
    // Something in the database changes what is written.
    await postgres.query(`CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.body := replace(NEW.body, 'ada', 'eve'); RETURN NEW; END $$`);
    await postgres.query(
      'CREATE TRIGGER changed BEFORE INSERT ON rallypoint.users FOR EACH ROW EXECUTE FUNCTION changed()',
    );
    expect(await run(['move', '--from', data, '--to', store])).toEqual(failed('differs from .* at record 1 of users'));
    expect(await postgres.query('SELECT id FROM rallypoint.applications')).toEqual([]);
    await postgres.close();
  });
});
