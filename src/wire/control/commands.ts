import type { Command } from '../../model/command.ts';
import type { CommandOverwrite } from '../../model/overwrite.ts';
import type { OverwriteLayer, PermitStepName } from '../../model/rules/permissions/permit.ts';
import type { ApplicationId, ChannelId, CommandId, GuildId, Snowflake, UserId } from '../../model/snowflake.ts';

/** `GET /control/commands?application_id=1&guild_id=5`; without `guild_id` all scopes of the application. */
export interface CommandsQuery {
  readonly application_id: ApplicationId;
  readonly guild_id?: GuildId;
}

export interface CommandsAnswer {
  readonly application_id: ApplicationId;
  /** The global one first. */
  readonly scopes: readonly CommandScope[];
}

export interface CommandScope {
  /** Null: global commands. */
  readonly guild_id: GuildId | null;
  readonly guild_name: string | null;
  readonly commands: readonly Command[];
  /** How many commands may still be created today; null: as many as one likes. */
  readonly creates_left: number | null;
}

/** `GET /control/commands/{id}/versions`: what changed while the process ran with its console on. The newest first, at most 20. */
export interface CommandVersionsAnswer {
  readonly versions: readonly CommandVersion[];
}

export interface CommandVersion {
  readonly version: Snowflake;
  readonly at_ms: number;
  /** Null: it was deleted. */
  readonly command: Command | null;
  /** The traffic entry that wrote it; null when it is not known. */
  readonly cause: number | null;
}

/** `POST /control/permissions/explain`: may this user use this command here? */
export interface ExplainBody {
  /** Of the command. */
  readonly command_id: CommandId;
  readonly guild_id: GuildId;
  /** A channel or thread; absent: in the guild as a whole. */
  readonly channel_id?: ChannelId | null;
  readonly user_id: UserId;
}

export interface ExplainAnswer {
  readonly allowed: boolean;
  /** The command's contexts, whether it is installed there, or the step of the evaluation. */
  readonly decided_by: 'contexts' | 'installation' | 'membership' | PermitStepName;
  /** In a sentence, for people. */
  readonly reason: string;
  /** Every rule in order, also those behind the one that decided. */
  readonly steps: readonly ExplainedStep[];
}

export interface ExplainedStep {
  readonly step: ExplainAnswer['decided_by'];
  /** `next`: this rule leaves the decision to the following ones; `skipped`: an earlier rule had decided. */
  readonly outcome: 'allow' | 'deny' | 'next' | 'skipped';
  /** What the rule is about, in a sentence. */
  readonly rule: string;
  /** What it found, in a sentence; empty when it was skipped. */
  readonly finding: string;
  readonly layer: OverwriteLayer | null;
  readonly overwrites: readonly CommandOverwrite[];
  /** Names of the permissions that are missing. */
  readonly missing: readonly string[];
}
