import { type Component, componentTypes, partsOf, type SubmittedComponent } from '../component.ts';

const { TEXT_INPUT, RADIO_GROUP, CHECKBOX } = componentTypes;

/** The components with a number each: those without one get the lowest that are free, in the order they are shown. */
export function numberComponents(components: readonly Component[]): readonly Component[] {
  const taken = new Set(idsOf(components));
  let next = 1;
  const number = (one: Component): Component => {
    while (!one.id && taken.has(next)) next++;
    const id = one.id || next++;
    const { components: list, accessory, component } = one;
    return {
      ...one,
      id,
      ...(list && { components: list.map(number) }),
      ...(accessory && { accessory: number(accessory) }),
      ...(component && { component: number(component) }),
    };
  };
  return components.map(number);
}

function idsOf(components: readonly Component[]): readonly number[] {
  return components.flatMap(one => [...(one.id ? [one.id] : []), ...idsOf(partsOf(one))]);
}

/** One input as a client sends it: judged by `checkSubmission` before. */
type Given = Pick<SubmittedComponent, 'custom_id' | 'value' | 'values' | 'components' | 'component'>;

/** What was filled in, laid out as the modal that was shown. */
export function fillModal(shown: readonly Component[], given: readonly Given[]): readonly SubmittedComponent[] {
  const byId = new Map<string, Given>();
  for (const { components = [], component } of given) {
    for (const one of component ? [component] : components) byId.set(one.custom_id ?? '', one);
  }
  return shown.map(one => fill(one, byId));
}

function fill(
  { type, id, custom_id, components, component }: Component,
  given: ReadonlyMap<string, Given>,
): SubmittedComponent {
  return {
    type,
    ...(id !== undefined && { id }),
    ...(custom_id !== undefined && { custom_id, ...filledIn(type, given.get(custom_id)) }),
    ...(components && { components: components.map(one => fill(one, given)) }),
    ...(component && { component: fill(component, given) }),
  };
}

function filledIn(type: number, given: Given | undefined): Pick<SubmittedComponent, 'value' | 'values'> {
  if (type === TEXT_INPUT) return { value: given?.value ?? '' };
  if (type === RADIO_GROUP) return { value: given?.value ?? null };
  if (type === CHECKBOX) return { value: given?.value === true };
  return { values: (given?.values ?? []).map(String) };
}
