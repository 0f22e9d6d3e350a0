import { join } from 'node:path';
import { configDefaults, defineConfig, type Plugin } from 'vitest/config';
import { SkipsReporter } from './test/support/runs/skips-reporter.ts';
import { runs } from './test/support/runs/soak.ts';

/** What needs the machine to itself: one file at a time, after all the others. */
const alone = [
  // Browsers, and whole desktops: with one of them both cores of a small machine have enough to do.
  'test/e2e/**/*.test.ts',
  // Programs that must answer within real time, and builds with sanitizers.
  'test/native/**/*.test.ts',
  // Crowds of processes that are killed at any moment.
  'test/sdk/credentials/processes.test.ts',
  'test/sdk/keychain/{crash,processes}.test.ts',
  // A keychain's daemon.
  'test/sdk/keychain/real-keychain.test.ts',
  // What is waited for 100 ms of real time, between processes or within one.
  'test/sdk/credentials/process-lock.test.ts',
  'test/sdk/redirect/{hostile,listen}.test.ts',
  'test/service/support/pending-work.test.ts',
];

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

const patienceMs = runs(20_000, 3_600_000);

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
    // Tests change what belongs to their process: its environment, its collector of garbage, what is loaded.
    isolate: true,
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // What is waited for comes when the machine has time for it.
    expect: { poll: { timeout: 10_000 } },
    // The built package is loaded as customers load it.
    server: { deps: { external: [/\/dist\/esm\//] } },
    reporters: ['default', new SkipsReporter()],
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
          // Unless told, vitest leaves one core of the machine unused: half of a small one.
          maxWorkers: '100%',
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
