import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig, type Plugin } from 'vitest/config';
import { RunsReporter } from './test/support/runs/runs-reporter.ts';
import { runs } from './test/support/runs/soak.ts';

/** What needs a process of its own. */
const isolated = [
  // Browsers, whole desktops, other systems and builds: most of the work is done in processes that they start.
  'test/{console/browser,e2e}/**/*.test.ts',
  'test/native/**/*.test.ts',
  // Crowds of processes that are killed at any moment, and a keychain's daemon.
  'test/sdk/credentials/processes.test.ts',
  'test/sdk/keychain/{crash,processes,real-keychain}.test.ts',
  // A cluster of processes to which something is done at any moment.
  'test/cluster/chaos.test.ts',
  // What measures the memory of its process.
  'test/service/gateway/connection/{compression,leak}.test.ts',
  // A browser's globals.
  'test/react/**/*.test.ts',
];

/** What needs the machine to itself: one file at a time, after all the others. */
const alone = [
  // Programs that must answer within real time, and a Windows by Wine, whose parts wait for each other.
  'test/native/{forwarder,lock}.test.ts',
  'test/native/windows/**/*.test.ts',
  // What is waited for 100 ms of real time, between processes or within one.
  'test/sdk/credentials/process-lock.test.ts',
  'test/sdk/redirect/{hostile,listen}.test.ts',
  'test/service/support/pending-work.test.ts',
  // Nodes that must find within seconds of real time that an engine does not answer.
  'test/cluster/{outages,start}.test.ts',
  // What may keep others waiting for 50 ms of real time.
  'test/service/http/stranger-bodies.test.ts',
];

// More processes than cores: many tests wait for other programs, or for time that is really to pass.
const maxWorkers = Math.ceil(1.5 * availableParallelism());
/** With RALLYPOINT_TEST_ENGINES=shared the services of tests run on PostgreSQL and Redis instead of in memory. */
const isShared = process.env.RALLYPOINT_TEST_ENGINES === 'shared';

/** Replaces the service's entry point, for tests only. */
const sharedEngines: Plugin = {
  name: 'shared-engines',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    /src\/service\/(?:service|index)\.ts$/.test(source) && /\/test\/(?!support\/(?:engines|cluster)\/)/.test(importer)
      ? join(import.meta.dirname, 'test/support/engines/shared-service.ts')
      : undefined,
};

// PostgreSQL and Redis answer in real time, however fast virtual time goes on.
const patienceMs = runs(isShared ? 60_000 : 20_000, 3_600_000);

export default defineConfig({
  plugins: isShared ? [sharedEngines] : [],
  test: {
    // Whoever changes a record of the store is found out.
    env: { RALLYPOINT_FREEZE_RECORDS: '1' },
    globalSetup: [
      'test/support/runs/compile-cache.ts',
      'test/support/runs/required-parts.ts',
      ...(isShared ? ['test/support/engines/shared-setup.ts'] : []),
    ],
    pool: 'forks',
    // For machines whose load nobody watches; what passed only then is listed at the end.
    retry: Number(process.env.RALLYPOINT_TEST_RETRIES ?? 0),
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // What is waited for comes when the machine has time for it.
    expect: { poll: { timeout: 10_000 } },
    // The built package is loaded as customers load it.
    server: { deps: { external: [/\/dist\/esm\//] } },
    reporters: ['default', new RunsReporter()],
    projects: [
      {
        extends: true,
        test: {
          // Within a group vitest takes the projects by name: these begin first, because the longest are among them.
          name: 'isolated',
          include: isolated,
          exclude: [...configDefaults.exclude, ...alone],
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone, ...isolated],
          // A process runs file after file: to start one for each, and to load the sources again, takes a third of the time.
          isolate: false,
          setupFiles: [
            'test/support/runs/shared-process.ts',
            ...(isShared ? ['test/support/engines/close-worlds.ts'] : []),
          ],
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
