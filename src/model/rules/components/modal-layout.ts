import { type Component, componentTypes, isUsable, partsOf, type SubmittedComponent } from '../../component.ts';

const { TEXT_INPUT, RADIO_GROUP, CHECKBOX } = componentTypes;

/** The components with a number each: those without one get the lowest that are free, in the order they are shown. */
export function numberComponents(components: readonly Component[]): readonly Component[] {
  const taken = new Set(idsOf(components));
  let next = 1;
  const number = (one: Component): Component => {
    while (!one.id && taken.has(next)) next++;
    const id = one.id || next++;
    const { components: list, accessory, component } = partsOf<Component>(one);
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
  return components.flatMap(one => {
    const { components: list = [], accessory, component } = partsOf<Component>(one);
    const below = [...list, ...(accessory ? [accessory] : []), ...(component ? [component] : [])];
    return [...(one.id ? [one.id] : []), ...idsOf(below)];
  });
}

/** One input as a client sends it, and its place in the list of components. */
export interface GivenInput {
  readonly input: SubmittedComponent;
  readonly path: readonly string[];
}

/** The inputs of a submission that `checkSubmission` accepted. */
export function givenInputs(given: readonly SubmittedComponent[]): readonly GivenInput[] {
  return given.flatMap((layout, i) => {
    const { components = [], component } = partsOf<SubmittedComponent>(layout);
    return [
      ...(component ? [{ input: component, path: [String(i), 'component'] }] : []),
      ...components.map((input, j) => ({ input, path: [String(i), 'components', String(j)] })),
    ];
  });
}

/** What was filled in, laid out as the modal that was shown. */
export function fillModal(
  shown: readonly Component[],
  given: readonly SubmittedComponent[],
): readonly SubmittedComponent[] {
  const byId = new Map(givenInputs(given).map(({ input }) => [input.custom_id, input]));
  return shown.map(one => fill(one, byId));
}

type GivenById = ReadonlyMap<string | undefined, SubmittedComponent>;

function fill(one: Component, given: GivenById): SubmittedComponent {
  const { type, id } = one;
  const { components, component } = partsOf<Component>(one);
  return {
    type,
    ...(id !== undefined && { id }),
    ...(components && { components: components.map(part => fill(part, given)) }),
    ...(component && { component: fill(component, given) }),
    ...(isUsable(one) && { custom_id: one.custom_id, ...filledIn(type, given.get(one.custom_id)) }),
  };
}

function filledIn(type: number, given: SubmittedComponent | undefined): Pick<SubmittedComponent, 'value' | 'values'> {
  if (type === TEXT_INPUT) return { value: given?.value ?? '' };
  if (type === RADIO_GROUP) return { value: given?.value ?? null };
  if (type === CHECKBOX) return { value: given?.value === true };
  return { values: (given?.values ?? []).map(String) };
}
