import { describe, expect, it } from 'vitest';
import type { Component } from '../../../../src/model/component.ts';
import { checkComponentUse, checkSubmission } from '../../../../src/model/rules/components/component-values.ts';
import { times } from '../../../support/commands/command-samples.ts';
import {
  button,
  choices,
  labelled,
  pick,
  row,
  stringSelect,
  text,
  textInput,
} from '../../../support/commands/components.ts';
import { faults } from '../../../support/commands/issues.ts';

const x = (length: number): string => 'x'.repeat(length);

describe('what is chosen in a component of a message', () => {
  const chosen = (values: unknown, select: Component) => faults(checkComponentUse(values, select));

  it('is nothing with a button', () => {
    expect(chosen(undefined, button('a'))).toEqual([]);
    expect(chosen('anything', button('a'))).toEqual([]);
  });

  it('is one of the choices, each once', () => {
    const select = stringSelect('a', ['1', '2', '3'], { max_values: 3 });
    expect(chosen(['1'], select)).toEqual([]);
    expect(chosen(['3', '1'], select)).toEqual([]);
    expect(chosen(['4', 1], select)).toEqual(['values.0 BASE_TYPE_CHOICES', 'values.1 BASE_TYPE_CHOICES']);
    expect(chosen(['1', '1'], select)).toEqual(['values.1 LIST_ITEM_DUPLICATE']);
    expect(chosen('1', select)).toEqual(['values LIST_TYPE_CONVERT']);
    expect(chosen(undefined, select)).toEqual(['values BASE_TYPE_REQUIRED']);
  });

  it.each([
    [{}, 1, 1],
    [{ min_values: 0 }, 0, 1],
    [{ min_values: 2, max_values: 3 }, 2, 3],
    [{ max_values: 25 }, 1, 25],
    // What counts in modals alone.
    [{ required: false }, 1, 1],
  ])('is as many values as %j says', (bounds, min, max) => {
    const values = times(26, String);
    const select = stringSelect('a', values, bounds);
    for (const count of [min, max]) expect(chosen(values.slice(0, count), select)).toEqual([]);
    for (const count of [min - 1, max + 1].filter(one => one >= 0)) {
      expect(chosen(values.slice(0, count), select)).toEqual(['values BASE_TYPE_BAD_LENGTH']);
    }
  });

  it('is an id where the application gave no choices', () => {
    expect(chosen(['5'], pick('USER_SELECT', 'a'))).toEqual([]);
    expect(chosen(['x', 5], pick('USER_SELECT', 'a', { max_values: 2 }))).toEqual([
      'values.0 NUMBER_TYPE_COERCE',
      'values.1 STRING_TYPE_CONVERT',
    ]);
  });
});

describe('a modal that was filled in', () => {
  const name = textInput('name', { min_length: 2, max_length: 5 });
  const note = textInput('note', { required: false, min_length: 2 });
  const given = (custom_id: string, value: unknown, more: object = {}) => ({
    type: 18,
    component: { type: 4, custom_id, value, ...more },
  });
  const filled = (shown: readonly Component[], ...list: readonly unknown[]) => faults(checkSubmission(list, shown));

  it('names the inputs that were shown, each once, with their types', () => {
    const shown = [labelled(name), text(), labelled(note)];
    expect(filled(shown, given('name', 'Ada'), { type: 10 }, given('note', 'Hello'))).toEqual([]);
    expect(filled(shown, given('name', 'Ada'), given('other', 'x'))).toEqual([
      '1.component.custom_id COMPONENT_INPUT_UNKNOWN',
    ]);
    expect(filled(shown, given('name', 'Ada'), given('name', 'Ada'))).toEqual([
      '1.component.custom_id COMPONENT_CUSTOM_ID_DUPLICATED',
    ]);
    expect(filled(shown, given('name', 'Ada', { type: 3 }))).toEqual(['0.component.type BASE_TYPE_CHOICES']);
    expect(filled(shown, given('name', 'Ada', { type: undefined }))).toEqual(['0.component.type BASE_TYPE_CHOICES']);
    expect(filled(shown, given('', 'Ada'))).toEqual([
      '0.component.custom_id BASE_TYPE_REQUIRED',
      '(body) COMPONENT_INPUT_MISSING',
    ]);
  });

  it('comes in rows or labels, however the modal was laid out', () => {
    const component = { type: 4, custom_id: 'name', value: 'Ada' };
    const inRow = { type: 1, components: [component] };
    expect(filled([labelled(name)], inRow)).toEqual([]);
    expect(filled([row(textInput('name', { label: 'x' }))], given('name', 'Ada'))).toEqual([]);
    expect(
      filled([row(textInput('name', { label: 'x' }))], { type: 1, components: [{ ...component, value: '' }] }),
    ).toEqual(['0.components.0.value BASE_TYPE_REQUIRED']);
  });

  it.each([
    [undefined, ['(body) COMPONENT_INPUT_MISSING']],
    [[], ['(body) COMPONENT_INPUT_MISSING']],
    ['x', ['(body) LIST_TYPE_CONVERT', '(body) COMPONENT_INPUT_MISSING']],
    [[null], ['0 LIST_ITEM_VALUE_REQUIRED', '(body) COMPONENT_INPUT_MISSING']],
    [[{}], ['0.type BASE_TYPE_REQUIRED', '(body) COMPONENT_INPUT_MISSING']],
    [[{ type: 4, custom_id: 'name', value: 'Ada' }], ['0 UNION_TYPE_CHOICES', '(body) COMPONENT_INPUT_MISSING']],
    [[{ type: 1 }], ['0.components LIST_TYPE_CONVERT', '(body) COMPONENT_INPUT_MISSING']],
    [
      [{ type: 1, components: times(6, () => ({ type: 4, custom_id: 'name', value: 'Ada' })) }],
      [
        '0.components BASE_TYPE_MAX_LENGTH',
        ...times(4, i => `0.components.${i + 1}.custom_id COMPONENT_CUSTOM_ID_DUPLICATED`),
      ],
    ],
    [[{ type: 18 }], ['0.component BASE_TYPE_REQUIRED', '(body) COMPONENT_INPUT_MISSING']],
    [[{ type: 18, component: [] }], ['0.component MODEL_TYPE_CONVERT', '(body) COMPONENT_INPUT_MISSING']],
  ])('has a list of components: %j', (list, expected) => {
    expect(faults(checkSubmission(list, [labelled(name)]))).toEqual(expected);
  });

  it.each([
    ['', ['0.component.value BASE_TYPE_REQUIRED']],
    [null, ['0.component.value BASE_TYPE_REQUIRED']],
    [x(1), ['0.component.value BASE_TYPE_MIN_LENGTH']],
    [x(2), []],
    [x(5), []],
    ['🎲'.repeat(5), []],
    [x(6), ['0.component.value BASE_TYPE_MAX_LENGTH']],
    [5, ['0.component.value STRING_TYPE_CONVERT']],
  ])('has texts of the lengths it says, if they are required: %j', (value, expected) => {
    expect(filled([labelled(name)], given('name', value))).toEqual(expected);
  });

  it('may leave out what is not required, or leave it empty', () => {
    for (const value of ['', null, undefined, x(2)]) expect(filled([labelled(note)], given('note', value))).toEqual([]);
    expect(filled([labelled(note)])).toEqual([]);
    expect(filled([labelled(note)], given('note', x(1)))).toEqual(['0.component.value BASE_TYPE_MIN_LENGTH']);
    expect(filled([labelled(textInput('a'))], given('a', x(4000)))).toEqual([]);
    expect(filled([labelled(textInput('a'))], given('a', x(4001)))).toEqual(['0.component.value BASE_TYPE_MAX_LENGTH']);
  });

  it('has choices of its selects and groups', () => {
    const choose = (component: object, values: unknown) => {
      const { type, custom_id } = component as Component;
      return filled([labelled(component as Component)], { type: 18, component: { type, custom_id, values } });
    };
    const select = stringSelect('a', ['1', '2'], { max_values: 2 });
    expect(choose(select, ['1', '2'])).toEqual([]);
    expect(choose(select, [])).toEqual(['0.component.values BASE_TYPE_BAD_LENGTH']);
    expect(choose(select, undefined)).toEqual(['0.component.values BASE_TYPE_REQUIRED']);
    expect(choose({ ...select, required: false, min_values: 2 }, [])).toEqual([]);
    expect(choose({ ...select, required: false }, undefined)).toEqual([]);
    expect(choose({ ...select, required: false, min_values: 2 }, ['1'])).toEqual([
      '0.component.values BASE_TYPE_BAD_LENGTH',
    ]);
    const boxes = { type: 22, custom_id: 'b', options: choices('1', '2', '3') };
    expect(choose(boxes, ['3', '1', '2'])).toEqual([]);
    expect(choose({ ...boxes, max_values: 2 }, ['3', '1', '2'])).toEqual(['0.component.values BASE_TYPE_BAD_LENGTH']);
    expect(choose(boxes, ['4'])).toEqual(['0.component.values.0 BASE_TYPE_CHOICES']);
    expect(choose(pick('ROLE_SELECT', 'c'), ['x'])).toEqual(['0.component.values.0 NUMBER_TYPE_COERCE']);
  });

  it('has one radio option, and yes or no of a checkbox', () => {
    const radio = { type: 21, custom_id: 'a', options: choices('1', '2') } as const;
    const check = (component: Component, value: unknown) =>
      filled([labelled(component)], { type: 18, component: { type: component.type, custom_id: 'a', value } });
    expect(check(radio, '1')).toEqual([]);
    expect(check(radio, '3')).toEqual(['0.component.value BASE_TYPE_CHOICES']);
    expect(check(radio, null)).toEqual(['0.component.value BASE_TYPE_REQUIRED']);
    expect(check({ ...radio, required: false }, null)).toEqual([]);
    const box = { type: 23, custom_id: 'a' } as const;
    for (const value of [true, false]) expect(check(box, value)).toEqual([]);
    expect(check(box, 'yes')).toEqual(['0.component.value BOOLEAN_TYPE_CONVERT']);
    expect(filled([labelled(box)])).toEqual([]);
  });

  it('has at most as many components as a modal', () => {
    expect(filled([labelled(note)], ...times(6, () => ({ type: 10 })))).toEqual(['(body) BASE_TYPE_MAX_LENGTH']);
  });
});
