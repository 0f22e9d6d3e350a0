import { type Component, componentTypes, partsOf, type SubmittedComponent } from '../../../model/component.ts';

const { TEXT_INPUT, RADIO_GROUP, CHECKBOX } = componentTypes;

/** What was filled into a form, by the custom ids of its inputs: the text, the choice, or the choices. */
export type Filled = ReadonlyMap<string, string | boolean | readonly string[]>;

/** What a form shows at first. */
export function initialValues(components: readonly Component[]): Filled {
  const found = new Map<string, string | boolean | readonly string[]>();
  const visit = (one: Component): void => {
    const { components: list = [], component } = partsOf<Component>(one);
    for (const part of [...list, ...(component ? [component] : [])]) visit(part);
    if (one.custom_id === undefined) return;
    const chosen = defaultsOf(one);
    if (one.type === TEXT_INPUT) found.set(one.custom_id, one.value ?? '');
    else if (one.type === CHECKBOX) found.set(one.custom_id, one.default === true);
    else if (one.type === RADIO_GROUP) found.set(one.custom_id, chosen[0] ?? '');
    else found.set(one.custom_id, chosen);
  };
  components.forEach(visit);
  return found;
}

function defaultsOf({ options = [], default_values = [] }: Component): readonly string[] {
  const ofOptions = options.filter(option => option.default === true).map(({ value }) => value);
  return ofOptions.length > 0 ? ofOptions : default_values.map(({ id }) => id);
}

/** The form as a client sends it. @see docs/spec/interactions.md#submitted-modal */
export function submissionOf(components: readonly Component[], filled: Filled): readonly SubmittedComponent[] {
  const fill = (one: Component): SubmittedComponent => {
    const { type, id, custom_id } = one;
    const { components: list, component } = partsOf<Component>(one);
    const own = { type, ...(id !== undefined && { id }) };
    if (component) return { ...own, component: fill(component) };
    if (list) return { ...own, components: list.map(fill) };
    if (custom_id === undefined) return own;
    const value = filled.get(custom_id);
    if (type === TEXT_INPUT) return { ...own, custom_id, value: String(value ?? '') };
    if (type === CHECKBOX) return { ...own, custom_id, value: value === true };
    if (type === RADIO_GROUP)
      return { ...own, custom_id, value: value === '' || value === undefined ? null : String(value) };
    return { ...own, custom_id, values: Array.isArray(value) ? value : [] };
  };
  return components.map(fill);
}
