import { join } from 'node:path';
import { openSqliteStore } from '../../../../src/service/store/sqlite/store.ts';
import { temporaryFolder } from '../../../support/runs/folder.ts';
import { storeSuite } from '../suite.ts';

storeSuite('sqlite in memory', async () => ({
  open: sink => openSqliteStore({ location: ':memory:', sink }),
  isLasting: false,
  remove: async () => {},
}));

storeSuite('sqlite on file', async () => {
  const folder = await temporaryFolder();
  return {
    open: sink => openSqliteStore({ location: join(folder.path, 'data', 'store.sqlite'), sink }),
    isLasting: true,
    remove: folder.remove,
  };
});
