import { type Component, type ComponentChoice, componentTypes, usableComponents } from '../../component.ts';
import type { Issue } from '../../errors/issue.ts';
import { componentLimits } from '../../limits/component-limits.ts';
import {
  checkBoolean,
  checkItems,
  checkList,
  checkObjectItem,
  checkRequiredText,
  checkSnowflake,
  checkString,
  checkText,
  codePoints,
  type Fields,
  isAbsent,
  isFields,
} from '../field.ts';
import { FullReport } from '../full-report.ts';

const { BUTTON, TEXT_INPUT, RADIO_GROUP, CHECKBOX, CHECKBOX_GROUP } = componentTypes;
const { ACTION_ROW, TEXT_DISPLAY, LABEL } = componentTypes;

/**
 * Checks what a user chose in a component of a message (`data.values` of the use); a button has none. Paths begin at
 * the use's `data`.
 *
 * @see docs/spec/interactions.md#use-of-a-component
 */
export function checkComponentUse(values: unknown, component: Component): Issue[] {
  const report = new FullReport();
  if (component.type !== BUTTON) checkValues(report, values, component, false);
  return report.issues;
}

/**
 * Checks what a user filled in against the modal that was shown: known custom ids of the same type, each once, all
 * required ones, lengths and choices. Paths begin at the list of components.
 *
 * Unspecified: rows and labels need not be those of the modal, as custom ids alone say what is what; a text that may be
 * left out may be shorter than its least length by being empty.
 *
 * @see docs/spec/interactions.md#submitted-modal
 */
export function checkSubmission(value: unknown, shown: readonly Component[]): Issue[] {
  const report = new FullReport();
  const inputs = usableComponents(shown);
  const filled = new Set<string>();
  if (Array.isArray(value)) checkFilled(report, value, inputs, filled);
  else if (!isAbsent(value)) report.here('LIST_TYPE_CONVERT');
  for (const { type, custom_id = '', required } of inputs) {
    const mayBeMissing = required === false || type === CHECKBOX || filled.has(custom_id);
    if (!mayBeMissing) report.here('COMPONENT_INPUT_MISSING', custom_id);
  }
  return report.issues;
}

const layouts = [ACTION_ROW, TEXT_DISPLAY, LABEL] as const;

function checkFilled(
  report: FullReport,
  list: readonly unknown[],
  inputs: readonly Component[],
  filled: Set<string>,
): void {
  if (list.length > componentLimits.modalComponentsMax)
    report.here('BASE_TYPE_MAX_LENGTH', componentLimits.modalComponentsMax);
  report.enter(0);
  list.slice(0, componentLimits.modalComponentsMax).forEach((layout, i) => {
    report.moveTo(i);
    if (checkObjectItem(report, layout)) checkLayout(report, layout, one => checkInput(report, one, inputs, filled));
  });
  report.leave();
}

function checkLayout(report: FullReport, { type, components, component }: Fields, check: (one: Fields) => void): void {
  if (isAbsent(type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (type === ACTION_ROW) checkRow(report, components, check);
  else if (type === LABEL) checkLabelled(report, component, check);
  else if (type !== TEXT_DISPLAY) report.here('UNION_TYPE_CHOICES', layouts);
}

function checkRow(report: FullReport, components: unknown, check: (one: Fields) => void): void {
  if (!checkList(report, 'components', components, componentLimits.modalComponentsMax)) return;
  checkItems(report, 'components', components, componentLimits.modalComponentsMax, (_, one) => check(one));
}

function checkLabelled(report: FullReport, component: unknown, check: (one: Fields) => void): void {
  if (!isFields(component)) {
    report.at('component', isAbsent(component) ? 'BASE_TYPE_REQUIRED' : 'MODEL_TYPE_CONVERT');
    return;
  }
  report.enter('component');
  check(component);
  report.leave();
}

function checkInput(report: FullReport, given: Fields, inputs: readonly Component[], filled: Set<string>): void {
  const { custom_id: customId, type } = given;
  if (!checkRequiredText(report, 'custom_id', customId, componentLimits.customIdLengthMax)) return;
  const input = inputs.find(one => one.custom_id === customId);
  if (!input) report.at('custom_id', 'COMPONENT_INPUT_UNKNOWN', customId);
  else if (filled.has(customId)) report.at('custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED');
  else if (type !== input.type) report.at('type', 'BASE_TYPE_CHOICES', [input.type]);
  else checkGiven(report, given, input);
  filled.add(customId);
}

function checkGiven(report: FullReport, { value, values }: Fields, input: Component): void {
  if (input.type === TEXT_INPUT) checkInputText(report, value, input);
  else if (input.type === RADIO_GROUP) checkRadio(report, value, input);
  else if (input.type === CHECKBOX) checkBoolean(report, 'value', value);
  else if (values !== undefined || input.required !== false) checkValues(report, values, input, true);
}

function checkInputText(report: FullReport, value: unknown, { required, min_length, max_length }: Component): void {
  if (isAbsent(value) || value === '') {
    if (required !== false) report.at('value', 'BASE_TYPE_REQUIRED');
    return;
  }
  const min = numberOr(min_length, 0);
  if (!checkText(report, 'value', value, 0, numberOr(max_length, componentLimits.textInputLengthMax))) return;
  if (codePoints(value) < min) report.at('value', 'BASE_TYPE_MIN_LENGTH', min);
}

function checkRadio(report: FullReport, value: unknown, { required, options }: Component): void {
  if (!isAbsent(value)) checkChosen(report, 'value', value, choicesOf(options));
  else if (required !== false) report.at('value', 'BASE_TYPE_REQUIRED');
}

/** A list of choices, or of ids where the application gave no choices. */
function checkValues(report: FullReport, values: unknown, component: Component, inModal: boolean): void {
  if (isAbsent(values)) report.at('values', 'BASE_TYPE_REQUIRED');
  else if (!Array.isArray(values)) report.at('values', 'LIST_TYPE_CONVERT');
  else {
    const { min, max } = valueBounds(component);
    const isLeftOut = inModal && component.required === false && values.length === 0;
    if (!isLeftOut && (values.length < min || values.length > max)) {
      report.at('values', 'BASE_TYPE_BAD_LENGTH', min, max);
    }
    report.enter('values');
    checkEachValue(report, values.slice(0, max), component);
    report.leave();
  }
}

function checkEachValue(report: FullReport, values: readonly unknown[], { type, options }: Component): void {
  const hasChoices = type === componentTypes.STRING_SELECT || type === CHECKBOX_GROUP;
  const choices = hasChoices ? choicesOf(options) : [];
  values.forEach((value, i) => {
    if (values.indexOf(value) < i) report.at(i, 'LIST_ITEM_DUPLICATE');
    else if (hasChoices) checkChosen(report, i, value, choices);
    else if (checkString(report, i, value)) checkSnowflake(report, i, value);
  });
}

function checkChosen(report: FullReport, key: string | number, value: unknown, choices: readonly string[]): void {
  if (!(choices as readonly unknown[]).includes(value)) report.at(key, 'BASE_TYPE_CHOICES', choices);
}

/** How many values a component takes. Where the application does not say: one; all the boxes of a checkbox group. */
function valueBounds({ type, min_values, max_values, options }: Component): { min: number; max: number } {
  const max = numberOr(max_values, type === CHECKBOX_GROUP ? choicesOf(options).length : 1);
  return { min: numberOr(min_values, 1), max };
}

function choicesOf(options: readonly ComponentChoice[] = []): readonly string[] {
  return options.map(({ value }) => value);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
