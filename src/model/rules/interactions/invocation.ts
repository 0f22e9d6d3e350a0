import { type Command, type CommandChoice, type CommandOption, commandTypes, optionTypes } from '../../command.ts';
import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { checkOptionNumber } from '../commands/choice.ts';
import { isNesting } from '../commands/option.ts';
import {
  checkBoolean,
  checkObjectItem,
  checkSnowflake,
  checkString,
  checkText,
  codePoints,
  type Fields,
  isAbsent,
} from '../field.ts';
import { FullReport } from '../full-report.ts';

/**
 * Checks the option values of one use of a command (`data.options`) against the command as it is registered: the
 * subcommand path, known names, matching types, required values, choices and bounds. Paths begin at the list of values.
 *
 * @param values the list, or absent for a use without values
 * @see docs/spec/interactions.md#data; docs/spec/commands.md#subcommands; docs/spec/interactions.md#interaction
 */
export function checkInvocation(values: unknown, command: Pick<Command, 'type' | 'options'>): Issue[] {
  const report = new FullReport();
  checkValues(report, values, optionsOf(command));
  return report.issues;
}

/**
 * Checks the option values of a command that is still being typed: exactly one has the focus and a partial text as its
 * value, and required ones may be missing.
 *
 * Unspecified: a text before the one with the focus may be too short yet, and a number with the focus is digits with a
 * sign or, in a NUMBER, a point, and within what its type can carry, which a client checks as well.
 *
 * @see docs/spec/interactions.md#autocomplete
 */
export function checkAutocomplete(values: unknown, command: Pick<Command, 'type' | 'options'>): Issue[] {
  const report = new FullReport();
  const typing = { focused: 0 };
  checkValues(report, values, optionsOf(command), typing);
  if (report.issues.length === 0 && typing.focused !== 1) report.here('INTERACTION_APPLICATION_COMMAND_OPTION_FOCUS');
  return report.issues;
}

/** Counts the values with the focus; absent when the command is complete. */
interface Typing {
  focused: number;
}

function optionsOf({ type, options = [] }: Pick<Command, 'type' | 'options'>): readonly CommandOption[] {
  return type === commandTypes.CHAT_INPUT ? options : [];
}

/** The report stands at the list of values. */
function checkValues(report: FullReport, values: unknown, options: readonly CommandOption[], typing?: Typing): void {
  if (!isAbsent(values) && !Array.isArray(values)) {
    report.here('LIST_TYPE_CONVERT');
    return;
  }
  const given = (values ?? []) as readonly unknown[];
  if (given.length > limits.commandOptionsMax) report.here('BASE_TYPE_MAX_LENGTH', limits.commandOptionsMax);
  const used = new Set<string>();
  report.enter(0);
  for (let i = 0; i < Math.min(given.length, limits.commandOptionsMax); i++) {
    const value = given[i];
    report.moveTo(i);
    if (checkObjectItem(report, value)) checkValue(report, value, options, used, typing);
  }
  report.leave();
  checkAllGiven(report, options, used, typing);
}

function checkValue(
  report: FullReport,
  value: Fields,
  options: readonly CommandOption[],
  used: Set<string>,
  typing: Typing | undefined,
): void {
  const option = options.find(({ name }) => name === value.name);
  if (isAbsent(value.name)) report.at('name', 'BASE_TYPE_REQUIRED');
  else if (typeof value.name !== 'string') report.at('name', 'STRING_TYPE_CONVERT');
  else if (option === undefined) {
    report.at('name', 'INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN', value.name);
  } else if (used.has(option.name)) report.at('name', 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', option.name);
  else checkKnown(report, value, option, typing);
  if (option !== undefined) used.add(option.name);
}

function checkKnown(report: FullReport, value: Fields, option: CommandOption, typing: Typing | undefined): void {
  if (value.type !== option.type) report.at('type', 'BASE_TYPE_CHOICES', [option.type]);
  else if (isNesting(option.type)) checkNested(report, value.options, option, typing);
  else if (typing && value.focused === true) checkTyped(report, value.value, option, typing);
  else if (isAbsent(value.value)) report.at('value', 'BASE_TYPE_REQUIRED');
  else if (typing && option.type === optionTypes.STRING && !option.choices?.length) {
    checkText(report, 'value', value.value, 0, limits.optionLengthMax);
  } else checkOptionValue(report, value.value, option);
}

/** The text in the focused option so far. */
function checkTyped(report: FullReport, value: unknown, option: CommandOption, typing: Typing): void {
  typing.focused++;
  if (!option.autocomplete) report.at('focused', 'INTERACTION_APPLICATION_COMMAND_OPTION_FOCUS');
  const text = typeof value === 'number' ? String(value) : value;
  if (!checkText(report, 'value', text, 0, limits.optionLengthMax) || option.type === optionTypes.STRING) return;
  if (!isBegunNumber(text, option.type)) {
    report.at('value', 'NUMBER_TYPE_COERCE', text, option.type === optionTypes.INTEGER ? 'int' : 'float');
  }
}

/** Whether a number that the option can carry may begin like this. Its bounds may be met by further digits. */
function isBegunNumber(text: string, type: CommandOption['type']): boolean {
  const isWhole = type === optionTypes.INTEGER;
  const form = isWhole ? /^-?\d*$/ : /^-?\d*(?:\.\d*)?$/;
  return form.test(text) && !(Math.abs(Number(text)) > (isWhole ? limits.integerMax : limits.numberMax));
}

/**
 * Goes one level down; a registered command ends the descent, however deep the values nest. A group without subcommands
 * has nothing that could be used.
 */
function checkNested(
  report: FullReport,
  values: unknown,
  { type, options = [] }: CommandOption,
  typing: Typing | undefined,
): void {
  report.enter('options');
  if (type === optionTypes.SUB_COMMAND_GROUP && options.length === 0)
    report.here('INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED');
  else checkValues(report, values, options, typing);
  report.leave();
}

/** Subcommands: exactly one is given. Options: each required one is, once the command is complete. */
function checkAllGiven(
  report: FullReport,
  options: readonly CommandOption[],
  used: ReadonlySet<string>,
  typing: Typing | undefined,
): void {
  if (options.some(({ type }) => isNesting(type))) {
    if (used.size !== 1) report.here('INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED');
    return;
  }
  if (typing) return;
  for (const { name, required } of options) {
    if (required && !used.has(name)) report.here('INTERACTION_APPLICATION_COMMAND_OPTION_MISSING', name);
  }
}

/** Unspecified: where there are choices they decide alone, even beside bounds that exclude one of them. */
function checkOptionValue(report: FullReport, value: unknown, option: CommandOption): void {
  const { type, choices = [] } = option;
  if (type === optionTypes.STRING) {
    if (choices.length > 0) checkChosen(report, value, choices);
    else checkTextValue(report, value, option);
  } else if (type === optionTypes.INTEGER || type === optionTypes.NUMBER) {
    if (choices.length > 0) checkChosen(report, value, choices);
    else checkNumberValue(report, value, option);
  } else if (type === optionTypes.BOOLEAN) checkBoolean(report, 'value', value);
  else if (checkString(report, 'value', value)) checkSnowflake(report, 'value', value);
}

function checkChosen(report: FullReport, value: unknown, choices: readonly CommandChoice[]): void {
  const allowed = choices.map(choice => choice.value);
  if (!(allowed as readonly unknown[]).includes(value)) report.at('value', 'BASE_TYPE_CHOICES', allowed);
}

function checkTextValue(report: FullReport, value: unknown, option: CommandOption): void {
  const { min_length: min = 0, max_length: max = limits.optionLengthMax } = option;
  if (!checkText(report, 'value', value, 0, max)) return;
  if (codePoints(value) < min) report.at('value', 'BASE_TYPE_MIN_LENGTH', min);
}

function checkNumberValue(
  report: FullReport,
  value: unknown,
  { type, min_value: min, max_value: max }: CommandOption,
): void {
  if (!checkOptionNumber(report, 'value', value, type)) return;
  const kind = type === optionTypes.INTEGER ? 'int' : 'float';
  if (min !== undefined && value < min) report.at('value', 'NUMBER_TYPE_MIN', min, kind);
  if (max !== undefined && value > max) report.at('value', 'NUMBER_TYPE_MAX', max, kind);
}
