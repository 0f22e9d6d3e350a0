import type { Modal } from '../../model/component.ts';
import { ArgumentError, ValidationError } from '../../model/errors/errors.ts';
import type { ComponentInteraction, ModalInteraction } from '../../model/interaction.ts';
import { messageFlags } from '../../model/message.ts';
import { checkSubmission } from '../../model/rules/components/component-values.ts';
import type { ComponentUse, ReceivedInteraction } from '../interactions/received-interaction.ts';
import { customIdReader, customIdShape, hasParameters } from './custom-id.ts';
import { readModalValues } from './modal.ts';

/** A component with its handler. */
export interface RoutedComponent {
  /** The custom id up to the first colon; the rest is the argument. */
  readonly custom_id: string;
  readonly use: (use: ComponentUse) => void | Promise<void>;
}

/** A component that `defineComponent` made, with a handler of any type. */
export interface RoutedPattern {
  readonly custom_id?: undefined;
  readonly pattern: string;
  readonly use: (use: never) => void | Promise<void>;
}

/** A modal with a handler of any type. */
export interface RoutedModal extends Modal {
  readonly submit?: (use: never) => void | Promise<void>;
}

/** Passes an interaction to its handler; undefined if there is none. */
export type Route<Payload> = (interaction: ReceivedInteraction, payload: Payload) => Promise<void> | undefined;

/**
 * A handler of the whole custom id comes first, then patterns in their order, then a handler of the part before a colon.
 *
 * @throws ArgumentError `duplicate_custom_id`
 */
export function routeComponents(components: readonly (RoutedComponent | RoutedPattern)[]): Route<ComponentInteraction> {
  const byId = byCustomId(components.filter(isPlain));
  const patterns = components.filter(one => !isPlain(one));
  byCustomId(patterns.map(({ pattern }) => ({ custom_id: customIdShape(pattern) })));
  const readers = patterns.map(({ pattern, use }) => ({ read: customIdReader(pattern), use }));

  return (interaction, payload) => {
    const customId = payload.data?.custom_id;
    if (typeof customId !== 'string') return undefined;
    const given = { ...interaction, payload, values: payload.data.values ?? [] };
    if (!byId.has(customId)) {
      for (const { read, use } of readers) {
        const params = read(customId);
        if (params) return Promise.resolve(use({ ...given, params } as never));
      }
    }
    const found = find(byId, customId);
    return found && Promise.resolve(found.routed.use({ ...given, argument: found.argument }));
  };
}

function isPlain(component: RoutedComponent | RoutedPattern): component is RoutedComponent {
  return component.custom_id !== undefined;
}

/**
 * Values are checked against the definition first. If they do not fit, because another version of the application showed
 * the modal, the user is told that the form is outdated and the handler rejects with a ValidationError.
 *
 * @throws ArgumentError `duplicate_custom_id`
 */
export function routeModals(modals: readonly RoutedModal[]): Route<ModalInteraction> {
  const [patterns, plain] = partition(modals, ({ custom_id }) => hasParameters(custom_id));
  const byId = byCustomId(plain);
  byCustomId(patterns.map(({ custom_id }) => ({ custom_id: customIdShape(custom_id) })));
  const readers = patterns.map(modal => ({ read: customIdReader(modal.custom_id), modal }));

  return (interaction, payload) => {
    const customId = payload.data?.custom_id;
    if (typeof customId !== 'string') return undefined;
    if (!byId.has(customId)) {
      for (const { read, modal } of readers) {
        const params = read(customId);
        if (params) return modal.submit && submit(interaction, payload, modal, { params, argument: undefined });
      }
    }
    const found = find(byId, customId);
    if (!found?.routed.submit) return undefined;
    return submit(interaction, payload, found.routed, { params: {}, argument: found.argument });
  };
}

function partition<Item>(list: readonly Item[], fits: (item: Item) => boolean): [fitting: Item[], others: Item[]] {
  return [list.filter(fits), list.filter(item => !fits(item))];
}

async function submit(
  interaction: ReceivedInteraction,
  payload: ModalInteraction,
  modal: RoutedModal,
  carried: { readonly params: Readonly<Record<string, string>>; readonly argument: string | undefined },
): Promise<void> {
  const { components, custom_id } = payload.data;
  const issues = checkSubmission(components, modal.components);
  if (issues.length > 0) {
    const content = 'This form has just changed. Open it again.';
    await interaction.reply({ content, flags: messageFlags.EPHEMERAL });
    throw new ValidationError(`The submission of "${custom_id}"`, issues);
  }
  const given = { ...interaction, payload, values: readModalValues(components), ...carried };
  await modal.submit?.(given as never);
}

function byCustomId<Routed extends { readonly custom_id: string }>(
  list: readonly Routed[],
): ReadonlyMap<string, Routed> {
  const found = new Map<string, Routed>();
  for (const routed of list) {
    const { custom_id } = routed;
    if (found.has(custom_id)) {
      throw new ArgumentError('duplicate_custom_id', `Two handlers are registered for the custom id "${custom_id}".`);
    }
    found.set(custom_id, routed);
  }
  return found;
}

/** Finds a handler by the whole custom id, or else by the part before its first colon. */
function find<Routed>(byId: ReadonlyMap<string, Routed>, customId: string | undefined) {
  if (typeof customId !== 'string') return undefined;
  const whole = byId.get(customId);
  if (whole) return { routed: whole, argument: undefined };
  const colon = customId.indexOf(':');
  const routed = colon < 0 ? undefined : byId.get(customId.slice(0, colon));
  return routed && { routed, argument: customId.slice(colon + 1) };
}
