import { buttonStyles, type Component, componentTypes, textInputStyles } from '../../../src/model/component.ts';

/** Components as applications send them, each the smallest that is valid. */

const types = componentTypes;

export const row = (...components: readonly Component[]): Component => ({ type: types.ACTION_ROW, components });

export const button = (custom_id: string, more: object = {}): Component => ({
  type: types.BUTTON,
  style: buttonStyles.PRIMARY,
  label: 'Press',
  custom_id,
  ...more,
});

export const choices = (...values: readonly string[]) => values.map(value => ({ value, label: value }));

export const stringSelect = (custom_id: string, values: readonly string[], more: object = {}): Component => ({
  type: types.STRING_SELECT,
  custom_id,
  options: choices(...values),
  ...more,
});

export const pick = (
  kind: 'USER_SELECT' | 'ROLE_SELECT' | 'MENTIONABLE_SELECT' | 'CHANNEL_SELECT',
  custom_id: string,
  more: object = {},
): Component => ({ type: types[kind], custom_id, ...more });

export const textInput = (custom_id: string, more: object = {}): Component => ({
  type: types.TEXT_INPUT,
  style: textInputStyles.SHORT,
  custom_id,
  ...more,
});

export const labelled = (component: Component, more: object = {}): Component => ({
  type: types.LABEL,
  label: 'What?',
  component,
  ...more,
});

export const text = (content = 'Text'): Component => ({ type: types.TEXT_DISPLAY, content });
