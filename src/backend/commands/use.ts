import type { CommandChoice, commandTypes } from '../../model/command.ts';
import type { CommandInteraction } from '../../model/interaction.ts';
import type { MessageId, UserId } from '../../model/snowflake.ts';
import type { ReceivedInteraction } from '../received-interaction.ts';
import type { OptionValues } from './option-values.ts';

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
