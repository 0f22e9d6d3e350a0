import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rallypoint } from '../../../../src/cli/rallypoint.ts';
import { systemTerminal } from '../../../../src/cli/terminal.ts';
import { startService } from '../../../../src/service/index.ts';
import { databaseIn } from '../../../../src/service/store/data-folder.ts';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

const lobbies = 2000;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let data: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  data = join(folder.path, 'data');
  const store = await openSqliteStore({ location: databaseIn(data), sink: () => {} });
  await store.transact('x', work => {
    for (let n = 0; n < lobbies; n++) {
      const metadata = { note: `note-${n}-${'x'.repeat(100)}` };
      work.put('lobbies', lobbyRecord({ id: String(10_000 + n), metadata, expires_at_ms: 8e12 }));
    }
    work.put('settings', { name: 'key', value: 'kept' });
  });
  await store.close();
});
afterEach(() => folder.remove());

/** Overwrites the page that holds a text: of a lobby in the middle. */
async function damage(text = 'note-1000-'): Promise<void> {
  const bytes = await readFile(databaseIn(data));
  const at = Math.floor(bytes.indexOf(text) / 4096) * 4096;
  bytes.fill(0xff, at, at + 4096);
  await writeFile(databaseIn(data), bytes);
}

async function run(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(args, {
    ...systemTerminal,
    environment: {},
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text), isTTY: false },
  });
  return { code, stdout, stderr };
}

it('a backup of a database with a damaged page names the collection, and --salvage saves the rest', async () => {
  await damage();
  const file = join(folder.path, 'saved.sqlite');
  expect(await run('backup', file, '--data', data)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is damaged: not all of lobbies can be read\. .* backup FILE --data DIR --salvage\./),
  });
  expect(await run('backup', file, '--data', data, '--salvage')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('Not all of lobbies could be read; the rest of '),
  });
  const restored = join(folder.path, 'restored');
  expect((await run('restore', file, '--data', restored)).code).toBe(0);
  const store = await openSqliteStore({ location: databaseIn(restored), sink: () => {} });
  const ids = new Set(store.list('lobbies').map(({ id }) => id));
  expect(store.get('settings', 'key')).toEqual({ name: 'key', value: 'kept' });
  await store.close();
  expect(ids.has('10000') && ids.has(String(10_000 + lobbies - 1))).toBe(true);
  expect(ids.has('11000')).toBe(false);
  expect(ids.size).toBeGreaterThan(lobbies - 50);
});

it('--salvage of a whole database saves everything and names no loss', async () => {
  const file = join(folder.path, 'saved.sqlite');
  const saved = await run('backup', file, '--data', data, '--salvage', '--json');
  expect(JSON.parse(saved.stdout)).toMatchObject({ lost: [], layout: expect.any(Number) });
  expect(await run('backup', `${file}.2`, '--store', 'postgres://127.0.0.1/x', '--salvage')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--salvage is for a data folder'),
  });
});

it('a service whose database has a damaged page names the collection in its status and instead of a snapshot, without a path', async () => {
  await damage();
  const service = await startService({ data, limits: 'off' });
  try {
    const words = expect.stringContaining('The database is damaged: not all of lobbies can be read.');
    const control = (path: string) =>
      fetch(service.controlBase + path, { headers: { authorization: `Bearer ${service.controlToken}` } });
    const status = await control('/status');
    expect(status.status).toBe(200);
    expect(await status.json()).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ code: 'store_damaged', message: words })]),
    });
    const snapshot = await control('/snapshot');
    expect(snapshot.status).toBe(503);
    const body = await snapshot.text();
    expect(JSON.parse(body)).toEqual({ code: 'store_failed', message: words });
    expect(body).not.toContain(folder.path);
  } finally {
    await service.close();
  }
});

it('a snapshot that meets a damaged page after it has begun is cut off, and the log names the collection', async () => {
  const store = await openSqliteStore({ location: databaseIn(data), sink: () => {} });
  await store.transact('x', work => {
    for (let n = 0; n < 3000; n++) work.put('lobby_messages', messageRecord(n));
  });
  await store.close();
  await damage('text-2900-');
  const { log, lines } = recordingLog();
  const service = await startService({ data, limits: 'off', log });
  try {
    const headers = { authorization: `Bearer ${service.controlToken}` };
    const snapshot = await fetch(`${service.controlBase}/snapshot`, { headers });
    expect(snapshot.status).toBe(200);
    await expect(snapshot.text()).rejects.toThrow();
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'A control answer was cut off.',
        error: expect.objectContaining({ message: expect.stringContaining('not all of lobby_messages can be read') }),
      }),
    );
  } finally {
    await service.close();
  }
});

function messageRecord(n: number) {
  const text = `text-${n}-${'x'.repeat(1000)}`;
  return { lobby_id: '10000', sent_at_ms: n, id: String(n), message: { id: String(n), content: text } } as never;
}
