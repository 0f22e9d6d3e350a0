import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { lobbyMemberRecord, lobbyRecord } from '../../../support/store/records.ts';

// Stores lobbies of two members each without end, and says which are acknowledged. Ends by being killed.
const [location = '', run = ''] = process.argv.slice(2);
const store = await openSqliteStore({ location, sink: () => {} });
const stdout = 1;

async function create(id: string): Promise<void> {
  await store.transact(`lobby/${id}`, work => {
    work.put('lobbies', lobbyRecord({ id, member_count: 2 }));
    for (const user_id of ['a', 'b']) work.put('lobby_members', lobbyMemberRecord({ lobby_id: id, user_id }));
  });
  writeSync(stdout, `${id}\n`);
}

for (let wave = 0; ; wave++) {
  await Promise.all(Array.from({ length: 1000 }, (_, at) => create(`${run}-${wave}-${at}`)));
}
