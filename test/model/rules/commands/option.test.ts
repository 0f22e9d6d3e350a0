import { describe, expect, it } from 'vitest';
import { optionChannelTypes, optionTypes } from '../../../../src/model/command.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { checkCommand } from '../../../../src/model/rules/commands/command.ts';
import { issuesMax } from '../../../../src/model/rules/report.ts';
import {
  chatCommand,
  globalContext,
  group,
  option,
  subcommand,
  times,
} from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const check = (options: unknown): string[] => faults(checkCommand(chatCommand({ options }), globalContext));
const one = (fields: Record<string, unknown>): string[] => check([option(fields)]);
const named = (i: number): Record<string, unknown> => option({ name: `o${i}` });

describe('the list of options', () => {
  it.each([
    [0, []],
    [24, []],
    [25, []],
    [26, ['options BASE_TYPE_MAX_LENGTH']],
  ])('of %i options has the issues %j', (count, issues) => {
    expect(check(times(count, named))).toEqual(issues);
  });

  it('has the same bound in a subcommand and in a group', () => {
    const many = times(26, named);
    const subcommands = times(26, i => subcommand({ name: `s${i}` }));
    expect(check([subcommand({ options: many })])).toEqual(['options.0.options BASE_TYPE_MAX_LENGTH']);
    expect(check([group({ options: subcommands })])).toEqual(['options.0.options BASE_TYPE_MAX_LENGTH']);
    expect(check([group({ options: subcommands.slice(1) })])).toEqual([]);
  });

  it('is a list of objects, or null', () => {
    expect(check(null)).toEqual([]);
    expect(check({ 0: named(0) })).toEqual(['options LIST_TYPE_CONVERT']);
    expect(check('x')).toEqual(['options LIST_TYPE_CONVERT']);
    expect(check([null, '', 3, []])).toEqual([
      'options.0 LIST_ITEM_VALUE_REQUIRED',
      'options.1 LIST_ITEM_VALUE_REQUIRED',
      'options.2 MODEL_TYPE_CONVERT',
      'options.3 MODEL_TYPE_CONVERT',
    ]);
  });

  it('reports the holes of a sparse list', () => {
    expect(check(new Array(2))).toEqual(['options.0 LIST_ITEM_VALUE_REQUIRED', 'options.1 LIST_ITEM_VALUE_REQUIRED']);
  });

  it('of a million items yields few issues', () => {
    expect(check(new Array(1_000_000).fill(null)).length).toBeLessThanOrEqual(26);
    expect(
      check(
        times(25, i =>
          subcommand({ name: `s${i}`, options: times(25, () => option({ choices: times(25, () => 0) })) }),
        ),
      ).length,
    ).toBe(issuesMax);
  });

  it('names each option once', () => {
    expect(check([named(1), named(2), named(1), named(1)])).toEqual([
      'options.2 APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
      'options.3 APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
    ]);
  });

  it('can use a name again in another list', () => {
    const twice = ['add', 'edit'].map(name => subcommand({ name, options: [option({ name: 'add' })] }));
    expect(check(twice)).toEqual([]);
  });

  it('has required options before optional ones, on each level', () => {
    const required = option({ name: 'a', required: true });
    const optional = option({ name: 'b' });
    const late = option({ name: 'c', required: true });
    expect(check([required, optional])).toEqual([]);
    expect(check([required, optional, late])).toEqual(['options.2 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID']);
    expect(check([option({ name: 'b', required: false }), required])).toEqual([
      'options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ]);
    expect(check([group({ options: [subcommand({ options: [optional, required] })] })])).toEqual([
      'options.0.options.0.options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ]);
  });
});

describe('an option', () => {
  it.each([
    [undefined, 'BASE_TYPE_REQUIRED'],
    ['', 'BASE_TYPE_REQUIRED'],
    ['x'.repeat(101), 'BASE_TYPE_BAD_LENGTH'],
    [1, 'STRING_TYPE_CONVERT'],
  ])('has a description of 1 to 100 characters, not %j', (description, code) => {
    expect(one({ description })).toEqual([`options.0.description ${code}`]);
    expect(one({ description: 'x'.repeat(100) })).toEqual([]);
  });

  it.each([1, 2])('has a description of its own as type %i too', type => {
    expect(one({ type, description: '' })).toEqual(['options.0.description BASE_TYPE_REQUIRED']);
  });

  it.each([
    [undefined, 'options.0.type BASE_TYPE_REQUIRED'],
    [null, 'options.0.type BASE_TYPE_REQUIRED'],
    ['3', 'options.0.type NUMBER_TYPE_COERCE'],
    [3.5, 'options.0.type NUMBER_TYPE_COERCE'],
    [0, 'options.0 UNION_TYPE_CHOICES'],
    [12, 'options.0 UNION_TYPE_CHOICES'],
  ])('has a type, not %j', (type, fault) => {
    expect(one({ type })).toEqual([fault]);
  });

  it.each(Object.entries(optionTypes))('can be %s', (_, type) => {
    expect(one({ type })).toEqual([]);
  });

  it('has true, false or null as required', () => {
    for (const required of [true, false, null]) expect(one({ required })).toEqual([]);
    expect(one({ required: 1 })).toEqual(['options.0.required BOOLEAN_TYPE_CONVERT']);
  });

  it.each([1, 2])('of type %i is not required', type => {
    expect(one({ type, required: true })).toEqual(['options.0.required APPLICATION_COMMAND_REQUIRED_INVALID']);
    expect(one({ type, required: false })).toEqual([]);
  });
});

describe('nesting', () => {
  it('goes from command to subcommand, or to group and subcommand', () => {
    const leaf = subcommand({ options: [named(0)] });
    expect(check([leaf, group({ options: [leaf] })])).toEqual([]);
  });

  it('takes a group without subcommands', () => {
    expect(check([group()])).toEqual([]);
    expect(check([group({ options: null })])).toEqual([]);
  });

  it.each([
    ['a group in a group', group({ options: [group()] })],
    ['a group in a subcommand', subcommand({ options: [group()] })],
    ['a subcommand in a subcommand', subcommand({ options: [subcommand()] })],
    ['a parameter in a group', group({ options: [named(0)] })],
  ])('does not take %s', (_, nested) => {
    expect(check([nested])).toEqual(['options.0.options.0 UNION_TYPE_CHOICES']);
  });

  it('does not mix subcommands or groups with parameters, in either order', () => {
    const code = 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID';
    expect(check([subcommand(), named(0)])).toEqual([`options.1 ${code}`]);
    expect(check([named(0), subcommand(), group()])).toEqual([`options.1 ${code}`, `options.2 ${code}`]);
  });

  it('ends where it is rejected, however deep the body goes', () => {
    let deep = group({ options: [] });
    for (let i = 0; i < 20_000; i++) deep = group({ options: [deep] });
    expect(check([deep])).toEqual(['options.0.options.0 UNION_TYPE_CHOICES']);
  });
});

describe('fields of some types only', () => {
  const { STRING, INTEGER, NUMBER, CHANNEL, ATTACHMENT, SUB_COMMAND, SUB_COMMAND_GROUP } = optionTypes;

  it.each<[string, unknown, readonly number[]]>([
    ['choices', [{ name: 'x', value: 'x' }], [STRING, INTEGER, NUMBER]],
    ['options', [subcommand()], [SUB_COMMAND, SUB_COMMAND_GROUP]],
    ['channel_types', [0], [CHANNEL]],
    ['min_value', 1, [INTEGER, NUMBER]],
    ['max_value', 1, [INTEGER, NUMBER]],
    ['min_length', 1, [STRING]],
    ['max_length', 1, [STRING]],
    ['autocomplete', true, [STRING, INTEGER, NUMBER]],
    ['file_types', ['image'], [ATTACHMENT]],
  ])('%s is refused on every other type', (field, value, types) => {
    for (const type of Object.values(optionTypes)) {
      const refused = one({ type, [field]: value }).includes(
        `options.0.${field} APPLICATION_COMMAND_OPTION_FIELD_INVALID`,
      );
      expect(refused).toBe(!types.includes(type));
    }
  });

  it('may say nothing on any type', () => {
    const nothing = { choices: [], options: [], channel_types: [], file_types: [], autocomplete: false };
    const nulls = { min_value: null, max_value: null, min_length: null, max_length: null, choices: null };
    for (const type of Object.values(optionTypes)) {
      expect(one({ type, ...nothing })).toEqual([]);
      expect(one({ type, ...nulls })).toEqual([]);
    }
  });
});

describe('min_length and max_length', () => {
  it.each([
    [{ min_length: -1 }, ['options.0.min_length NUMBER_TYPE_MIN']],
    [{ min_length: 0 }, []],
    [{ min_length: 6000 }, []],
    [{ min_length: 6001 }, ['options.0.min_length NUMBER_TYPE_MAX']],
    [{ max_length: 0 }, ['options.0.max_length NUMBER_TYPE_MIN']],
    [{ max_length: 1 }, []],
    [{ max_length: 6000 }, []],
    [{ max_length: 6001 }, ['options.0.max_length NUMBER_TYPE_MAX']],
    [{ min_length: 1.5 }, ['options.0.min_length NUMBER_TYPE_COERCE']],
    [{ max_length: '5' }, ['options.0.max_length NUMBER_TYPE_COERCE']],
    [{ min_length: 5, max_length: 5 }, []],
    [{ min_length: 6, max_length: 5 }, ['options.0.max_length APPLICATION_COMMAND_OPTION_RANGE_INVALID']],
  ])('%j: %j', (fields, issues) => {
    expect(one(fields)).toEqual(issues);
  });
});

describe('min_value and max_value', () => {
  const max = Number.MAX_SAFE_INTEGER;
  it.each([
    [{ type: 4, min_value: -max, max_value: max }, []],
    [{ type: 4, min_value: -max - 1 }, ['options.0.min_value NUMBER_TYPE_MIN']],
    [{ type: 4, max_value: max + 1 }, ['options.0.max_value NUMBER_TYPE_MAX']],
    [{ type: 4, min_value: 0.5 }, ['options.0.min_value NUMBER_TYPE_COERCE']],
    [{ type: 4, min_value: '1' }, ['options.0.min_value NUMBER_TYPE_COERCE']],
    [{ type: 10, min_value: -(2 ** 53), max_value: 2 ** 53 }, []],
    [{ type: 10, min_value: 0.5, max_value: 0.5 }, []],
    [{ type: 10, max_value: 2 ** 53 + 2 }, ['options.0.max_value NUMBER_TYPE_MAX']],
    [{ type: 10, min_value: -(2 ** 53) - 2 }, ['options.0.min_value NUMBER_TYPE_MIN']],
    [{ type: 10, min_value: 0.6, max_value: 0.5 }, ['options.0.max_value APPLICATION_COMMAND_OPTION_RANGE_INVALID']],
    [{ type: 10, min_value: Number.NaN }, ['options.0.min_value NUMBER_TYPE_COERCE']],
    [{ type: 4, min_value: 5, max_value: 6, choices: [{ name: 'x', value: 9 }] }, []],
  ])('%j: %j', (fields, issues) => {
    expect(one(fields)).toEqual(issues);
  });
});

describe('autocomplete', () => {
  it('is not enabled beside choices', () => {
    const choices = [{ name: 'x', value: 'x' }];
    expect(one({ autocomplete: true })).toEqual([]);
    expect(one({ autocomplete: true, choices: [] })).toEqual([]);
    expect(one({ autocomplete: false, choices })).toEqual([]);
    expect(one({ autocomplete: true, choices })).toEqual([
      'options.0.autocomplete APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID',
    ]);
  });

  it('is true, false or null', () => {
    expect(one({ autocomplete: null })).toEqual([]);
    expect(one({ autocomplete: 'yes' })).toEqual(['options.0.autocomplete BOOLEAN_TYPE_CONVERT']);
  });
});

describe('channel_types', () => {
  const channel = (channel_types: unknown): string[] => one({ type: optionTypes.CHANNEL, channel_types });

  it('takes each known type once', () => {
    expect(channel(optionChannelTypes)).toEqual([]);
    expect(channel([0, 0])).toEqual(['options.0.channel_types.1 LIST_ITEM_DUPLICATE']);
    expect(channel([6])).toEqual(['options.0.channel_types.0 BASE_TYPE_CHOICES']);
    expect(channel([17])).toEqual(['options.0.channel_types.0 BASE_TYPE_CHOICES']);
    expect(channel(['0'])).toEqual(['options.0.channel_types.0 NUMBER_TYPE_COERCE']);
    expect(channel(5)).toEqual(['options.0.channel_types LIST_TYPE_CONVERT']);
  });
});

describe('file_types', () => {
  const attachment = (file_types: unknown): string[] => one({ type: optionTypes.ATTACHMENT, file_types });

  it.each([
    [9, []],
    [10, []],
    [11, ['options.0.file_types BASE_TYPE_MAX_LENGTH']],
  ])('of %i entries has the issues %j', (count, issues) => {
    expect(attachment(times(count, i => `.e${i}`))).toEqual(issues);
  });

  it('names a kind or an extension with its dot', () => {
    expect(attachment(['image', 'VIDEO', 'audio', '.png', '.tar.gz', '.a-b_c'])).toEqual([]);
    expect(attachment(['png', '', '.', 'images', 7])).toEqual([
      'options.0.file_types.0 STRING_TYPE_REGEX',
      'options.0.file_types.1 STRING_TYPE_REGEX',
      'options.0.file_types.2 STRING_TYPE_REGEX',
      'options.0.file_types.3 STRING_TYPE_REGEX',
      'options.0.file_types.4 STRING_TYPE_CONVERT',
    ]);
    expect(attachment('image')).toEqual(['options.0.file_types LIST_TYPE_CONVERT']);
  });
});

describe('the translations of an option', () => {
  const max = limits.commandDescriptionLengthMax;

  it.each<[object, string[]]>([
    [{ name_localizations: { de: 'modus' }, description_localizations: { de: 'x'.repeat(max) } }, []],
    [{ name_localizations: { de: 'Modus' } }, ['name_localizations.de APPLICATION_COMMAND_INVALID_NAME']],
    [{ name_localizations: 'x' }, ['name_localizations DICT_TYPE_CONVERT']],
    [{ description_localizations: { de: '' } }, ['description_localizations.de BASE_TYPE_BAD_LENGTH']],
    [{ description_localizations: { de: 'x'.repeat(max + 1) } }, ['description_localizations.de BASE_TYPE_BAD_LENGTH']],
    [{ description_localizations: 'x' }, ['description_localizations DICT_TYPE_CONVERT']],
  ])('%j have the issues %j', (fields, issues) => {
    expect(one({ ...fields })).toEqual(issues.map(issue => `options.0.${issue}`));
  });
});

describe('the bounds of an option', () => {
  it.each<[object, string[]]>([
    [{ type: 4, min_value: 5, max_value: 4 }, ['max_value APPLICATION_COMMAND_OPTION_RANGE_INVALID']],
    [{ type: 4, min_value: 5, max_value: 5 }, []],
    [{ type: 4, min_value: 5, max_value: 'x' }, ['max_value NUMBER_TYPE_COERCE']],
    [{ type: 4, min_value: 'x', max_value: 5 }, ['min_value NUMBER_TYPE_COERCE']],
    [{ type: 4, min_value: 5 }, []],
    [{ type: 4, max_value: -5 }, []],
    [{ type: 3, min_length: 5, max_length: 4 }, ['max_length APPLICATION_COMMAND_OPTION_RANGE_INVALID']],
    [{ type: 3, min_length: 5, max_length: 5 }, []],
    [{ type: 3, min_length: 5, max_length: 0 }, ['max_length NUMBER_TYPE_MIN']],
    [{ type: 3, min_length: -1, max_length: 5 }, ['min_length NUMBER_TYPE_MIN']],
  ])('%j have the issues %j', (fields, issues) => {
    expect(one({ ...fields })).toEqual(issues.map(issue => `options.0.${issue}`));
  });
});
