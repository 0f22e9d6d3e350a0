import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { createSharedDatabase, type SharedDatabase } from '../../../support/engines/shared-database.ts';
import { needs } from '../../../support/runs/parts.ts';
import { storeSuite } from '../suite.ts';

const part = await needs('postgres');

describe.skipIf(part.missing)(`the engine of clusters${part.note}`, () => {
  let server: PostgresServer;
  let database: SharedDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await createSharedDatabase(server);
  });
  afterAll(() => server?.remove());

  const createPlace = async () => {
    await database.clear();
    return { open: () => database.open(), isLasting: true, readEvents: database.events, remove: async () => {} };
  };
  storeSuite('postgres', createPlace, 'shared');
});
