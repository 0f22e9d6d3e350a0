import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Whoever changes a record of the store is found out.
    env: { RALLYPOINT_FREEZE_RECORDS: '1' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // The built package is loaded as customers load it.
    server: { deps: { external: [/\/dist\/esm\//] } },
    pool: 'forks',
    reporters: ['default'],
  },
});
