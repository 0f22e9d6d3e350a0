import { componentTypes, textInputStyles } from '../../model/component.ts';
import type { InputDefinition } from './modal.ts';

type Kinds = typeof componentTypes;
type Kind = InputDefinition['type'];

/** The fields of inputs of one type beyond type and custom id, and the text below the heading. */
type More<Type extends Kind> = Omit<
  Extract<InputDefinition, { readonly type: Type }>,
  'type' | 'custom_id' | 'style'
> & {
  readonly description?: string;
};

/** An input under its heading as it was written, id and choices literally. */
interface Made<Type, Id, Fields> {
  readonly type: Kinds['LABEL'];
  readonly label: string;
  readonly description?: string;
  readonly component: { readonly type: Type; readonly custom_id: Id } & Omit<Fields, 'description'>;
}

/** Makes inputs of one type. */
interface Maker<Type extends Kind, Given = unknown> {
  <const Id extends string>(customId: Id, label: string): Made<Type, Id, Given>;
  <const Id extends string, const Fields extends More<Type>>(
    customId: Id,
    label: string,
    fields: Fields,
  ): Made<Type, Id, Fields & Given>;
}

/** As {@link Maker}, for inputs that need choices. */
type ChoiceMaker<Type extends Kind> = <const Id extends string, const Fields extends More<Type>>(
  customId: Id,
  label: string,
  fields: Fields,
) => Made<Type, Id, Fields>;

function maker<const Type extends Kind, const Given extends object>(type: Type, given: Given): Maker<Type, Given> {
  return (customId: string, label: string, { description, ...fields }: { readonly description?: string } = {}) =>
    ({
      type: componentTypes.LABEL,
      label,
      ...(description !== undefined && { description }),
      component: { type, custom_id: customId, ...given, ...fields },
    }) as unknown as Made<Type, never, never>;
}

/**
 * Makes the inputs of a modal, each under its heading: `field.text('name', 'What is it called?', { max_length: 40 })`.
 * The first is the id that its value is known by.
 */
export const field = {
  /** One line. */
  text: maker(componentTypes.TEXT_INPUT, { style: textInputStyles.SHORT }),
  /** Several lines. */
  paragraph: maker(componentTypes.TEXT_INPUT, { style: textInputStyles.PARAGRAPH }),
  select: maker(componentTypes.STRING_SELECT, {}) as ChoiceMaker<Kinds['STRING_SELECT']>,
  users: maker(componentTypes.USER_SELECT, {}),
  roles: maker(componentTypes.ROLE_SELECT, {}),
  mentionables: maker(componentTypes.MENTIONABLE_SELECT, {}),
  channels: maker(componentTypes.CHANNEL_SELECT, {}),
  /** One of several choices, all visible. */
  radio: maker(componentTypes.RADIO_GROUP, {}) as ChoiceMaker<Kinds['RADIO_GROUP']>,
  /** Any of several choices, all visible. */
  checkboxes: maker(componentTypes.CHECKBOX_GROUP, {}) as ChoiceMaker<Kinds['CHECKBOX_GROUP']>,
  checkbox: maker(componentTypes.CHECKBOX, {}),
} as const;
