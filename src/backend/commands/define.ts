import type { CommandChoice, commandTypes } from '../../model/command.ts';
import type { CommandInteraction } from '../../model/interaction.ts';
import { checkCommand } from '../../model/rules/commands/command.ts';
import { traitsUnknown } from '../../model/rules/commands/plan/desired.ts';
import type { MessageId, UserId } from '../../model/snowflake.ts';
import { requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { ReceivedInteraction } from '../interactions/received-interaction.ts';
import type { Checked, CommandDefinition } from './definition.ts';
import type { OptionValues } from './option-values.ts';

/** What happens when a command is used, and what is suggested while its options are typed. */
export interface CommandHandlers<Definition> {
  use?(use: CommandUse<Definition>): void | Promise<void>;
  /** At most `limits.optionChoicesMax` suggestions for the focused option. */
  suggest?(use: SuggestionUse<Definition>): readonly Suggestion[] | Promise<readonly Suggestion[]>;
}

/** A definition that passed its check, with its handlers. */
export type DefinedCommand<Definition = CommandDefinition> = Definition & Readonly<CommandHandlers<Definition>>;

/**
 * Defines a command: its registration and, from the same definition, the types of its handler.
 *
 * @param definition as the interface shapes a command; `option` makes options in few words
 * @param handlers what a router calls; a function alone handles the command's use
 * @throws ValidationError with every fault that the types cannot find. Rules that depend on the application (entry points,
 *   age restriction) or on the scope are checked when a plan is made.
 * @example
 * ```ts
 * const rally = defineCommand(
 *   {
 *     name: 'rally',
 *     description: 'Calls your party together',
 *     options: [option.string('map', 'Where', { required: true, choices: [{ name: 'Harbour', value: 'harbour' }] })],
 *   },
 *   ({ options, reply }) => reply({ content: `Meet at the ${options.map}!` }),
 * );
 * ```
 */
export function defineCommand<const Definition extends CommandDefinition>(
  definition: Definition & Checked<Definition>,
  handlers: CommandHandlers<Definition> | NonNullable<CommandHandlers<Definition>['use']> = {},
): DefinedCommand<Definition> {
  requireType('definition', definition, 'object');
  rejectIssues(
    `The command "${definition.name}"`,
    checkCommand(definition, { scope: 'global', traits: traitsUnknown }),
  );
  return { ...definition, ...(typeof handlers === 'function' ? { use: handlers } : handlers) };
}

/** A use of a command, with what its definition says it carries. */
export interface CommandUse<Definition> extends ReceivedInteraction {
  readonly payload: CommandInteraction;
  /** Values by option name; of a command with subcommands, which was chosen and its values. */
  readonly options: OptionValues<Definition>;
  /** What a context-menu command was used on. */
  readonly targetId: TargetOf<Definition>;
}

type Types = typeof commandTypes;
type TargetOf<Definition> = Definition extends { readonly type: infer Type }
  ? Type extends Types['USER']
    ? UserId
    : Type extends Types['MESSAGE']
      ? MessageId
      : undefined
  : undefined;

/** Someone is typing an option that is answered by suggestions. */
export interface SuggestionUse<Definition> extends ReceivedInteraction {
  readonly payload: CommandInteraction;
  /** The option being typed, and the text so far. */
  readonly focused: { readonly name: SuggestedName<Definition>; readonly value: string };
  /** What is filled in so far, unchecked; required options may be missing. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Names of the options with `autocomplete`, on every level. */
type SuggestedName<Definition> = Definition extends { readonly options: readonly (infer Option)[] }
  ? Option extends { readonly autocomplete: true; readonly name: infer Name extends string }
    ? Name
    : SuggestedName<Option>
  : never;

/** One answer to a {@link SuggestionUse}; its value is of the option's type. */
export type Suggestion = CommandChoice;
