import { buttonStyles, type Component, type ComponentChoice, componentTypes } from '../../model/component.ts';

type Fields = Omit<Component, 'type' | 'style' | 'custom_id' | 'label' | 'url' | 'options' | 'components'>;

/**
 * Puts components side by side: up to five buttons, or one select.
 *
 * @example
 * ```ts
 * import { button, row } from '@rallypoint/sdk/backend';
 *
 * const components = [row(button.primary('join:red', 'Join'), button.link('https://example.com/rules', 'Rules'))];
 * ```
 */
export function row(...components: readonly Component[]): Component {
  return { type: componentTypes.ACTION_ROW, components };
}

function styled(style: number): (customId: string, label: string, fields?: Fields) => Component {
  return (customId, label, fields) => ({
    type: componentTypes.BUTTON,
    style,
    custom_id: customId,
    label,
    ...fields,
  });
}

/** Makes buttons. The custom id is what a router knows the button by; text after a colon is its argument. */
export const button = {
  primary: styled(buttonStyles.PRIMARY),
  secondary: styled(buttonStyles.SECONDARY),
  success: styled(buttonStyles.SUCCESS),
  danger: styled(buttonStyles.DANGER),
  /** Opens an address and sends no interaction. */
  link: (url: string, label: string, fields?: Fields): Component => ({
    type: componentTypes.BUTTON,
    style: buttonStyles.LINK,
    url,
    label,
    ...fields,
  }),
} as const;

function picker(type: Component['type']): (customId: string, fields?: Fields) => Component {
  return (customId, fields) => ({ type, custom_id: customId, ...fields });
}

/** Makes selects: menus of given choices, or of users, roles or channels of the guild. */
export const select = {
  of: (customId: string, options: readonly ComponentChoice[], fields?: Fields): Component => ({
    type: componentTypes.STRING_SELECT,
    custom_id: customId,
    options,
    ...fields,
  }),
  users: picker(componentTypes.USER_SELECT),
  roles: picker(componentTypes.ROLE_SELECT),
  mentionables: picker(componentTypes.MENTIONABLE_SELECT),
  channels: picker(componentTypes.CHANNEL_SELECT),
} as const;
