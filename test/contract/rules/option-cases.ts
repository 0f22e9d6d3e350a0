import { optionTypes } from '../../../src/model/command.ts';
import { limits } from '../../../src/model/limits/limits.ts';
import { chatCommand, group, option, subcommand, times } from '../../support/commands/command-samples.ts';
import { atLeast, atMost, type RuleCase, refused, valid } from './case.ts';

const { STRING, INTEGER, BOOLEAN, CHANNEL, NUMBER, ATTACHMENT } = optionTypes;
const letters = (count: number) => '漢'.repeat(count);
const text = (count: number) => '🎲'.repeat(count);
const withOption = (fields: Record<string, unknown>) => chatCommand({ options: [option(fields)] });
const withChoice = (fields: Record<string, unknown>, type: number = STRING) =>
  withOption({ type, choices: [{ name: 'a', value: 'b', ...fields }] });
const choices = (count: number) => times(count, i => ({ name: `c${i}`, value: `v${i}` }));
const bounds = (type: number, fields: Record<string, unknown>) => withOption({ type, ...fields });
const { integerMax, numberMax, optionLengthMax } = limits;

/** Rules of options and choices. @see docs/spec/commands.md#options; docs/spec/commands.md#choices */
export const optionCases: readonly RuleCase[] = [
  refused('option type', 'absent', withOption({ type: undefined }), ['options.0.type BASE_TYPE_REQUIRED']),
  ...Object.values(optionTypes).map(type => valid('option type', String(type), withOption({ type }))),
  refused('option type', '0', withOption({ type: 0 }), ['options.0 UNION_TYPE_CHOICES']),
  refused('option type', '12', withOption({ type: 12 }), ['options.0 UNION_TYPE_CHOICES']),

  ...atLeast(1, 'option name', 'length', n => withOption({ name: letters(n) }), ['options.0.name BASE_TYPE_REQUIRED']),
  ...atMost(limits.commandNameLengthMax, 'option name', 'length', n => withOption({ name: letters(n) }), [
    'options.0.name BASE_TYPE_BAD_LENGTH',
  ]),
  refused('option name', 'twice', chatCommand({ options: [option(), option()] }), [
    'options.1 APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
  ]),
  valid(
    'option name',
    'the same in two subcommands',
    chatCommand({ options: ['one', 'two'].map(name => subcommand({ name, options: [option()] })) }),
  ),
  ...atMost(
    limits.commandNameLengthMax,
    'option name_localizations',
    'length',
    n => withOption({ name_localizations: { de: letters(n) } }),
    ['options.0.name_localizations.de BASE_TYPE_BAD_LENGTH'],
  ),
  refused('option name_localizations', 'in capitals', withOption({ name_localizations: { de: 'Modus' } }), [
    'options.0.name_localizations.de APPLICATION_COMMAND_INVALID_NAME',
  ]),
  ...atLeast(1, 'option description', 'length', n => withOption({ description: text(n) }), [
    'options.0.description BASE_TYPE_REQUIRED',
  ]),
  ...atMost(
    limits.commandDescriptionLengthMax,
    'option description',
    'length',
    n => withOption({ description: text(n) }),
    ['options.0.description BASE_TYPE_BAD_LENGTH'],
  ),
  ...atMost(
    limits.commandDescriptionLengthMax,
    'option description_localizations',
    'length',
    n => withOption({ description_localizations: { de: text(n) } }),
    ['options.0.description_localizations.de BASE_TYPE_BAD_LENGTH'],
  ),

  valid('option required', 'true', withOption({ required: true })),
  refused('option required', 'a number', withOption({ required: 1 }), ['options.0.required BOOLEAN_TYPE_CONVERT']),
  refused('option required', 'on a subcommand', chatCommand({ options: [subcommand({ required: true })] }), [
    'options.0.required APPLICATION_COMMAND_REQUIRED_INVALID',
  ]),
  refused('option required', 'on a group', chatCommand({ options: [group({ required: true })] }), [
    'options.0.required APPLICATION_COMMAND_REQUIRED_INVALID',
  ]),

  ...atMost(limits.optionChoicesMax, 'option choices', 'count', n => withOption({ choices: choices(n) }), [
    'options.0.choices BASE_TYPE_MAX_LENGTH',
  ]),
  refused('option choices', 'on a BOOLEAN', withOption({ type: BOOLEAN, choices: choices(1) }), [
    'options.0.choices APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  ]),
  ...atMost(
    limits.commandOptionsMax,
    'option options',
    'count in a subcommand',
    n => chatCommand({ options: [subcommand({ options: times(n, i => option({ name: `o${i}` })) })] }),
    ['options.0.options BASE_TYPE_MAX_LENGTH'],
  ),
  ...atMost(
    limits.commandOptionsMax,
    'option options',
    'count in a group',
    n => chatCommand({ options: [group({ options: times(n, i => subcommand({ name: `s${i}` })) })] }),
    ['options.0.options BASE_TYPE_MAX_LENGTH'],
  ),
  refused('option options', 'on a STRING', withOption({ options: [option()] }), [
    'options.0.options APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  ]),

  valid('option channel_types', 'on a CHANNEL', withOption({ type: CHANNEL, channel_types: [0, 5] })),
  refused('option channel_types', 'unknown', withOption({ type: CHANNEL, channel_types: [6] }), [
    'options.0.channel_types.0 BASE_TYPE_CHOICES',
  ]),
  refused('option channel_types', 'on a STRING', withOption({ channel_types: [0] }), [
    'options.0.channel_types APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  ]),

  ...(['min_value', 'max_value'] as const).flatMap(field => [
    ...[integerMax - 1, integerMax, -integerMax].map(n =>
      valid(`option ${field}`, `${n} of an INTEGER`, bounds(INTEGER, { [field]: n })),
    ),
    refused(`option ${field}`, 'one more for an INTEGER', bounds(INTEGER, { [field]: integerMax + 1 }), [
      `options.0.${field} NUMBER_TYPE_MAX`,
    ]),
    refused(`option ${field}`, 'one less for an INTEGER', bounds(INTEGER, { [field]: -integerMax - 1 }), [
      `options.0.${field} NUMBER_TYPE_MIN`,
    ]),
    refused(`option ${field}`, 'half for an INTEGER', bounds(INTEGER, { [field]: 0.5 }), [
      `options.0.${field} NUMBER_TYPE_COERCE`,
    ]),
    ...[0.5, numberMax - 1, numberMax, -numberMax].map(n =>
      valid(`option ${field}`, `${n} of a NUMBER`, bounds(NUMBER, { [field]: n })),
    ),
    refused(`option ${field}`, 'more for a NUMBER', bounds(NUMBER, { [field]: numberMax + 2 }), [
      `options.0.${field} NUMBER_TYPE_MAX`,
    ]),
    refused(`option ${field}`, 'on a STRING', bounds(STRING, { [field]: 1 }), [
      `options.0.${field} APPLICATION_COMMAND_OPTION_FIELD_INVALID`,
    ]),
  ]),
  valid('option max_value', 'equal to the minimum', bounds(INTEGER, { min_value: 2, max_value: 2 })),
  refused('option max_value', 'below the minimum', bounds(INTEGER, { min_value: 2, max_value: 1 }), [
    'options.0.max_value APPLICATION_COMMAND_OPTION_RANGE_INVALID',
  ]),
  ...atLeast(0, 'option min_length', '', n => withOption({ min_length: n }), ['options.0.min_length NUMBER_TYPE_MIN']),
  ...atMost(optionLengthMax, 'option min_length', '', n => withOption({ min_length: n }), [
    'options.0.min_length NUMBER_TYPE_MAX',
  ]),
  ...atLeast(1, 'option max_length', '', n => withOption({ max_length: n }), ['options.0.max_length NUMBER_TYPE_MIN']),
  ...atMost(optionLengthMax, 'option max_length', '', n => withOption({ max_length: n }), [
    'options.0.max_length NUMBER_TYPE_MAX',
  ]),
  refused('option min_length', 'on an INTEGER', bounds(INTEGER, { min_length: 1 }), [
    'options.0.min_length APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  ]),
  refused('option max_length', 'below the least', withOption({ min_length: 2, max_length: 1 }), [
    'options.0.max_length APPLICATION_COMMAND_OPTION_RANGE_INVALID',
  ]),

  ...[STRING, INTEGER, NUMBER].map(type =>
    valid('option autocomplete', `on type ${type}`, withOption({ type, autocomplete: true })),
  ),
  refused('option autocomplete', 'on a BOOLEAN', withOption({ type: BOOLEAN, autocomplete: true }), [
    'options.0.autocomplete APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  ]),
  refused('option autocomplete', 'with choices', withOption({ autocomplete: true, choices: choices(1) }), [
    'options.0.autocomplete APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID',
  ]),
  valid('option autocomplete', 'with no choices', withOption({ autocomplete: true, choices: [] })),

  valid(
    'option order',
    'required before optional',
    chatCommand({ options: [option({ name: 'a', required: true }), option({ name: 'b' })] }),
  ),
  refused(
    'option order',
    'required after optional',
    chatCommand({ options: [option({ name: 'a' }), option({ name: 'b', required: true })] }),
    ['options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID'],
  ),
  refused(
    'option order',
    'required after optional in a subcommand',
    chatCommand({ options: [subcommand({ options: [option({ name: 'a' }), option({ name: 'b', required: true })] })] }),
    ['options.0.options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID'],
  ),

  ...atLeast(1, 'choice name', 'length', n => withChoice({ name: text(n) }), [
    'options.0.choices.0.name BASE_TYPE_REQUIRED',
  ]),
  ...atMost(limits.choiceNameLengthMax, 'choice name', 'length', n => withChoice({ name: text(n) }), [
    'options.0.choices.0.name BASE_TYPE_BAD_LENGTH',
  ]),
  ...atMost(
    limits.choiceNameLengthMax,
    'choice name_localizations',
    'length',
    n => withChoice({ name_localizations: { de: text(n) } }),
    ['options.0.choices.0.name_localizations.de BASE_TYPE_BAD_LENGTH'],
  ),
  ...atMost(limits.choiceValueLengthMax, 'choice value', 'length', n => withChoice({ value: text(n) }), [
    'options.0.choices.0.value BASE_TYPE_BAD_LENGTH',
  ]),
  refused('choice value', 'a number for a STRING', withChoice({ value: 1 }), [
    'options.0.choices.0.value STRING_TYPE_CONVERT',
  ]),
  refused('choice value', 'text for an INTEGER', withChoice({ value: '1' }, INTEGER), [
    'options.0.choices.0.value NUMBER_TYPE_COERCE',
  ]),
  refused('choice value', 'half for an INTEGER', withChoice({ value: 0.5 }, INTEGER), [
    'options.0.choices.0.value NUMBER_TYPE_COERCE',
  ]),
  valid('choice value', 'half for a NUMBER', withChoice({ value: 0.5 }, NUMBER)),
  valid('choice value', 'the greatest INTEGER', withChoice({ value: integerMax }, INTEGER)),
  refused('choice value', 'one more', withChoice({ value: integerMax + 1 }, INTEGER), [
    'options.0.choices.0.value NUMBER_TYPE_MAX',
  ]),

  ...atMost(
    limits.fileTypesMax,
    '1.4 file_types',
    'count',
    n => withOption({ type: ATTACHMENT, file_types: times(n, i => `.f${i}`) }),
    ['options.0.file_types BASE_TYPE_MAX_LENGTH'],
  ),
  refused('1.4 file_types', 'of no kind', withOption({ type: ATTACHMENT, file_types: ['png'] }), [
    'options.0.file_types.0 STRING_TYPE_REGEX',
  ]),
  refused('1.4 file_types', 'on a STRING', withOption({ file_types: ['image'] }), [
    'options.0.file_types APPLICATION_COMMAND_OPTION_FIELD_INVALID',
  ]),
  valid(
    '1.4 range and choices',
    'a choice outside of the range',
    bounds(INTEGER, { min_value: 5, choices: [{ name: 'a', value: 1 }] }),
  ),
];
