import { describe, expect, it } from 'vitest';
import { optionTypes } from '../../../../src/model/command.ts';
import { checkCommand } from '../../../../src/model/rules/commands/command.ts';
import { chatCommand, globalContext, option, times } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const { STRING, INTEGER, NUMBER } = optionTypes;

function check(choices: unknown, type: number = STRING): string[] {
  const issues = checkCommand(chatCommand({ options: [option({ type, choices })] }), globalContext);
  return faults(issues).map(line => line.replace('options.0.', ''));
}

describe('the list of choices', () => {
  it.each([
    [0, []],
    [24, []],
    [25, []],
    [26, ['choices BASE_TYPE_MAX_LENGTH']],
  ])('of %i choices has the issues %j', (count, issues) => {
    expect(check(times(count, i => ({ name: `c${i}`, value: `v${i}` })))).toEqual(issues);
  });

  it('is a list of objects', () => {
    expect(check({})).toEqual(['choices LIST_TYPE_CONVERT']);
    expect(check('x')).toEqual(['choices LIST_TYPE_CONVERT']);
    expect(check([null, 'x', []])).toEqual([
      'choices.0 LIST_ITEM_VALUE_REQUIRED',
      'choices.1 MODEL_TYPE_CONVERT',
      'choices.2 MODEL_TYPE_CONVERT',
    ]);
  });

  it('may give a name or a value twice', () => {
    expect(
      check([
        { name: 'x', value: 'x' },
        { name: 'x', value: 'x' },
      ]),
    ).toEqual([]);
  });
});

describe('the name of a choice', () => {
  it.each([
    [0, ['choices.0.name BASE_TYPE_REQUIRED']],
    [1, []],
    [99, []],
    [100, []],
    [101, ['choices.0.name BASE_TYPE_BAD_LENGTH']],
  ])('of %i code points has the issues %j', (length, issues) => {
    expect(check([{ name: '🎲'.repeat(length), value: 'x' }])).toEqual(issues);
  });

  it('has any characters, and so have its translations', () => {
    expect(check([{ name: 'Two Words!', name_localizations: { de: 'Zwei Wörter!' }, value: 'x' }])).toEqual([]);
    expect(check([{ name: 'x', name_localizations: { de: 'y'.repeat(101), fr: '', xx: 'z' }, value: 'x' }])).toEqual([
      'choices.0.name_localizations.de BASE_TYPE_BAD_LENGTH',
      'choices.0.name_localizations.fr BASE_TYPE_BAD_LENGTH',
      'choices.0.name_localizations.xx BASE_TYPE_CHOICES',
    ]);
  });

  it('is reported where it is', () => {
    const choices = times(4, i => ({ name: i === 3 ? 5 : 'x', value: 'x' }));
    expect(check(choices)).toEqual(['choices.3.name STRING_TYPE_CONVERT']);
  });
});

describe('the value of a choice', () => {
  const max = Number.MAX_SAFE_INTEGER;
  it.each<[number, unknown, string | undefined]>([
    [STRING, 'x', undefined],
    [STRING, 'x'.repeat(100), undefined],
    [STRING, '🎲'.repeat(100), undefined],
    [STRING, 'x'.repeat(101), 'BASE_TYPE_BAD_LENGTH'],
    [STRING, '', 'BASE_TYPE_REQUIRED'],
    [STRING, null, 'BASE_TYPE_REQUIRED'],
    [STRING, 5, 'STRING_TYPE_CONVERT'],
    [STRING, true, 'STRING_TYPE_CONVERT'],
    [INTEGER, 0, undefined],
    [INTEGER, max, undefined],
    [INTEGER, -max, undefined],
    [INTEGER, max + 1, 'NUMBER_TYPE_MAX'],
    [INTEGER, -max - 1, 'NUMBER_TYPE_MIN'],
    [INTEGER, 1.5, 'NUMBER_TYPE_COERCE'],
    [INTEGER, '1', 'NUMBER_TYPE_COERCE'],
    [INTEGER, undefined, 'BASE_TYPE_REQUIRED'],
    [NUMBER, 1.5, undefined],
    [NUMBER, 2 ** 53, undefined],
    [NUMBER, -(2 ** 53), undefined],
    [NUMBER, 2 ** 53 + 2, 'NUMBER_TYPE_MAX'],
    [NUMBER, 'x', 'NUMBER_TYPE_COERCE'],
    [NUMBER, {}, 'NUMBER_TYPE_COERCE'],
  ])('of an option of type %i: %j gives %s', (type, value, code) => {
    expect(check([{ name: 'x', value }], type)).toEqual(code === undefined ? [] : [`choices.0.value ${code}`]);
  });
});
