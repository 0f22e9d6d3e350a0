import type { CommandInput, CommandOption, commandTypes, OptionType, optionTypes } from '../../model/command.ts';
import type { DesiredCommand } from '../../model/rules/commands/plan/desired.ts';

/**
 * Definitions of commands: the interface's own shape, with types that reject what the rules reject, as far as types can.
 * The rest (lengths, counts, letters) is checked at run time.
 *
 * @see docs/spec/commands.md#command; docs/spec/commands.md#options; docs/spec/commands.md#subcommands
 */

type Types = typeof commandTypes;
type Kinds = typeof optionTypes;

/** Fields every type of command may have. */
type CommonFields = Omit<DesiredCommand, 'type' | 'description' | 'description_localizations' | 'options' | 'handler'>;

/** A command typed in chat. */
export interface ChatDefinition extends CommonFields {
  readonly type?: Types['CHAT_INPUT'] | null;
  readonly description: string;
  readonly description_localizations?: CommandInput['description_localizations'];
  readonly options?: readonly ParameterDefinition[] | readonly (SubcommandDefinition | GroupDefinition)[] | null;
  readonly handler?: null;
}

/** A command of a user's or a message's context menu. */
export interface MenuDefinition extends CommonFields {
  readonly type: Types['USER'] | Types['MESSAGE'];
  readonly description?: '' | null;
  readonly description_localizations?: null;
  readonly options?: readonly [] | null;
  readonly handler?: null;
}

/** The command that launches the application's Activity; global only. */
export interface EntryPointDefinition extends CommonFields {
  readonly type: Types['PRIMARY_ENTRY_POINT'];
  readonly description: string;
  readonly description_localizations?: CommandInput['description_localizations'];
  readonly options?: readonly [] | null;
  readonly handler?: CommandInput['handler'];
}

export type CommandDefinition = ChatDefinition | MenuDefinition | EntryPointDefinition;

/** What all options have. */
type Described = Readonly<
  Pick<CommandOption, 'name' | 'name_localizations' | 'description' | 'description_localizations'>
>;
type ParticularField = Exclude<keyof CommandOption, keyof Described | 'type'>;

/** An option of one type: the particular fields it takes, and none of the others. */
type OptionOf<Type extends OptionType, Fields = unknown> = Type extends unknown
  ? Described & { readonly type: Type } & Fields & {
        readonly [Field in Exclude<ParticularField, keyof Fields>]?: never;
      }
  : never;

interface Parameter {
  readonly required?: boolean;
}

interface ChoiceOf<Value>
  extends Readonly<Pick<Required<CommandOption>['choices'][number], 'name' | 'name_localizations'>> {
  readonly value: Value;
}

/** Values to choose from, or suggestions while the user types; never both. */
type Choosable<Value> =
  | { readonly choices?: readonly ChoiceOf<Value>[]; readonly autocomplete?: false }
  | { readonly choices?: readonly []; readonly autocomplete: true };

type Lengths = Readonly<Pick<CommandOption, 'min_length' | 'max_length'>>;
type Bounds = Readonly<Pick<CommandOption, 'min_value' | 'max_value'>>;

/** An option that takes a value. */
export type ParameterDefinition =
  | OptionOf<Kinds['STRING'], Parameter & Choosable<string> & Lengths>
  | OptionOf<Kinds['INTEGER'] | Kinds['NUMBER'], Parameter & Choosable<number> & Bounds>
  | OptionOf<Kinds['BOOLEAN'] | Kinds['USER'] | Kinds['ROLE'] | Kinds['MENTIONABLE'], Parameter>
  | OptionOf<Kinds['CHANNEL'], Parameter & Readonly<Pick<CommandOption, 'channel_types'>>>
  | OptionOf<Kinds['ATTACHMENT'], Parameter & Readonly<Pick<CommandOption, 'file_types'>>>;

export type SubcommandDefinition = OptionOf<
  Kinds['SUB_COMMAND'],
  { readonly options?: readonly ParameterDefinition[] }
>;
export type GroupDefinition = OptionOf<
  Kinds['SUB_COMMAND_GROUP'],
  { readonly options?: readonly SubcommandDefinition[] }
>;
export type OptionDefinition = ParameterDefinition | SubcommandDefinition | GroupDefinition;

/**
 * What a definition's type must be besides a {@link CommandDefinition}: without fields nobody knows, names in lower
 * case, options of different names, the required ones first. A fault turns the type of the field into a sentence.
 */
export type Checked<Definition> = NoOthers<Definition, keyof DesiredCommand> &
  (Definition extends { readonly type: Types['USER'] | Types['MESSAGE'] | Types['PRIMARY_ENTRY_POINT'] }
    ? unknown
    : LowerCase<Definition> & CheckedOptions<Definition>);

type CheckedOptions<Item> = Item extends { readonly options: infer Options extends readonly OptionDefinition[] }
  ? { readonly options: CheckedList<Options> & Ordered<Options> }
  : unknown;

type CheckedList<Options> = { readonly [Index in keyof Options]: CheckedOption<Options[Index]> };

type CheckedOption<Option> = NoOthers<Option, keyof CommandOption> & LowerCase<Option> & CheckedOptions<Option>;

type NoOthers<Item, Known> = { readonly [Key in Exclude<keyof Item, Known>]: Fault<'There is no such field.'> };

type LowerCase<Item> = Item extends { readonly name: infer Name extends string }
  ? string extends Name
    ? unknown
    : Name extends Lowercase<Name>
      ? unknown
      : { readonly name: Fault<'A name typed in chat is in lower case.'> }
  : unknown;

/** An object, because TypeScript makes `never` of a text that is to be another text, and the error then shows no sentence. */
type Fault<Sentence extends string> = { readonly fault: Sentence };

/** Walks a list of known options; one whose options are known at run time only passes. */
type Ordered<Options, Names = never, OptionalSeen = false> = Options extends readonly [infer First, ...infer Rest]
  ? First extends { readonly name: infer Name }
    ? Name extends Names
      ? Fault<'Two options have the same name.'>
      : First extends { readonly required: true }
        ? OptionalSeen extends true
          ? Fault<'Required options come before optional ones.'>
          : Ordered<Rest, Names | Name, OptionalSeen>
        : Ordered<Rest, Names | Name, true>
    : unknown
  : unknown;
