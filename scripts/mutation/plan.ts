import type { Mutant } from './mutants.ts';

/** What a run of one test file is told: the file that RALLYPOINT_MUTATION names holds it as JSON. */
export interface Plan {
  readonly testFile: string;
  /** Numbers of the mutants to try. */
  readonly ids: readonly number[];
  /** Source file → its text with the mutants built in. */
  readonly texts: Readonly<Record<string, string>>;
  /** After so many mutants the tests run without one, to see that they still pass. */
  readonly checkEvery: number;
  /** To this file one {@link Progress} is added after the other, a line each. */
  readonly progressFile: string;
}

/**
 * `covered`: the file's tests passed without a mutant and reach these; then, mutant by mutant, `begun` and `ended`. `stale`: the tests
 * failed although no mutant was on, so what was found since the last such check does not count.
 */
export type Progress =
  | { readonly type: 'covered'; readonly ids: readonly number[] }
  | { readonly type: 'begun'; readonly id: number }
  | { readonly type: 'ended'; readonly id: number; readonly killedBy: string | null; readonly ms: number }
  | { readonly type: 'failed'; readonly tests: readonly string[] }
  | { readonly type: 'stale'; readonly ids: readonly number[] };

export type Status = 'killed' | 'timed out' | 'survived' | 'not covered';

export interface Outcome {
  readonly mutant: Mutant;
  readonly status: Status;
  /** The test that failed. */
  readonly by?: string;
}

/** What the mutated modules and the runner of the tests share; one per process, as `globalThis.mutation$`. */
export interface Switch {
  /** The mutant that is on; 0: none. */
  active: number;
  /** How often {@link active} was reached, and how often is too often: then the mutant made a loop without end. */
  reached: number;
  limit: number;
  /** Where no mutant is on: what is reached now. */
  touched: Map<number, number>;
  isOn(id: number): boolean;
  /** The tests to run, by id; undefined: all. */
  only: ReadonlySet<string> | undefined;
  /** The first test that failed. */
  failed: string | undefined;
  /** Called where a phase ends: the modules were loaded, a test begins or ended. */
  phaseEnded(phase: string): void;
}

declare global {
  var mutation$: Switch | undefined;
}
