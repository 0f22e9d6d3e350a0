import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';

const childPath = fileURLToPath(new URL('durability-child.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs a process that stores lobbies, kills it once `count` are acknowledged, and gives all that were. */
async function storeUntilKilled(location: string, run: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [childPath, location, run], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let lines = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    lines += text.split('\n').length - 1;
    if (lines >= count) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  expect(signal).toBe('SIGKILL');
  return output.split('\n').slice(0, -1);
}

describe('a process killed amid thousands of concurrent works', () => {
  it('has lost nothing that was acknowledged, and has kept no half of a work', async () => {
    const location = join(folder.path, 'store.sqlite');
    const acknowledged: string[] = [];
    for (const [run, count] of [
      ['a', 1],
      ['b', 2500],
    ] as const) {
      acknowledged.push(...(await storeUntilKilled(location, run, count)));
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(2501);

    const store = await openSqliteStore({ location, sink: () => {} });
    const lobbies = new Set(store.list('lobbies').map(lobby => lobby.id));
    expect(acknowledged.filter(id => !lobbies.has(id))).toEqual([]);
    const members = store.list('lobby_members').map(member => `${member.lobby_id} ${member.user_id}`);
    expect(members.sort()).toEqual([...lobbies].flatMap(id => [`${id} a`, `${id} b`]).sort());
    await store.close();
  });
});

describe('a data file', () => {
  it('belongs to one process at a time, and is free as soon as that one is killed', async () => {
    const location = join(folder.path, 'store.sqlite');
    const child = spawn(process.execPath, [childPath, location, 'a'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await expect(openSqliteStore({ location, sink: () => {} })).rejects.toMatchObject({
      code: 'store_in_use',
      message: expect.stringContaining(location),
    });
    child.stdout.resume();
    child.kill('SIGKILL');
    await once(child, 'close');
    const store = await openSqliteStore({ location, sink: () => {} });
    expect(store.list('lobbies').length).toBeGreaterThan(0);
    await store.close();
  });

  it('belongs to one store at a time within a process too', async () => {
    const location = join(folder.path, 'store.sqlite');
    const first = await openSqliteStore({ location, sink: () => {} });
    await expect(openSqliteStore({ location, sink: () => {} })).rejects.toMatchObject({ code: 'store_in_use' });
    await first.close();
    await (await openSqliteStore({ location, sink: () => {} })).close();
  });
});
