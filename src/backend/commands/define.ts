import { checkCommand } from '../../model/rules/commands/command.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import { traitsUnknown } from '../traits.ts';
import type { Checked, CommandDefinition } from './definition.ts';
import type { CommandUse, Suggestion, SuggestionUse } from './use.ts';

/** What happens when a command is used, and what is suggested while its options are typed. */
export interface CommandHandlers<Definition> {
  use?(use: CommandUse<Definition>): void | Promise<void>;
  /** At most `limits.optionChoicesMax` suggestions for the focused option. */
  suggest?(use: SuggestionUse<Definition>): readonly Suggestion[] | Promise<readonly Suggestion[]>;
}

/** A definition that passed its check, with its handlers. */
export type DefinedCommand<Definition = CommandDefinition> = Definition & Readonly<CommandHandlers<Definition>>;

/**
 * Defines a command: its registration and, from the same text, the types its handler sees.
 *
 * @param definition as the interface shapes a command; `option` makes options in few words
 * @param handlers what a router calls; a function alone handles the command's use
 * @throws ValidationError every fault the types could not tell. What depends on the application (entry points, age
 *   restriction) or on the scope is checked when a plan is made.
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
  rejectIssues(
    `The command "${definition.name}"`,
    checkCommand(definition, { scope: 'global', traits: traitsUnknown }),
  );
  return { ...definition, ...(typeof handlers === 'function' ? { use: handlers } : handlers) };
}
