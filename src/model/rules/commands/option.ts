import { type OptionType, optionChannelTypes, optionTypes } from '../../command.ts';
import { limits } from '../../limits/limits.ts';
import { checkFileTypes } from '../components/file-type.ts';
import {
  checkBoolean,
  checkEnumSet,
  checkInteger,
  checkList,
  checkObjectItem,
  checkRequiredText,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from '../field.ts';
import type { FullReport } from '../full-report.ts';
import { checkLocalizations } from '../locales/localizations.ts';
import { checkChoices, checkOptionNumber } from './choice.ts';
import { checkChatName, checkLocalizedChatName } from './name.ts';

const { SUB_COMMAND, SUB_COMMAND_GROUP, STRING, INTEGER, CHANNEL, NUMBER, ATTACHMENT } = optionTypes;

/** Option types by the places that allow them. Nesting is finite, because each place allows less than the one around it. */
const allTypes = Object.values(optionTypes);
const groupTypes = [SUB_COMMAND];
const parameterTypes = allTypes.filter(type => !isNesting(type));

const choosable: readonly OptionType[] = [STRING, INTEGER, NUMBER];
const numeric: readonly OptionType[] = [INTEGER, NUMBER];
const nesting: readonly OptionType[] = [SUB_COMMAND, SUB_COMMAND_GROUP];
const textual: readonly OptionType[] = [STRING];
const channels: readonly OptionType[] = [CHANNEL];
const attachments: readonly OptionType[] = [ATTACHMENT];

/** Whether options of this type hold options instead of a value. */
export function isNesting(type: unknown): boolean {
  return type === SUB_COMMAND || type === SUB_COMMAND_GROUP;
}

/**
 * Checks the options of a CHAT_INPUT command, all levels.
 *
 * @see docs/spec/commands.md#options; docs/spec/commands.md#subcommands; docs/spec/errors.md#field-error-codes
 */
export function checkCommandOptions(report: FullReport, value: unknown): void {
  checkOptions(report, value, allTypes);
}

function checkOptions(report: FullReport, value: unknown, allowed: readonly OptionType[]): void {
  if (!checkList(report, 'options', value, limits.commandOptionsMax)) return;
  const options = value.slice(0, limits.commandOptionsMax);
  report.enter('options');
  report.enter(0);
  for (let i = 0; i < options.length; i++) {
    const option: unknown = options[i];
    report.moveTo(i);
    if (checkObjectItem(report, option)) checkOption(report, option, allowed);
  }
  report.leave();
  checkUniqueNames(report, options);
  if (allowed === allTypes) checkKinds(report, options);
  if (allowed !== groupTypes) checkRequiredFirst(report, options);
  report.leave();
}

function checkOption(report: FullReport, option: Fields, allowed: readonly OptionType[]): void {
  checkChatName(report, 'name', option.name);
  checkLocalizations(report, 'name_localizations', option.name_localizations, checkLocalizedChatName);
  checkRequiredText(report, 'description', option.description, limits.commandDescriptionLengthMax);
  checkLocalizations(report, 'description_localizations', option.description_localizations, checkLocalizedDescription);
  const { type } = option;
  if (checkType(report, type, allowed)) checkFieldsOfType(report, option, type);
}

function checkLocalizedDescription(report: FullReport, locale: string, text: unknown): void {
  checkText(report, locale, text, 1, limits.commandDescriptionLengthMax);
}

function checkType(report: FullReport, type: unknown, allowed: readonly OptionType[]): type is OptionType {
  if (isAbsent(type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (!Number.isInteger(type)) report.at('type', 'NUMBER_TYPE_COERCE', type, 'int');
  // The hosted service reports a type that is not allowed here at the option, because the type decides how the option is read.
  else if (!(allowed as readonly unknown[]).includes(type)) report.here('UNION_TYPE_CHOICES', allowed);
  else return true;
  return false;
}

/**
 * Checks the fields that belong to some types only.
 *
 * Unspecified: a field that its type does not have is rejected, because it would have no effect; unless it says
 * nothing (null, `[]`, `false`), as many clients fill in.
 */
function checkFieldsOfType(report: FullReport, option: Fields, type: OptionType): void {
  checkRequired(report, option.required, type);
  checkAutocomplete(report, option, type);
  if (takes(report, 'choices', option.choices, type, choosable)) checkChoices(report, option.choices, type);
  if (takes(report, 'options', option.options, type, nesting)) {
    checkOptions(report, option.options, type === SUB_COMMAND ? parameterTypes : groupTypes);
  }
  if (takes(report, 'channel_types', option.channel_types, type, channels)) {
    checkEnumSet(report, 'channel_types', option.channel_types, optionChannelTypes, 0);
  }
  if (takes(report, 'file_types', option.file_types, type, attachments)) checkFileTypes(report, option.file_types);
  checkValueBounds(report, option, type);
  checkLengthBounds(report, option, type);
}

/** Whether a field is given and belongs to the option's type. */
function takes(
  report: FullReport,
  key: string,
  value: unknown,
  type: OptionType,
  types: readonly OptionType[],
): boolean {
  if (isAbsent(value) || (Array.isArray(value) && value.length === 0)) return false;
  if (types.includes(type)) return true;
  report.at(key, 'APPLICATION_COMMAND_OPTION_FIELD_INVALID', key);
  return false;
}

function checkRequired(report: FullReport, required: unknown, type: OptionType): void {
  if (isAbsent(required) || !checkBoolean(report, 'required', required)) return;
  if (required && isNesting(type)) report.at('required', 'APPLICATION_COMMAND_REQUIRED_INVALID');
}

function checkAutocomplete(report: FullReport, { autocomplete, choices }: Fields, type: OptionType): void {
  if (isAbsent(autocomplete) || !checkBoolean(report, 'autocomplete', autocomplete) || !autocomplete) return;
  if (!takes(report, 'autocomplete', autocomplete, type, choosable)) return;
  if (Array.isArray(choices) && choices.length > 0) {
    report.at('autocomplete', 'APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID');
  }
}

function checkValueBounds(report: FullReport, { min_value: min, max_value: max }: Fields, type: OptionType): void {
  const hasMin = takes(report, 'min_value', min, type, numeric) && checkOptionNumber(report, 'min_value', min, type);
  const hasMax = takes(report, 'max_value', max, type, numeric) && checkOptionNumber(report, 'max_value', max, type);
  if (hasMin && hasMax && Number(min) > Number(max)) {
    report.at('max_value', 'APPLICATION_COMMAND_OPTION_RANGE_INVALID');
  }
}

function checkLengthBounds(report: FullReport, { min_length: min, max_length: max }: Fields, type: OptionType): void {
  const longest = limits.optionLengthMax;
  const hasMin = takes(report, 'min_length', min, type, textual) && checkInteger(report, 'min_length', min, 0, longest);
  const hasMax = takes(report, 'max_length', max, type, textual) && checkInteger(report, 'max_length', max, 1, longest);
  if (hasMin && hasMax && Number(min) > Number(max)) {
    report.at('max_length', 'APPLICATION_COMMAND_OPTION_RANGE_INVALID');
  }
}

function checkUniqueNames(report: FullReport, options: readonly unknown[]): void {
  const names = options.map(option => (isFields(option) ? option.name : undefined));
  for (let i = 1; i < names.length; i++) {
    const name = names[i];
    if (typeof name === 'string' && names.indexOf(name) < i) {
      report.at(i, 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID', name);
    }
  }
}

/** Subcommands and groups may be mixed, but not with options that take a value. */
function checkKinds(report: FullReport, options: readonly unknown[]): void {
  let first: boolean | undefined;
  options.forEach((option, i) => {
    if (!isFields(option) || !allTypes.includes(option.type as OptionType)) return;
    const nests = isNesting(option.type);
    first ??= nests;
    if (nests !== first) report.at(i, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID');
  });
}

function checkRequiredFirst(report: FullReport, options: readonly unknown[]): void {
  let optionalSeen = false;
  options.forEach((option, i) => {
    if (!isFields(option) || isNesting(option.type)) return;
    if (option.required !== true) optionalSeen = true;
    else if (optionalSeen) report.at(i, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
  });
}
