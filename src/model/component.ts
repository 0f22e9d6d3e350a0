import type { Snowflake } from './snowflake.ts';

/**
 * What messages and modals are built of: layouts that hold others, contents that show something, and those a user acts
 * on, which have a `custom_id`.
 *
 * @see docs/spec/interactions.md#data; docs/spec/interactions.md#answers
 */
export const componentTypes = {
  ACTION_ROW: 1,
  BUTTON: 2,
  STRING_SELECT: 3,
  TEXT_INPUT: 4,
  USER_SELECT: 5,
  ROLE_SELECT: 6,
  MENTIONABLE_SELECT: 7,
  CHANNEL_SELECT: 8,
  SECTION: 9,
  TEXT_DISPLAY: 10,
  THUMBNAIL: 11,
  MEDIA_GALLERY: 12,
  FILE: 13,
  SEPARATOR: 14,
  CONTAINER: 17,
  /** In modals: a heading above the one component it holds. */
  LABEL: 18,
  FILE_UPLOAD: 19,
  RADIO_GROUP: 21,
  CHECKBOX_GROUP: 22,
  CHECKBOX: 23,
} as const;
export type ComponentType = (typeof componentTypes)[keyof typeof componentTypes];

/** LINK opens an address and PREMIUM a purchase; neither sends an interaction. */
export const buttonStyles = { PRIMARY: 1, SECONDARY: 2, SUCCESS: 3, DANGER: 4, LINK: 5, PREMIUM: 6 } as const;

export const textInputStyles = { SHORT: 1, PARAGRAPH: 2 } as const;

/**
 * A component as applications send it and clients show it, not validated; its type determines which fields it has.
 * How long its texts and lists are is in `limits`.
 */
export interface Component {
  readonly type: ComponentType;
  /** Unique in its message or modal. */
  readonly id?: number;
  /** What the application knows it by; of what a user acts on. */
  readonly custom_id?: string;

  /** Of an action row, section or container. */
  readonly components?: readonly Component[];
  /** Of a section: a button or a thumbnail. */
  readonly accessory?: Component;
  /** Of a label. */
  readonly component?: Component;

  /** Of a button, {@link buttonStyles}, or a text input, {@link textInputStyles}. */
  readonly style?: number;
  readonly label?: string;
  readonly description?: string | null;
  /** Of a button or a choice: `id` or `name`. */
  readonly emoji?: object;
  readonly url?: string;
  readonly sku_id?: Snowflake;
  readonly disabled?: boolean;

  /** Of an input of a modal; default true. */
  readonly required?: boolean;
  readonly placeholder?: string;
  /** How many values a user chooses; default 1, the most of a checkbox group: all. */
  readonly min_values?: number;
  readonly max_values?: number;
  readonly options?: readonly ComponentChoice[];
  readonly default_values?: readonly { readonly id: Snowflake; readonly type: 'user' | 'role' | 'channel' }[];
  readonly channel_types?: readonly number[];
  /** Of a text input: its first text, and how long it may become. */
  readonly value?: string;
  readonly min_length?: number;
  readonly max_length?: number;
  /** Of a checkbox: whether it is checked at first. */
  readonly default?: boolean;
  readonly file_types?: readonly string[];

  /** Of a text display. */
  readonly content?: string;
  /** Of a thumbnail, a gallery and a file: an address, or `attachment://` and a name. */
  readonly media?: Media;
  readonly items?: readonly {
    readonly media: Media;
    readonly description?: string | null;
    readonly spoiler?: boolean;
  }[];
  readonly file?: Media;
  readonly spoiler?: boolean;
  /** Of a separator: whether there is a line, and how far it keeps apart, 1 or 2. */
  readonly divider?: boolean;
  readonly spacing?: number;
  /** Of a container: 0xRRGGBB. */
  readonly accent_color?: number | null;
}

interface Media {
  readonly url: string;
}

/** One of the choices of a select, a radio group or a checkbox group. */
export interface ComponentChoice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  readonly emoji?: object;
  readonly default?: boolean;
}

/** A form that answers an interaction. @see docs/spec/interactions.md#modals */
export interface Modal {
  /** What the application knows it by; at most `componentLimits.customIdLengthMax` characters. */
  readonly custom_id: string;
  /** At most `componentLimits.modalTitleLengthMax` characters. */
  readonly title: string;
  /** Labels, text displays, and action rows of one text input each: at most `componentLimits.modalComponentsMax`. */
  readonly components: readonly Component[];
}

/**
 * What a user filled in, laid out as the modal was: a text input, radio group or checkbox has a `value`, the others
 * `values`. What was left empty is `''`, null, false or an empty list.
 *
 * @see docs/spec/interactions.md#submitted-modal
 */
export interface SubmittedComponent {
  readonly type: ComponentType;
  readonly id?: number;
  readonly custom_id?: string;
  readonly value?: string | boolean | null;
  readonly values?: readonly (string | Snowflake)[];
  readonly components?: readonly SubmittedComponent[];
  readonly component?: SubmittedComponent;
}

const { ACTION_ROW, SECTION, CONTAINER, LABEL } = componentTypes;

/** The types that a user acts on. */
const usableTypes: ReadonlySet<ComponentType> = new Set([
  componentTypes.BUTTON,
  componentTypes.STRING_SELECT,
  componentTypes.TEXT_INPUT,
  componentTypes.USER_SELECT,
  componentTypes.ROLE_SELECT,
  componentTypes.MENTIONABLE_SELECT,
  componentTypes.CHANNEL_SELECT,
  componentTypes.FILE_UPLOAD,
  componentTypes.RADIO_GROUP,
  componentTypes.CHECKBOX_GROUP,
  componentTypes.CHECKBOX,
]);

/** A layout's parts by their fields: `components`, `accessory`, `component`; others have none, whatever else they carry. */
type Parts<One> = { readonly components?: readonly One[]; readonly accessory?: One; readonly component?: One };

export function partsOf<One>({
  type,
  components,
  accessory,
  component,
}: { readonly type: number } & Parts<One>): Parts<One> {
  if (type === ACTION_ROW || type === CONTAINER) return { ...(components && { components }) };
  if (type === SECTION) return { ...(components && { components }), ...(accessory && { accessory }) };
  return type === LABEL && component ? { component } : {};
}

/** Whether a user acts on it and the application knows it by an id. */
export function isUsable(component: Component): component is Component & { readonly custom_id: string } {
  return usableTypes.has(component.type) && typeof component.custom_id === 'string';
}

/** The {@link isUsable usable} components, on any level, in the order they are shown. */
export function usableComponents(components: readonly Component[]): readonly Component[] {
  return components.flatMap(one => {
    if (isUsable(one)) return [one];
    const { components: list = [], accessory, component } = partsOf(one);
    return usableComponents([...list, ...(accessory ? [accessory] : []), ...(component ? [component] : [])]);
  });
}

/** What the application calls `customId` among these components, on any level. */
export function findComponent(components: readonly Component[], customId: string): Component | undefined {
  return usableComponents(components).find(one => one.custom_id === customId);
}
