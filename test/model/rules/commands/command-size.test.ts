import { describe, expect, it } from 'vitest';
import { checkCommand, checkCommandEdit, checkCommandList } from '../../../../src/model/rules/commands/command.ts';
import { commandTextLength } from '../../../../src/model/rules/commands/command-size.ts';
import {
  chatCommand,
  globalContext,
  group,
  option,
  subcommand,
  times,
} from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

type Fields = Record<string, unknown>;

/** A command whose texts have `length` code points together: 80 choices of 100, less what the rest has. */
function commandOfLength(length: number, letter = 'x'): Fields {
  const options = times(4, i =>
    option({
      name: `o${i}`,
      description: 'd',
      choices: times(20, j => ({ name: `${String.fromCharCode(97 + j)}`, value: letter.repeat(98) })),
    }),
  );
  const command = chatCommand({ name: 'n', description: 'd', options });
  const missing = length - commandTextLength(command);
  const filled = times(Math.ceil(missing / 100), i => letter.repeat(Math.min(100, missing - i * 100)));
  const descriptions = filled.map((text, i) => option({ name: `f${i}`, description: text }));
  const excess = commandTextLength({ options: descriptions }) - missing;
  const choices = options[0]?.choices as Fields[];
  const [first] = choices;
  if (first === undefined) throw new Error('There is a first choice.');
  first.value = letter.repeat(98 - excess);
  return { ...command, options: [...options, ...descriptions] };
}

describe('the combined length of a command', () => {
  it.each([
    [7999, []],
    [8000, []],
    [8001, ['(body) APPLICATION_COMMAND_TOO_LARGE']],
  ])('of %i has the issues %j', (length, issues) => {
    const command = commandOfLength(length);
    expect(commandTextLength(command)).toBe(length);
    expect(faults(checkCommand(command, globalContext))).toEqual(issues);
    expect(faults(checkCommandEdit(command, globalContext))).toEqual(issues);
  });

  it('is counted in code points', () => {
    expect(checkCommand(commandOfLength(8000, '🎲'), globalContext)).toEqual([]);
    expect(faults(checkCommand(commandOfLength(8001, '🎲'), globalContext))).toEqual([
      '(body) APPLICATION_COMMAND_TOO_LARGE',
    ]);
  });

  it('is reported at the item of a list', () => {
    const list = [chatCommand({ name: 'a' }), commandOfLength(8001), { ...commandOfLength(8000), name: 'b' }];
    expect(faults(checkCommandList(list, globalContext))).toEqual(['1 APPLICATION_COMMAND_TOO_LARGE']);
  });

  it('adds names, descriptions and choice values of all levels', () => {
    const choices = [{ name: '12', value: '345' }];
    const leaf = subcommand({
      name: '1',
      description: '23',
      options: [option({ name: '4', description: '5', choices })],
    });
    expect(commandTextLength(chatCommand({ name: 'a', description: 'bc' }))).toBe(3);
    expect(commandTextLength({ name: 'a', options: [group({ name: 'b', description: 'c', options: [leaf] })] })).toBe(
      13,
    );
  });

  it('counts of each field only the longest variant', () => {
    const name_localizations = { de: 'abc', fr: 'abcde', ja: '🎲'.repeat(6) };
    expect(commandTextLength({ name: 'x', name_localizations })).toBe(6);
    expect(commandTextLength({ name: 'abcdefg', name_localizations })).toBe(7);
    expect(commandTextLength({ description: 'x', description_localizations: { de: 'xy' } })).toBe(2);
    const choices = [{ name: 'a', name_localizations: { de: 'abc' }, value: 'v' }];
    expect(commandTextLength({ options: [{ choices }] })).toBe(4);
  });

  it('lets a translated command be as large as an untranslated one', () => {
    const translated = commandOfLength(8000);
    const locales = ['de', 'fr', 'ja'];
    const options = translated.options as Fields[];
    for (const item of options) {
      item.description_localizations = Object.fromEntries(locales.map(locale => [locale, item.description]));
    }
    expect(checkCommand(translated, globalContext)).toEqual([]);
  });

  it('gives numbers as choice values no length', () => {
    expect(commandTextLength({ options: [{ choices: [{ name: 'a', value: 123456 }] }] })).toBe(1);
  });

  it('of something else than a command is 0', () => {
    for (const value of [null, [], 'x', 7, { name: 5, options: 'x', choices: {} }]) {
      expect(commandTextLength(value)).toBe(0);
    }
  });
});
