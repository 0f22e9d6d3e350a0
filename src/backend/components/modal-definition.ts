import type { Component, ComponentChoice, componentTypes, Modal, textInputStyles } from '../../model/component.ts';

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
