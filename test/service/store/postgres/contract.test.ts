import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../support/engines/postgres.ts';
import { createSharedDatabase, type SharedDatabase } from '../../../support/engines/shared-database.ts';
import { needs } from '../../../support/runs/parts.ts';
import { storeSuite } from '../suite.ts';

/** Defaults of a server, a database or a role that change how statements are read. The store must not depend on them. */
const unusual = [
  'array_nulls = off',
  "DateStyle = 'SQL, DMY'",
  "IntervalStyle = 'sql_standard'",
  "TimeZone = 'Asia/Kathmandu'",
  "bytea_output = 'escape'",
  'standard_conforming_strings = off',
  'transform_null_equals = on',
  'extra_float_digits = -15',
  "search_path = 'elsewhere'",
  'synchronous_commit = off',
];

const part = await needs('postgres');

describe.skipIf(part.missing)(`the engine of clusters${part.note}`, () => {
  let server: PostgresServer;
  let database: SharedDatabase;
  beforeAll(async () => {
    server = await startPostgres(...unusual);
    database = await createSharedDatabase(server);
  });
  afterAll(() => server?.remove());

  const createPlace = async () => {
    await database.clear();
    return { open: () => database.open(), isLasting: true, readEvents: database.events, remove: async () => {} };
  };
  storeSuite('postgres', createPlace, 'shared');
});
