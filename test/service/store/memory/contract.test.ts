import { openMemoryStore } from '../../../../src/service/store/memory/store.ts';
import { storeSuite } from '../suite.ts';

storeSuite('memory', async () => ({
  open: async sink => openMemoryStore({ sink }),
  isLasting: false,
  remove: async () => {},
}));
