import { afterAll } from 'vitest';
import { dropDatabases } from './fresh-engines.ts';
import { closeSharedParts } from './shared-world.ts';

// For a run with RALLYPOINT_TEST_ENGINES=shared: no test file leaves connections and databases to the next one.
afterAll(async () => {
  await closeSharedParts();
  await dropDatabases();
});
