import { type Command, type CommandChoice, type CommandOption, commandTypes, optionTypes } from '../command.ts';
import type { Issue } from '../issue.ts';
import { limits } from '../limits.ts';
import { checkOptionNumber } from './choice.ts';
import {
  checkBoolean,
  checkObjectItem,
  checkSnowflake,
  checkString,
  checkText,
  type Fields,
  isAbsent,
} from './field.ts';
import { isNesting } from './option.ts';
import { Report } from './report.ts';
import { codePoints } from './text-length.ts';

/**
 * Checks the option values of one use of a command (`data.options`) against the command as it is registered: the
 * subcommand path, known names, matching types, required values, choices and bounds. Paths begin at the list of values.
 *
 * @param values the list, or absent for a use without values
 * @see commands.md 3.2; interface.md, "Subcommand nesting", "Interactions received by the app"
 */
export function checkInvocation(values: unknown, command: Pick<Command, 'type' | 'options'>): Issue[] {
  const report = new Report();
  const options = command.type === commandTypes.CHAT_INPUT ? (command.options ?? []) : [];
  checkValues(report, values, options);
  return report.issues;
}

/** The report stands at the list of values. */
function checkValues(report: Report, values: unknown, options: readonly CommandOption[]): void {
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
    if (checkObjectItem(report, value)) checkValue(report, value, options, used);
  }
  report.leave();
  checkAllGiven(report, options, used);
}

function checkValue(report: Report, value: Fields, options: readonly CommandOption[], used: Set<string>): void {
  const option = options.find(({ name }) => name === value.name);
  if (isAbsent(value.name)) report.at('name', 'BASE_TYPE_REQUIRED');
  else if (typeof value.name !== 'string') report.at('name', 'STRING_TYPE_CONVERT');
  else if (option === undefined) {
    report.at('name', 'INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN', value.name);
  } else if (used.has(option.name)) report.at('name', 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', option.name);
  else checkKnown(report, value, option);
  if (option !== undefined) used.add(option.name);
}

function checkKnown(report: Report, value: Fields, option: CommandOption): void {
  if (value.type !== option.type) report.at('type', 'BASE_TYPE_CHOICES', [option.type]);
  else if (isNesting(option.type)) checkNested(report, value.options, option.options ?? []);
  else if (isAbsent(value.value)) report.at('value', 'BASE_TYPE_REQUIRED');
  else checkOptionValue(report, value.value, option);
}

/** Goes one level down; a registered command ends the descent, however deep the values nest. */
function checkNested(report: Report, values: unknown, options: readonly CommandOption[]): void {
  report.enter('options');
  checkValues(report, values, options);
  report.leave();
}

/** Subcommands: exactly one is given. Options: each required one is. */
function checkAllGiven(report: Report, options: readonly CommandOption[], used: ReadonlySet<string>): void {
  if (options.some(({ type }) => isNesting(type))) {
    if (used.size !== 1) report.here('INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED');
    return;
  }
  for (const { name, required } of options) {
    if (required && !used.has(name)) report.here('INTERACTION_APPLICATION_COMMAND_OPTION_MISSING', name);
  }
}

/** Our choice: where there are choices they decide alone, even beside bounds that exclude one of them. */
function checkOptionValue(report: Report, value: unknown, option: CommandOption): void {
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

function checkChosen(report: Report, value: unknown, choices: readonly CommandChoice[]): void {
  const allowed = choices.map(choice => choice.value);
  if (!(allowed as readonly unknown[]).includes(value)) report.at('value', 'BASE_TYPE_CHOICES', allowed);
}

function checkTextValue(report: Report, value: unknown, option: CommandOption): void {
  const { min_length: min = 0, max_length: max = limits.optionLengthMax } = option;
  if (!checkText(report, 'value', value, 0, max)) return;
  if (codePoints(value) < min) report.at('value', 'BASE_TYPE_MIN_LENGTH', min);
}

function checkNumberValue(
  report: Report,
  value: unknown,
  { type, min_value: min, max_value: max }: CommandOption,
): void {
  if (!checkOptionNumber(report, 'value', value, type)) return;
  const kind = type === optionTypes.INTEGER ? 'int' : 'float';
  if (min !== undefined && value < min) report.at('value', 'NUMBER_TYPE_MIN', min, kind);
  if (max !== undefined && value > max) report.at('value', 'NUMBER_TYPE_MAX', max, kind);
}
