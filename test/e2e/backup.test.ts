import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { databaseIn } from '../../src/service/store/data-folder.ts';
import { backUp } from '../../src/service/store/sqlite/backup.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { ServiceProcess } from '../support/service/service-process.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

async function rallypoint(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), stdout, stderr };
}

async function contentOf(location: string) {
  const store = await openSqliteStore({ location, sink: () => {} });
  const content = await store.dump();
  await store.close();
  return content;
}

it('a running service is looked through and backed up without a change to it, and its backup restored has all that it had', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => folder.remove());
  const data = join(folder.path, 'data');
  const file = join(folder.path, 'backup.sqlite');
  const service = await ServiceProcess.start(folder.path, starfall);
  onTestFinished(() => service.end('SIGKILL'));
  const create = async () => {
    const metadata = { map: 'x'.repeat(900) };
    const { status, body } = await callApi(service.ready, 'POST', '/lobbies', { metadata });
    expect(status).toBe(201);
    return (body as { id: string }).id;
  };
  const filesOf = async (path: string) =>
    Promise.all((await readdir(path)).toSorted().map(async name => [name, await readFile(join(path, name), 'hex')]));

  // While nothing is written: what is there afterwards is what was there before.
  await create();
  const before = await filesOf(data);
  const doctor = await rallypoint('doctor', '--data', data);
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('No problem found') });
  expect(await rallypoint('backup', file, '--data', data)).toMatchObject({ code: 0, stderr: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await filesOf(data)).toEqual(before);

  // While much is written: nothing is missing that was acknowledged when the backup began.
  const acknowledged: string[] = [];
  let isOver = false;
  const writers = Array.from({ length: 8 }, async () => {
    while (!isOver) acknowledged.push(await create());
  });
  for (let round = 0; round < 3; round++) {
    const known = acknowledged.length;
    await backUp(data, `${file}.${round}`);
    const ids = new Set((await contentOf(`${file}.${round}`)).lobbies.map(({ id }) => id));
    expect(acknowledged.slice(0, known).filter(id => !ids.has(id))).toEqual([]);
  }
  isOver = true;
  await Promise.all(writers);

  await backUp(data, `${file}.last`);
  await service.end('SIGKILL');
  const restored = join(folder.path, 'restored');
  expect(await rallypoint('restore', `${file}.last`, '--data', restored)).toMatchObject({ code: 0, stderr: '' });
  expect(await contentOf(databaseIn(restored))).toEqual(await contentOf(databaseIn(data)));
  expect((await readdir(folder.path)).filter(name => name.startsWith('.'))).toEqual([]);
}, 60_000);
