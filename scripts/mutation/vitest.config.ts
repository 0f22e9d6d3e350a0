import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ForksPoolWorker, type PoolOptions } from 'vitest/node';
import type { Plan } from './plan.ts';

/** Runs one test file in the process of {@link file://./worker.ts}, with the mutants built into the sources. */
const root = join(import.meta.dirname, '../..');
const plan: Plan = JSON.parse(readFileSync(process.env.RALLYPOINT_MUTATION ?? '', 'utf8'));

class MutationWorker extends ForksPoolWorker {
  override readonly name = 'mutation';
  protected override entrypoint = join(import.meta.dirname, 'worker.ts');
}

function textOf(id: string): string | undefined {
  return plan.texts[relative(root, id.split('?')[0] ?? '').replaceAll('\\', '/')];
}

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load: textOf,
      configureVitest({ defineCacheKeyGenerator }) {
        // What is kept is found by the file on disk, which does not change with the mutants.
        defineCacheKeyGenerator(({ id }) => (textOf(id) === undefined ? undefined : false));
      },
    },
  ],
  test: {
    env: { RALLYPOINT_FREEZE_RECORDS: '1', RALLYPOINT_SEED: '1' },
    include: [plan.testFile],
    pool: { name: 'mutation', createPoolWorker: (options: PoolOptions) => new MutationWorker(options) },
    runner: join(import.meta.dirname, 'runner.ts'),
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
    server: { deps: { external: [/\/dist\/esm\//] } },
    reporters: ['dot'],
    fsModuleCachePath: join(root, 'node_modules/.mutation-cache'),
  },
});
