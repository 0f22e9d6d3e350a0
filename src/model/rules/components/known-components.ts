import { type Component, type ComponentType, componentTypes, partsOf } from '../../component.ts';
import { embedLimits } from '../../limits/embed-limits.ts';
import { aBoolean, anObject, aSnowflake, aText, type KnownFields, pickKnown } from '../field-table.ts';

/** The emoji of a button or a choice. Unspecified: it may have neither `id` nor `name`. */
export const emojiRule = anObject({
  id: aSnowflake,
  name: aText(embedLimits.emojiNameLengthMax),
  animated: aBoolean,
});

const { known: emoji } = emojiRule;
const media = { url: true } as const;
const choice = { label: true, value: true, description: true, emoji, default: true } as const;
const counts = { min_values: true, max_values: true, required: true } as const;
const select = {
  custom_id: true,
  placeholder: true,
  disabled: true,
  default_values: { id: true, type: true },
  ...counts,
} as const;

/** The fields of each type, beside `type`, `id` and the components in it. */
const knownFields: Readonly<Record<ComponentType, KnownFields>> = {
  [componentTypes.ACTION_ROW]: {},
  [componentTypes.BUTTON]: {
    custom_id: true,
    style: true,
    label: true,
    emoji,
    url: true,
    sku_id: true,
    disabled: true,
  },
  [componentTypes.STRING_SELECT]: { ...select, options: choice },
  [componentTypes.TEXT_INPUT]: {
    ...{ custom_id: true, style: true, label: true, required: true, value: true, placeholder: true },
    ...{ min_length: true, max_length: true },
  },
  [componentTypes.USER_SELECT]: select,
  [componentTypes.ROLE_SELECT]: select,
  [componentTypes.MENTIONABLE_SELECT]: select,
  [componentTypes.CHANNEL_SELECT]: { ...select, channel_types: true },
  [componentTypes.SECTION]: {},
  [componentTypes.TEXT_DISPLAY]: { content: true },
  [componentTypes.THUMBNAIL]: { media, description: true, spoiler: true },
  [componentTypes.MEDIA_GALLERY]: { items: { media, description: true, spoiler: true } },
  [componentTypes.FILE]: { file: media, spoiler: true },
  [componentTypes.SEPARATOR]: { divider: true, spacing: true },
  [componentTypes.CONTAINER]: { accent_color: true, spoiler: true },
  [componentTypes.LABEL]: { label: true, description: true },
  [componentTypes.FILE_UPLOAD]: { custom_id: true, file_types: true, ...counts },
  [componentTypes.RADIO_GROUP]: { custom_id: true, options: choice, required: true },
  [componentTypes.CHECKBOX_GROUP]: { custom_id: true, options: choice, ...counts },
  [componentTypes.CHECKBOX]: { custom_id: true, default: true },
};

/** The components, on every level, with the fields that their types have, and nothing else. */
export function pickComponents(components: readonly Component[]): readonly Component[] {
  return components.map(pickComponent);
}

function pickComponent(one: Component): Component {
  const { components, accessory, component } = partsOf<Component>(one);
  return {
    ...(pickKnown(one, { type: true, id: true, ...knownFields[one.type] }) as Component),
    ...(components && { components: pickComponents(components) }),
    ...(accessory && { accessory: pickComponent(accessory) }),
    ...(component && { component: pickComponent(component) }),
  };
}
