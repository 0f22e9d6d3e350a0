import { appendFileSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { init, runBaseTests, setupEnvironment } from 'vitest/worker';
import type { Plan, Progress, Switch } from './plan.ts';

/**
 * A process that runs one test file first as it is, to see what each test reaches, and then once per mutant. The modules stay loaded
 * meanwhile; a mutant in what runs while they are loaded has them loaded anew.
 */
type RunTests = Parameters<typeof init>[0]['runTests'];
type State = Parameters<RunTests>[0];
type Traces = Parameters<RunTests>[1];

const plan: Plan = JSON.parse(readFileSync(process.env.RALLYPOINT_MUTATION ?? '', 'utf8'));
const send: ((message: unknown) => boolean) | undefined = process.send?.bind(process);
if (send === undefined) throw new Error('This is a worker of vitest.');

const mutation: Switch = {
  active: 0,
  reached: 0,
  limit: 0,
  touched: new Map(),
  only: undefined,
  failed: undefined,
  phaseEnded() {},
  isOn(id) {
    if (this.active === 0) this.touched.set(id, (this.touched.get(id) ?? 0) + 1);
    else if (id === this.active) {
      if (++this.reached > this.limit) throw new Error('The mutant was reached too often.');
      return true;
    }
    return false;
  },
};
mutation.isOn = mutation.isOn.bind(mutation);
globalThis.mutation$ = mutation;
// The same cases for every mutant, and the first failure is enough.
fc.configureGlobal({ seed: 1, endOnFailure: true });

/** What of the file reaches a mutant. */
interface Reach {
  /** While modules are loaded. */
  isStatic: boolean;
  /** In hooks, or between tests. */
  isOutside: boolean;
  readonly tests: Set<string>;
  count: number;
}

init({
  post: message => void send(message),
  on: callback => void process.on('message', callback),
  off: callback => void process.off('message', callback),
  setup: setupEnvironment,
  runTests,
  collectTests: (state, traces) => runBaseTests('collect', state, traces),
});

async function runTests(state: State, traces: Traces): Promise<void> {
  const reach = new Map<number, Reach>();
  let isLoading = true;
  mutation.phaseEnded = phase => {
    for (const [id, count] of mutation.touched) {
      const known = reach.get(id) ?? { isStatic: false, isOutside: false, tests: new Set(), count: 0 };
      reach.set(id, known);
      known.count += count;
      if (isLoading) known.isStatic = true;
      else if (phase === 'outside') known.isOutside = true;
      else known.tests.add(phase);
    }
    mutation.touched.clear();
    isLoading = false;
  };
  const start = performance.now();
  await runBaseTests('run', state, traces);
  const usualMs = performance.now() - start;
  if (mutation.failed !== undefined) return tell({ type: 'failed', tests: [mutation.failed] });
  mutation.phaseEnded = () => {};
  const ids = plan.ids.filter(id => reach.has(id));
  tell({ type: 'covered', ids });

  const quiet = { ...state, rpc: withoutReports(state.rpc) };
  const { config } = state.ctx;
  config.testTimeout = config.hookTimeout = Math.min(config.testTimeout, 3_000 + 4 * usualMs);
  config.expect = { ...config.expect, poll: { timeout: 1_500, interval: 20 } };
  let unchecked: number[] = [];
  // Those that have the modules loaded anew come last.
  const inOrder = ids.toSorted((a, b) => Number(reach.get(a)?.isStatic) - Number(reach.get(b)?.isStatic) || a - b);
  for (const id of inOrder) {
    await runWith(id, reach.get(id) as Reach);
    unchecked.push(id);
    if (unchecked.length >= plan.checkEvery || id === inOrder.at(-1)) {
      await runOnce(0, undefined, true);
      if (mutation.failed !== undefined) return tell({ type: 'stale', ids: unchecked });
      unchecked = [];
    }
  }

  async function runWith(id: number, { isStatic, isOutside, tests, count }: Reach): Promise<void> {
    tell({ type: 'begun', id });
    mutation.limit = 1_000 + 100 * count;
    const beganMs = performance.now();
    await runOnce(id, isStatic || isOutside ? undefined : tests, isStatic);
    tell({ type: 'ended', id, killedBy: mutation.failed ?? null, ms: Math.round(performance.now() - beganMs) });
  }

  async function runOnce(id: number, only: ReadonlySet<string> | undefined, isFresh: boolean): Promise<void> {
    Object.assign(mutation, { active: id, reached: 0, only, failed: undefined });
    config.isolate = isFresh;
    await runBaseTests('run', quiet, traces);
    mutation.active = 0;
    mutation.touched.clear();
  }
}

const reports = new Set([
  'onCollected',
  'onTaskUpdate',
  'onQueued',
  'snapshotSaved',
  'onUserConsoleLog',
  'onAfterSuiteRun',
]);

/** Keeps the runs with a mutant out of vitest's report, and notes what failed outside of any test. */
function withoutReports(rpc: State['rpc']): State['rpc'] {
  return new Proxy(rpc, {
    get(target, name: string) {
      if (reports.has(name)) return async () => {};
      if (name === 'onUnhandledError') return noteUnhandled;
      return Reflect.get(target, name);
    },
  });
}

async function noteUnhandled(): Promise<void> {
  mutation.failed ??= 'an error that no test catches';
}

function tell(progress: Progress): void {
  appendFileSync(plan.progressFile, `${JSON.stringify(progress)}\n`);
}
