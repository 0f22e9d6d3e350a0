import { afterAll } from 'vitest';
import { closeSharedParts } from './shared-world.ts';

// For a run with RALLYPOINT_TEST_ENGINES=shared: no test file leaves connections to the next one.
afterAll(() => closeSharedParts());
