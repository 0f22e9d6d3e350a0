import type { Command } from './command.ts';
import type { ApplicationId, Snowflake } from './snowflake.ts';
import type { User } from './user.ts';

/** An application that has commands in a {@link CommandIndex}. */
export interface IndexApplication {
  id: ApplicationId;
  name: string;
  icon: null;
  description: string;
  /** The user that its bot appears as. */
  bot: User;
}

/**
 * The commands that a user may use in a place, in the user's language: `name_localized` and `description_localized` in
 * place of the dictionaries.
 *
 * Unspecified, because the interface shows no shape: besides the commands, those applications that have any among them, and a
 * version that is equal exactly when all the rest is.
 *
 * @see docs/spec/commands.md#command-index
 */
export interface CommandIndex {
  applications: readonly IndexApplication[];
  application_commands: readonly Command[];
  version: Snowflake<'version'>;
}
