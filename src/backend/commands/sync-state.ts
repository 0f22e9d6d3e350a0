import type { Command } from '../../model/command.ts';
import type { Plan, PlanItem } from './plan.ts';

/** How far a deploy is. */
export interface DeployProgress {
  /** Calls done, of all there are. */
  readonly done: number;
  readonly total: number;
  /** What is under way: a command, or `all` for the whole set at once. Absent once everything is done. */
  readonly current?: PlanItem | 'all';
  /** A limit is used up; it frees in this time. */
  readonly waitingMs?: number;
}

/**
 * How what is registered stands to what is desired.
 *
 * - `idle`: nobody has asked yet
 * - `planning`: it is being read
 * - `applying`: a deploy is under way
 * - `inSync`: it was equal when it was last looked at
 * - `drifted`: it was not; the plan says where
 * - `failed`: a plan or deploy was given up; whoever called has been told the same
 */
export type SyncState =
  | { readonly state: 'idle' }
  | { readonly state: 'planning' }
  | { readonly state: 'applying'; readonly progress: DeployProgress }
  | { readonly state: 'inSync'; readonly commands: readonly Command[] }
  | { readonly state: 'drifted'; readonly plan: Plan }
  | { readonly state: 'failed'; readonly error: unknown };
