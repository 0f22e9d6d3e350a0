import { describe, expect, it } from 'vitest';
import { type CommandOption, type CommandType, type OptionType, optionTypes } from '../../../../src/model/command.ts';
import { checkAutocomplete, checkInvocation } from '../../../../src/model/rules/interactions/invocation.ts';
import { times } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const parameter = (fields: Partial<CommandOption> = {}): CommandOption => ({
  type: optionTypes.STRING,
  name: 'mode',
  description: 'What to play',
  ...fields,
});

const check = (values: unknown, options: readonly CommandOption[] = [], type: CommandType = 1): string[] =>
  faults(checkInvocation(values, { type, options }));

/** What one value of an option gives, without the place of the option. */
const value = (given: unknown, fields: Partial<CommandOption>): string[] => {
  const option = parameter(fields);
  return check([{ name: option.name, type: option.type, value: given }], [option]).map(line => line.replace('0.', ''));
};

describe('the values of a use', () => {
  it('may be absent or empty when nothing is required', () => {
    for (const values of [undefined, null, []]) {
      expect(check(values)).toEqual([]);
      expect(check(values, [parameter()])).toEqual([]);
    }
  });

  it('are a list of objects', () => {
    for (const values of [{}, 'x', 7, true]) expect(check(values)).toEqual(['(body) LIST_TYPE_CONVERT']);
    expect(check([null, 'x'])).toEqual(['0 LIST_ITEM_VALUE_REQUIRED', '1 MODEL_TYPE_CONVERT']);
  });

  it('are at most 25, and no more are looked at', () => {
    const options = times(25, i => parameter({ name: `o${i}` }));
    const values = options.map(({ name, type }) => ({ name, type, value: 'x' }));
    expect(check(values, options)).toEqual([]);
    expect(check(times(100_000, () => null)).length).toBe(26);
  });

  it('name an option of the command, each once, with its type', () => {
    const options = [parameter(), parameter({ name: 'size', type: optionTypes.INTEGER })];
    expect(check([{ name: 'mood', type: 3, value: 'x' }], options)).toEqual([
      '0.name INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN',
    ]);
    const mode = { name: 'mode', type: 3, value: 'x' };
    expect(check([mode, mode], options)).toEqual(['1.name APPLICATION_COMMAND_OPTIONS_NAME_INVALID']);
    expect(check([{ ...mode, type: 4 }], options)).toEqual(['0.type BASE_TYPE_CHOICES']);
    expect(
      check(
        [
          { ...mode, name: undefined },
          { ...mode, name: {} },
        ],
        options,
      ),
    ).toEqual(['0.name BASE_TYPE_REQUIRED', '1.name STRING_TYPE_CONVERT']);
  });

  it('hold every required option', () => {
    const options = [parameter({ required: true }), parameter({ name: 'size' })];
    expect(check([], options)).toEqual(['(body) INTERACTION_APPLICATION_COMMAND_OPTION_MISSING']);
    expect(check([{ name: 'mode', type: 3 }], options)).toEqual(['0.value BASE_TYPE_REQUIRED']);
    expect(check([{ name: 'mode', type: 3, value: 'x' }], options)).toEqual([]);
  });

  it.each([2, 3, 4] as const)('are none for a command of type %i', type => {
    expect(check([], [], type)).toEqual([]);
    expect(check([{ name: 'mode', type: 3, value: 'x' }], [parameter()], type)).toEqual([
      '0.name INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN',
    ]);
  });
});

describe('the subcommand path', () => {
  const add = parameter({ type: 1, name: 'add', options: [parameter({ required: true })] });
  const list = parameter({ type: 1, name: 'list' });
  const team = parameter({ type: 2, name: 'team', options: [add, list] });
  const mode = { name: 'mode', type: 3, value: 'x' };
  const required = 'INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED';

  it('leads to one subcommand', () => {
    expect(check([{ name: 'add', type: 1, options: [mode] }], [add, list])).toEqual([]);
    expect(check([{ name: 'list', type: 1 }], [add, list])).toEqual([]);
    expect(check([{ name: 'team', type: 2, options: [{ name: 'add', type: 1, options: [mode] }] }], [team])).toEqual(
      [],
    );
  });

  it('is not left out: a command with subcommands is not used by itself', () => {
    expect(check([], [add, list])).toEqual([`(body) ${required}`]);
    expect(check([{ name: 'team', type: 2 }], [team])).toEqual([`0.options ${required}`]);
  });

  it('is one only', () => {
    const both = [
      { name: 'list', type: 1 },
      { name: 'add', type: 1, options: [mode] },
    ];
    expect(check(both, [add, list])).toEqual([`(body) ${required}`]);
  });

  it('is checked to its end', () => {
    const deep = [{ name: 'team', type: 2, options: [{ name: 'add', type: 1, options: [{ ...mode, value: 5 }] }] }];
    expect(check(deep, [team])).toEqual(['0.options.0.options.0.value STRING_TYPE_CONVERT']);
    expect(check([{ name: 'add', type: 1 }], [add])).toEqual([
      '0.options INTERACTION_APPLICATION_COMMAND_OPTION_MISSING',
    ]);
  });

  it('does not end at a group without subcommands', () => {
    const empty = { name: 'empty', type: 2, options: [] };
    const group = parameter({ type: optionTypes.SUB_COMMAND_GROUP, name: 'empty' });
    for (const one of [group, { ...group, options: [] }]) {
      const faulty = ['0.options INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED'];
      expect(check([empty], [one, add])).toEqual(faulty);
      expect(faults(checkAutocomplete([empty], { type: 1, options: [one] }))).toEqual(faulty);
    }
  });

  it('ends where the command ends, however deep the values go', () => {
    let deep: object = { name: 'list', type: 1, options: [] };
    for (let i = 0; i < 20_000; i++) deep = { name: 'list', type: 1, options: [deep] };
    expect(check([deep], [list])).toEqual(['0.options.0.name INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN']);
  });
});

describe('a value', () => {
  it.each<[Partial<CommandOption>, unknown, string | undefined]>([
    [{ min_length: 2 }, 'x', 'BASE_TYPE_MIN_LENGTH'],
    [{ min_length: 2 }, '🎲', 'BASE_TYPE_MIN_LENGTH'],
    [{ min_length: 2 }, 'xx', undefined],
    [{ max_length: 2 }, '🎲🎲', undefined],
    [{ max_length: 2 }, 'xxx', 'BASE_TYPE_MAX_LENGTH'],
    [{}, 'x'.repeat(6000), undefined],
    [{}, 'x'.repeat(6001), 'BASE_TYPE_MAX_LENGTH'],
    [{}, 5, 'STRING_TYPE_CONVERT'],
    [{ choices: [{ name: 'A', value: 'a' }] }, 'a', undefined],
    [{ choices: [{ name: 'A', value: 'a' }] }, 'A', 'BASE_TYPE_CHOICES'],
    [{ type: 4 }, 1, undefined],
    [{ type: 4 }, 1.5, 'NUMBER_TYPE_COERCE'],
    [{ type: 4 }, '1', 'NUMBER_TYPE_COERCE'],
    [{ type: 4 }, 2 ** 53, 'NUMBER_TYPE_MAX'],
    [{ type: 4, min_value: 3, max_value: 5 }, 2, 'NUMBER_TYPE_MIN'],
    [{ type: 4, min_value: 3, max_value: 5 }, 3, undefined],
    [{ type: 4, min_value: 3, max_value: 5 }, 5, undefined],
    [{ type: 4, min_value: 3, max_value: 5 }, 6, 'NUMBER_TYPE_MAX'],
    [{ type: 4, min_value: 3, choices: [{ name: 'A', value: 1 }] }, 1, undefined],
    [{ type: 4, choices: [{ name: 'A', value: 1 }] }, '1', 'BASE_TYPE_CHOICES'],
    [{ type: 10, max_value: 0.5 }, 0.5, undefined],
    [{ type: 10, max_value: 0.5 }, 0.6, 'NUMBER_TYPE_MAX'],
    [{ type: 5 }, false, undefined],
    [{ type: 5 }, 'false', 'BOOLEAN_TYPE_CONVERT'],
    [{ type: 6 }, '123', undefined],
    [{ type: 6 }, 'ada', 'NUMBER_TYPE_COERCE'],
    [{ type: 6 }, 123, 'STRING_TYPE_CONVERT'],
    [{ type: 11 }, '9223372036854775808', 'NUMBER_TYPE_MAX'],
  ])('of an option %j: %j gives %s', (fields, given, code) => {
    expect(value(given, fields)).toEqual(code === undefined ? [] : [`value ${code}`]);
  });

  it.each([6, 7, 8, 9, 11] as OptionType[])('of type %i is an id', type => {
    expect(value('1', { type })).toEqual([]);
    expect(value('-1', { type })).toEqual(['value NUMBER_TYPE_COERCE']);
  });
});

describe('the text of an issue', () => {
  it.each<[Partial<CommandOption>, unknown, string]>([
    [{ type: 4 }, 'x', 'Value "x" is not int.'],
    [{ type: 10 }, 'x', 'Value "x" is not float.'],
    [{ type: 4, min_value: 2 }, 1, 'int value should be greater than or equal to 2.'],
    [{ type: 10, min_value: 2 }, 1, 'float value should be greater than or equal to 2.'],
    [{ type: 4, max_value: 2 }, 3, 'int value should be less than or equal to 2.'],
    [{ type: 10, max_value: 2 }, 3, 'float value should be less than or equal to 2.'],
  ])('with an option %j and the value %j names the kind of number: %s', (fields, given, message) => {
    const option = parameter(fields);
    const values = [{ name: option.name, type: option.type, value: given }];
    expect(checkInvocation(values, { type: 1, options: [option] }).map(issue => issue.message)).toEqual([message]);
  });
});

describe('the values while one is typed', () => {
  const options = [
    parameter({ name: 'first', required: true, min_length: 3 }),
    parameter({ name: 'map', autocomplete: true, required: true }),
    parameter({ type: optionTypes.INTEGER, name: 'level', autocomplete: true, min_value: 5 }),
    parameter({ type: optionTypes.NUMBER, name: 'speed', autocomplete: true }),
  ];
  const typed = (...values: readonly object[]) => faults(checkAutocomplete(values, { type: 1, options }));
  const map = (more: object = { value: 'a', focused: true }) => ({ type: optionTypes.STRING, name: 'map', ...more });
  const level = (given: unknown) => ({ type: optionTypes.INTEGER, name: 'level', value: given, focused: true });

  it('have one with the focus; required ones may be missing and texts too short yet', () => {
    expect(typed(map())).toEqual([]);
    expect(typed({ type: optionTypes.STRING, name: 'first', value: 'a' }, map({ value: '', focused: true }))).toEqual(
      [],
    );
    const none = ['(body) INTERACTION_APPLICATION_COMMAND_OPTION_FOCUS'];
    expect(typed()).toEqual(none);
    expect(typed(map({ value: 'a' }))).toEqual(none);
    expect(typed(map({ value: 'a', focused: 'yes' }))).toEqual(none);
    expect(typed(map(), level('1'))).toEqual(none);
  });

  const speed = (given: unknown) => ({ type: optionTypes.NUMBER, name: 'speed', value: given, focused: true });

  it.each(['', '-', '4', '-4', '9007199254740991', '-9007199254740991', 4])(
    'hold %j where an integer is typed, whatever its bounds',
    given => {
      expect(typed(level(given))).toEqual([]);
    },
  );

  it.each(['a', '4a', '--4', '4.', '.5', '1.5', 1.5, ' 4', '9007199254740992', '-9007199254740992', 1e21])(
    'do not hold %j where an integer is typed',
    given => {
      expect(typed(level(given))).toEqual(['0.value NUMBER_TYPE_COERCE']);
    },
  );

  it.each(['', '-', '4', '-4', '4.', '.5', '.', '-.', 1.5, '9007199254740992', '-9007199254740992'])(
    'hold %j where a number is typed',
    given => {
      expect(typed(speed(given))).toEqual([]);
    },
  );

  it.each(['a', '4.4.4', '--4', '1e3', ' 4', '9007199254740994', '9'.repeat(400)])(
    'do not hold %j where a number is typed',
    given => {
      expect(typed(speed(given))).toEqual(['0.value NUMBER_TYPE_COERCE']);
    },
  );

  it('have a text in the focus, of an option that has autocomplete', () => {
    expect(typed({ type: optionTypes.STRING, name: 'first', value: 'a', focused: true })).toEqual([
      '0.focused INTERACTION_APPLICATION_COMMAND_OPTION_FOCUS',
    ]);
    expect(typed(map({ focused: true }))).toEqual(['0.value STRING_TYPE_CONVERT']);
    expect(typed(map({ value: 'x'.repeat(6001), focused: true }))).toEqual(['0.value BASE_TYPE_MAX_LENGTH']);
  });

  it('are checked like those of a use beside it', () => {
    expect(typed(map(), { type: optionTypes.INTEGER, name: 'level', value: 4 })).toEqual(['1.value NUMBER_TYPE_MIN']);
    expect(typed(map(), { type: optionTypes.STRING, name: 'nope', value: 'x' })).toEqual([
      '1.name INTERACTION_APPLICATION_COMMAND_OPTION_UNKNOWN',
    ]);
  });

  it('hold one of the choices where there are some', () => {
    const choices = [{ name: 'Red', value: 'red' }];
    const beside = { type: 1, options: [parameter({ name: 'team', choices }), ...options] } as const;
    const team = (value: string) => faults(checkAutocomplete([{ type: 3, name: 'team', value }, map()], beside));
    expect(team('red')).toEqual([]);
    expect(team('re')).toEqual(['0.value BASE_TYPE_CHOICES']);
  });

  it('stand below the subcommand that is typed', () => {
    const nested = [parameter({ type: optionTypes.SUB_COMMAND, name: 'go', options })];
    const inside = (values: unknown) => [{ type: optionTypes.SUB_COMMAND, name: 'go', options: values }];
    expect(faults(checkAutocomplete(inside([map()]), { type: 1, options: nested }))).toEqual([]);
    expect(faults(checkAutocomplete([], { type: 1, options: nested }))).toEqual([
      '(body) INTERACTION_APPLICATION_COMMAND_SUBCOMMAND_REQUIRED',
    ]);
  });
});
