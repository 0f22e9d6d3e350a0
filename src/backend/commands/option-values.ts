import type { optionTypes } from '../../model/command.ts';
import type { OptionValue } from '../../model/interaction.ts';
import { isNesting } from '../../model/rules/commands/option.ts';
import type { ChannelId, RoleId, Snowflake, UserId } from '../../model/snowflake.ts';

/**
 * What a use of a command carries, inferred from its definition: the values by option name, or which subcommand was
 * chosen and the values of that. A required option has a value, another may be undefined; choices are the only values.
 *
 * @see docs/spec/interactions.md#data; docs/spec/commands.md#subcommands
 */
export type OptionValues<Definition> = Definition extends { readonly options: readonly (infer Option)[] }
  ? [Option] extends [Nesting]
    ? Chosen<Option>
    : Values<Option>
  : Values<never>;

/** One of the subcommands, inside a group or not. */
type Chosen<Option> = Option extends { readonly type: Kinds['SUB_COMMAND']; readonly name: infer Name }
  ? { readonly group?: undefined; readonly subcommand: Name; readonly options: OptionValues<Option> }
  : Option extends { readonly name: infer Group; readonly options: readonly (infer Subcommand)[] }
    ? ChosenInGroup<Group, Subcommand>
    : never;

type ChosenInGroup<Group, Subcommand> = Subcommand extends { readonly name: infer Name }
  ? { readonly group: Group; readonly subcommand: Name; readonly options: OptionValues<Subcommand> }
  : never;

type Values<Option> = {
  readonly [Parameter in Option as NameOf<Parameter>]: Parameter extends { readonly required: true }
    ? ValueOf<Parameter>
    : ValueOf<Parameter> | undefined;
};

type NameOf<Option> = Option extends { readonly name: infer Name extends string } ? Name : never;

type ValueOf<Option> = Option extends { readonly choices: readonly { readonly value: infer Value }[] }
  ? [Value] extends [never]
    ? AnyValueOf<Option>
    : Value
  : AnyValueOf<Option>;

type AnyValueOf<Option> = Option extends { readonly type: infer Type extends keyof ValueTypes }
  ? ValueTypes[Type]
  : never;

interface ValueTypes {
  3: string;
  4: number;
  5: boolean;
  6: UserId;
  7: ChannelId;
  8: RoleId;
  /** A user's or a role's. */
  9: Snowflake;
  10: number;
  /** Of the attachment in `resolved`. */
  11: Snowflake;
}

type Kinds = typeof optionTypes;
type Nesting = { readonly type: Kinds['SUB_COMMAND'] | Kinds['SUB_COMMAND_GROUP'] };

/** Lays the values of a use out as {@link OptionValues} says; that they fit the definition is checked before. */
export function readOptionValues(values: readonly OptionValue[] | undefined): unknown {
  const [first] = values ?? [];
  return first && isNesting(first.type) ? readChosen(first) : valuesByName(values ?? []);
}

function readChosen({ name, options }: OptionValue): object {
  const [inner] = options ?? [];
  if (!inner || !isNesting(inner.type)) return { subcommand: name, options: valuesByName(options ?? []) };
  return { group: name, subcommand: inner.name, options: valuesByName(inner.options ?? []) };
}

function valuesByName(values: readonly OptionValue[]): object {
  // Without a prototype an option that was left out is undefined whatever its name is.
  const byName: Record<string, OptionValue['value']> = Object.create(null);
  for (const { name, value } of values) byName[name] = value;
  return byName;
}
