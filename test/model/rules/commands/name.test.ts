import { describe, expect, it } from 'vitest';
import { checkCommand } from '../../../../src/model/rules/commands/command.ts';
import { chatCommand, globalContext, option } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const onCommand = (name: unknown): string[] => faults(checkCommand(chatCommand({ name }), globalContext));
const onOption = (name: unknown): string[] =>
  faults(checkCommand(chatCommand({ options: [option({ name })] }), globalContext)).map(line =>
    line.replace('options.0.', ''),
  );

describe.each([
  ['of a command', onCommand],
  ['of an option', onOption],
])('a name %s typed in chat', (_, check) => {
  it.each([
    [0, ['name BASE_TYPE_REQUIRED']],
    [1, []],
    [31, []],
    [32, []],
    [33, ['name BASE_TYPE_BAD_LENGTH']],
  ])('of %i characters has the issues %j', (length, issues) => {
    expect(check('a'.repeat(length))).toEqual(issues);
  });

  it('counts code points: 32 letters of two UTF-16 units fit, 33 do not', () => {
    expect(check('𞤤'.repeat(32))).toEqual([]);
    expect(check('𞤤'.repeat(33))).toEqual(['name BASE_TYPE_BAD_LENGTH']);
  });

  it.each(['a', '7', '-', '_', "'", "l'été", 'straße', 'ça-va', '日本', 'ping_2', 'हिन्दी', 'ไทย', 'ªº', '²'])(
    'can be %j',
    name => {
      expect(check(name)).toEqual([]);
    },
  );

  it.each(['two words', 'a.b', 'a/b', '🎲', 'a\n', 'a\u0000', '\ud800', 'é'.normalize('NFD'), 'а́'])(
    'cannot be %j: not its characters',
    name => {
      expect(check(name)).toEqual(['name STRING_TYPE_REGEX', 'name APPLICATION_COMMAND_INVALID_NAME']);
    },
  );

  it.each(['Invite', 'invitE', 'ÉTÉ', 'Straße', 'Ж', 'ǅ', 'İ'])('cannot be %j: it has a lower case', name => {
    expect(check(name)).toEqual(['name APPLICATION_COMMAND_INVALID_NAME']);
  });

  it('shows a wrong character and a wrong length both', () => {
    expect(check('a b'.repeat(20))).toEqual([
      'name STRING_TYPE_REGEX',
      'name APPLICATION_COMMAND_INVALID_NAME',
      'name BASE_TYPE_BAD_LENGTH',
    ]);
  });

  it.each([
    [undefined, 'BASE_TYPE_REQUIRED'],
    [null, 'BASE_TYPE_REQUIRED'],
    [12, 'STRING_TYPE_CONVERT'],
    [{}, 'STRING_TYPE_CONVERT'],
  ])('is not %j', (name, code) => {
    expect(check(name)).toEqual([`name ${code}`]);
  });

  it('of a million characters is checked within milliseconds', () => {
    expect(check('a'.repeat(1_000_000))).toEqual(['name BASE_TYPE_BAD_LENGTH', '(body) APPLICATION_COMMAND_TOO_LARGE']);
  });
});
