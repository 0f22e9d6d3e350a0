import type { Command, CommandType } from '../../../command.ts';
import type { CommandChange } from '../command-diff.ts';
import type { CommandPlace, DesiredCommand, DesiredContext } from './desired.ts';

/** What a deploy does with one command. */
export type PlanItem =
  | (Named & { readonly action: 'create'; readonly desired: DesiredCommand })
  | (Named & {
      readonly action: 'edit';
      readonly desired: DesiredCommand;
      readonly stored: Command;
      /** What is different, field by field; a `name` among them renames. */
      readonly changes: readonly CommandChange[];
    })
  | (Named & { readonly action: 'leave'; readonly stored: Command; readonly desired?: DesiredCommand })
  | (Named & { readonly action: 'delete'; readonly stored: Command });

interface Named {
  readonly type: CommandType;
  /** The name after the deploy; of a command that is deleted, its last name. */
  readonly name: string;
}

/** What a deploy would do. */
export interface Plan {
  readonly place: CommandPlace;
  /** The definitions in their order, then the other registered commands. */
  readonly items: readonly PlanItem[];
  /** How many of the day's `limits.commandCreatesPerDay` creates of this scope it costs. */
  readonly creates: number;
  readonly warnings: readonly PlanWarning[];
  /** Nothing would be written. */
  readonly isInSync: boolean;
  /** What it was made from. */
  readonly desired: readonly DesiredCommand[];
  readonly stored: readonly Command[];
}

/** What a plan needs beside the registered and the desired commands. */
export interface PlanContext extends DesiredContext {
  readonly place: CommandPlace;
  /** Current time, to count the creates of the last day. */
  readonly nowMs: number;
  /** Commands of this guild that have permission overwrites; absent if that is unknown. */
  readonly overwritten?: ReadonlySet<string> | undefined;
}

/**
 * What you should know before you deploy a plan.
 *
 * - `fallback_shows`: readers of a locale see another locale's text where neither their own nor the default is shown
 * - `permissions_lost`: a rename or delete drops the permission overwrites of a command
 * - `too_many_commands`: more commands of a type than a scope can have; the deploy is rejected
 * - `daily_creates`: more creates than the day has left; the deploy waits for new ones
 * - `entry_point_missing`: the definitions do not mention the entry point, which stays as it is
 */
export type PlanWarningCode =
  | 'fallback_shows'
  | 'permissions_lost'
  | 'too_many_commands'
  | 'daily_creates'
  | 'entry_point_missing';

export interface PlanWarning {
  readonly code: PlanWarningCode;
  /** For people. */
  readonly message: string;
  /** The command it is about; absent for the whole set. */
  readonly command?: { readonly type: CommandType; readonly name: string };
}
