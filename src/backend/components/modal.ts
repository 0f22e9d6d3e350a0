import type {
  Component,
  ComponentChoice,
  componentTypes,
  Modal,
  SubmittedComponent,
  textInputStyles,
} from '../../model/component.ts';
import type { ModalInteraction } from '../../model/interaction.ts';
import { checkModal } from '../../model/rules/interactions/callback.ts';
import type { ChannelId, RoleId, Snowflake, UserId } from '../../model/snowflake.ts';
import { requireType } from '../../wire/arguments.ts';
import { rejectIssues } from '../../wire/http/check.ts';
import type { ReceivedInteraction } from '../interactions/received-interaction.ts';
import {
  type CustomIdArguments,
  type CustomIdParameter,
  type CustomIdValues,
  customId,
  customIdReader,
  hasParameters,
} from './custom-id.ts';

/**
 * Modals as a game writes them down: the interface's own shape, each input under a label. What types cannot tell
 * (lengths, counts, ids of different inputs) the rulebook says.
 *
 * @see docs/spec/interactions.md#modals
 */

type Kinds = typeof componentTypes;

interface Input<Type> {
  readonly type: Type;
  /** What the value is known by: at most `componentLimits.customIdLengthMax` characters. */
  readonly custom_id: string;
  /** Default true. */
  readonly required?: boolean;
}

export interface TextInputDefinition extends Input<Kinds['TEXT_INPUT']> {
  /** One line or several. */
  readonly style: (typeof textInputStyles)[keyof typeof textInputStyles];
  readonly min_length?: number;
  readonly max_length?: number;
  /** What stands there at first. */
  readonly value?: string;
  readonly placeholder?: string;
}

interface Counted {
  /** Default 1. */
  readonly min_values?: number;
  /** Default 1; of a checkbox group all. */
  readonly max_values?: number;
}

export interface StringSelectDefinition extends Input<Kinds['STRING_SELECT']>, Counted {
  readonly options: readonly ComponentChoice[];
  readonly placeholder?: string;
}

type PickedTypes = 'USER_SELECT' | 'ROLE_SELECT' | 'MENTIONABLE_SELECT' | 'CHANNEL_SELECT';

/** A select among what the guild has. */
export interface PickDefinition<Type extends PickedTypes> extends Input<Kinds[Type]>, Counted {
  readonly placeholder?: string;
  readonly default_values?: readonly { readonly id: string; readonly type: 'user' | 'role' | 'channel' }[];
  /** Of a channel select. */
  readonly channel_types?: readonly number[];
}

export interface RadioGroupDefinition extends Input<Kinds['RADIO_GROUP']> {
  readonly options: readonly ComponentChoice[];
}

export interface CheckboxGroupDefinition extends Input<Kinds['CHECKBOX_GROUP']>, Counted {
  readonly options: readonly ComponentChoice[];
}

export interface CheckboxDefinition extends Omit<Input<Kinds['CHECKBOX']>, 'required'> {
  /** Whether it is checked at first. */
  readonly default?: boolean;
}

export type InputDefinition =
  | TextInputDefinition
  | StringSelectDefinition
  | PickDefinition<'USER_SELECT'>
  | PickDefinition<'ROLE_SELECT'>
  | PickDefinition<'MENTIONABLE_SELECT'>
  | PickDefinition<'CHANNEL_SELECT'>
  | RadioGroupDefinition
  | CheckboxGroupDefinition
  | CheckboxDefinition;

/** An input with its heading. */
export interface LabelDefinition extends Pick<Component, 'id'> {
  readonly type: Kinds['LABEL'];
  readonly label: string;
  readonly description?: string;
  readonly component: InputDefinition;
}

/** Text between inputs. */
export interface TextDisplayDefinition extends Pick<Component, 'id'> {
  readonly type: Kinds['TEXT_DISPLAY'];
  readonly content: string;
}

export interface ModalDefinition extends Omit<Modal, 'components'> {
  readonly components: readonly (LabelDefinition | TextDisplayDefinition)[];
}

/**
 * What a user filled in, inferred from the modal's definition: values by custom id. A text that was left empty is `''`, a
 * choice that need not be made null, a list empty.
 *
 * @see docs/spec/interactions.md#submitted-modal
 */
export type ModalValues<Definition> = Definition extends { readonly components: readonly (infer Item)[] }
  ? { readonly [Input in InputOf<Item> as IdOf<Input>]: ValueOf<Input> }
  : never;

type InputOf<Item> = Item extends { readonly component: infer Input } ? Input : never;

type IdOf<Input> = Input extends { readonly custom_id: infer Id extends string } ? Id : never;

type ValueOf<Input> = Input extends { readonly type: infer Type extends keyof ValueTypes<Input> }
  ? ValueTypes<Input>[Type]
  : never;

interface ValueTypes<Input> {
  3: readonly ChoiceOf<Input>[];
  4: string;
  5: readonly UserId[];
  6: readonly RoleId[];
  /** Users' and roles'. */
  7: readonly Snowflake[];
  8: readonly ChannelId[];
  21: ChoiceOf<Input> | (Input extends { readonly required: false } ? null : never);
  22: readonly ChoiceOf<Input>[];
  23: boolean;
}

type ChoiceOf<Input> = Input extends { readonly options: readonly { readonly value: infer Value }[] } ? Value : string;

/** Lays the values of a submission out as {@link ModalValues} says; that they fit the modal is checked before. */
export function readModalValues(components: readonly SubmittedComponent[]): object {
  // Without a prototype an input that there is none of is undefined whatever its id is.
  const byId: Record<string, unknown> = Object.create(null);
  for (const { component, components: inRow = [] } of components) {
    for (const { custom_id, value, values } of component ? [component] : inRow) {
      if (custom_id !== undefined) byId[custom_id] = values ?? value;
    }
  }
  return byId;
}

/** A modal that a user filled in, with what its definition says it carries. */
export interface ModalUse<Definition> extends ReceivedInteraction {
  readonly payload: ModalInteraction;
  /** By custom id. */
  readonly values: ModalValues<Definition>;
  /** Of a modal whose custom id is a pattern: the values of its parameters. */
  readonly params: CustomIdValues<IdOf<Definition>>;
  /** What the modal was shown with. */
  readonly argument: string | undefined;
}

/** What happens when a modal is submitted. */
export interface ModalHandlers<Definition> {
  submit?(use: ModalUse<Definition>): void | Promise<void>;
}

/** A definition that passed its check, with its handler. */
export type DefinedModal<Definition = ModalDefinition> = Definition &
  Readonly<ModalHandlers<Definition>> &
  WithParams<IdOf<Definition>>;

/** Only of a modal whose custom id is a pattern with parameters. */
type WithParams<Id extends string> = string extends Id
  ? unknown
  : [CustomIdParameter<Id>] extends [never]
    ? unknown
    : {
        /** The modal with values for the parameters of its custom id, to be shown. @throws ValidationError as {@link customId} */
        withParams(...values: CustomIdArguments<Id>): Modal;
      };

/**
 * Defines a modal: what is shown and, from the same definition, the types of its handler.
 *
 * @param definition as the interface shapes a modal; `field` makes inputs in few words. Its custom id may be a pattern such as
 *   `report/:userId`: show `report.withParams({ userId: '42' })`, and the handler receives `params`. Otherwise it has no colon, as what
 *   follows one is the argument that it is shown with.
 * @param submit what a router calls
 * @throws ValidationError with every fault that the types cannot find; ArgumentError `invalid_custom_id_pattern`
 * @example
 * ```ts
 * const report = defineModal(
 *   { custom_id: 'report', title: 'Report a player', components: [field.paragraph('what', 'What happened?')] },
 *   ({ values, reply }) => reply({ content: `Thank you: ${values.what}`, flags: messageFlags.EPHEMERAL }),
 * );
 * ```
 */
export function defineModal<const Definition extends ModalDefinition>(
  definition: Definition,
  submit?: NonNullable<ModalHandlers<Definition>['submit']>,
): DefinedModal<Definition> {
  requireType('definition', definition, 'object');
  rejectIssues(`The modal "${definition.custom_id}"`, checkModal(definition));
  const { custom_id, title, components } = definition;
  const withParams = (values: Readonly<Record<string, string | number>>): Modal => ({
    custom_id: customId(custom_id, values),
    title,
    components,
  });
  const defined = { ...definition, ...(submit && { submit }) };
  if (!hasParameters(custom_id)) return defined as DefinedModal<Definition>;
  customIdReader(custom_id); // Checks the pattern.
  return { ...defined, withParams } as unknown as DefinedModal<Definition>;
}
