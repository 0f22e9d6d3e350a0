import { expect, it } from 'vitest';
import { inMemory, openDatabase } from '../../../../src/service/store/sqlite/database.ts';
import { sqliteStoreOver } from '../../../../src/service/store/sqlite/store.ts';
import { lobbyRecord } from '../../../support/store/records.ts';

async function open(lobbies: number) {
  const store = sqliteStoreOver(await openDatabase(inMemory), { location: inMemory, sink: () => {} });
  await store.transact('x', work => {
    for (let n = 0; n < lobbies; n++) work.put('lobbies', lobbyRecord({ id: String(n) }));
  });
  return store;
}

it('a reading fails when the whole state is replaced meanwhile, and the next one succeeds', async () => {
  const store = await open(3);
  const content = await store.dump();
  await expect(store.read(() => store.load({ ...content, lobbies: [] }))).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('the whole state was replaced meanwhile'),
  });
  expect((await store.dump()).lobbies).toEqual([]);
  await store.close();
});

it('a reading fails when 64 MiB that it has not read were changed meanwhile, and not below', async () => {
  const metadata = { text: 'x'.repeat(8 * 1024 * 1024) };
  for (const [count, fails] of [
    [7, false],
    [8, true],
  ] as const) {
    const store = await open(0);
    for (let n = 0; n < 8; n++)
      await store.transact('x', work => work.put('lobbies', lobbyRecord({ id: String(n), metadata })));
    let isFirst = true;
    const reading = store.read(async () => {
      if (!isFirst) return;
      isFirst = false;
      for (let n = 0; n < count; n++) await store.transact('x', work => work.delete('lobbies', String(n)));
    });
    if (fails) await expect(reading).rejects.toThrow('more was written meanwhile than can be kept');
    else await reading;
    await store.close();
  }
});

it('a reading that is closed on the way fails with store_closed', async () => {
  const store = await open(3);
  await expect(store.read(() => void store.close())).rejects.toMatchObject({ code: 'store_closed' });
});
