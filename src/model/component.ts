import type { Snowflake } from './snowflake.ts';

/**
 * What messages and modals are built of: layouts that hold others, contents that show something, and those a user acts
 * on, which have a `custom_id`.
 *
 * @see commands.md 3.2, 3.3
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

/** LINK leads to an address and PREMIUM to a purchase: neither tells the application. */
export const buttonStyles = { PRIMARY: 1, SECONDARY: 2, SUCCESS: 3, DANGER: 4, LINK: 5, PREMIUM: 6 } as const;

export const textInputStyles = { SHORT: 1, PARAGRAPH: 2 } as const;

/** A component as applications send it and clients show it; which fields it has follows from its type. */
export interface Component {
  readonly type: ComponentType;
  /** Tells it from the others of its message or modal. */
  readonly id?: number;
  /** What the application knows it by; of what a user acts on. */
  readonly custom_id?: string;
  /** Of an action row, section or container. */
  readonly components?: readonly Component[];
  /** Of a section. */
  readonly accessory?: Component;
  /** Of a label. */
  readonly component?: Component;
  readonly [field: string]: unknown;
}

/** One of the choices of a select, a radio group or a checkbox group. */
export interface ComponentChoice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
  readonly default?: boolean;
  readonly [field: string]: unknown;
}

/** A form that answers an interaction. @see commands.md 3.3, callback type 9 */
export interface Modal {
  /** What the application knows it by; at most `limits.customIdLengthMax` characters. */
  readonly custom_id: string;
  /** At most `limits.modalTitleLengthMax` characters. */
  readonly title: string;
  /** Labels, text displays, and action rows of one text input each: at most `limits.modalComponentsMax`. */
  readonly components: readonly Component[];
}

/**
 * What a user filled in, laid out as the modal was: a text input, radio group or checkbox has a `value`, the others
 * `values`. What was left empty is `''`, null, false or an empty list.
 *
 * @see commands.md 3.2, type 5
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

/** The components below one, in the order they are shown. */
export function partsOf({ components, accessory, component }: Component): readonly Component[] {
  if (!components) return accessory ? [accessory] : component ? [component] : [];
  return accessory ? [...components, accessory] : components;
}

/** What the application calls `customId` among these components, on any level. */
export function findComponent(components: readonly Component[], customId: string): Component | undefined {
  for (const component of components) {
    const found = component.custom_id === customId ? component : findComponent(partsOf(component), customId);
    if (found) return found;
  }
  return undefined;
}

/** The components with an id of the application's, on any level, in the order they are shown. */
export function usableComponents(components: readonly Component[]): readonly Component[] {
  return components.flatMap(one => [...(one.custom_id === undefined ? [] : [one]), ...usableComponents(partsOf(one))]);
}
