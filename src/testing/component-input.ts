import {
  type Component,
  componentTypes,
  partsOf,
  type SubmittedComponent,
  usableComponents,
} from '../model/component.ts';
import type { Message } from '../model/message.ts';

/** The components of a message that can be used now. */
export function usable({ components }: Message): readonly Component[] {
  return usableComponents(components as readonly Component[]).filter(({ disabled }) => disabled !== true);
}

export function isNamed({ custom_id, label, placeholder }: Component, name: string): boolean {
  return custom_id === name || label === name || placeholder === name;
}

/** What a person reads on it. */
export function nameOf({ custom_id, label, placeholder }: Component): string {
  return label ?? placeholder ?? custom_id ?? '';
}

/** The inputs of a part of a form, each with the names that it is known by. */
export function inputsOf(component: Component): { readonly names: readonly string[] }[] {
  const { component: labelled, components = [] } = partsOf(component);
  if (labelled) return [{ names: [component.label ?? '', labelled.custom_id ?? ''] }];
  return components.map(({ label, custom_id }) => ({ names: [label ?? '', custom_id ?? ''] }));
}

/** What is filled into a form, by the label or custom id of the input. */
export type Filled = Readonly<Record<string, string | boolean | readonly string[]>>;

/** The part of a form with its values; inputs that are left out stay as the form showed them. */
export function filledIn(component: Component, values: Filled, label?: string): SubmittedComponent {
  const { type, id, custom_id } = component;
  const { component: labelled, components } = partsOf(component);
  const own = { type, ...(id !== undefined && { id }) };
  if (labelled) return { ...own, component: filledIn(labelled, values, component.label) };
  if (components) return { ...own, components: components.map(one => filledIn(one, values, one.label)) };
  if (custom_id === undefined) return own;
  const given = values[custom_id] ?? (label === undefined ? undefined : values[label]);
  if (type === componentTypes.TEXT_INPUT) return { ...own, custom_id, value: String(given ?? component.value ?? '') };
  if (type === componentTypes.CHECKBOX) return { ...own, custom_id, value: given === true || given === 'true' };
  if (type === componentTypes.RADIO_GROUP) {
    return { ...own, custom_id, value: given === undefined ? (defaultsOf(component)[0] ?? null) : String(given) };
  }
  const chosen = given === undefined ? defaultsOf(component) : typeof given === 'object' ? given : [String(given)];
  return { ...own, custom_id, values: chosen };
}

function defaultsOf({ options = [] }: Component): readonly string[] {
  return options.filter(option => option.default === true).map(({ value }) => value);
}
