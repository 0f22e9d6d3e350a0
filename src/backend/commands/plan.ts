import type { Command, CommandType } from '../../model/command.ts';
import type { CommandChange } from '../../model/rules/commands/command-diff.ts';
import type { CommandPlace } from './calls.ts';
import type { DesiredCommand, DesiredContext } from './definition.ts';

/** What becomes of one command. */
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
  /** As it will be called; of one that goes, as it was. */
  readonly name: string;
}

/** What a deploy would do. */
export interface Plan {
  readonly place: CommandPlace;
  /** Definitions in their order, then what is registered beside them. */
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

/** What a plan must know beside the two sides. */
export interface PlanContext extends DesiredContext {
  readonly place: CommandPlace;
  /** For what the day's creates are worth now. */
  readonly nowMs: number;
  /** Commands of this guild that have permission overwrites; absent where nobody could tell. */
  readonly overwritten?: ReadonlySet<string> | undefined;
}

/**
 * Something to know before a plan is carried out.
 *
 * - `fallback_shows`: readers of a locale see another locale's text where neither their own nor the default is shown
 * - `permissions_lost`: a rename or delete drops the permission overwrites of a command
 * - `too_many_commands`: more of a type than a scope holds; deploying is refused
 * - `daily_creates`: the day's creates will not do; deploying goes on as they come back
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
