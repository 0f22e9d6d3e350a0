import { describe, expect, it } from 'vitest';
import { locales } from '../../../../src/model/locale.ts';
import { checkCommand } from '../../../../src/model/rules/commands/command.ts';
import { chatCommand, globalContext, group, option, subcommand } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const check = (fields: Record<string, unknown>): string[] => faults(checkCommand(chatCommand(fields), globalContext));

describe('a dictionary of translations', () => {
  it('has texts for any of the locales, or is null', () => {
    expect(check({ name_localizations: Object.fromEntries(locales.map(locale => [locale, 'x'])) })).toEqual([]);
    expect(check({ name_localizations: {} })).toEqual([]);
    expect(check({ name_localizations: null, description_localizations: null })).toEqual([]);
  });

  it('is a dictionary', () => {
    for (const value of ['x', 5, [], true]) {
      expect(check({ description_localizations: value })).toEqual(['description_localizations DICT_TYPE_CONVERT']);
    }
  });

  it('knows its locales by their exact code', () => {
    const name_localizations = { pt_BR: 'x', DE: 'x', '': 'x', 'x.y': 'x' };
    expect(checkCommand(chatCommand({ name_localizations }), globalContext).map(({ path }) => path)).toEqual([
      ['name_localizations', 'pt_BR'],
      ['name_localizations', 'DE'],
      ['name_localizations', ''],
      ['name_localizations', 'x.y'],
    ]);
  });

  it('takes a prototype key for the unknown locale it is', () => {
    const name_localizations = JSON.parse('{"__proto__":"x","constructor":"y"}');
    expect(check({ name_localizations })).toEqual([
      'name_localizations.__proto__ BASE_TYPE_CHOICES',
      'name_localizations.constructor BASE_TYPE_CHOICES',
    ]);
  });

  it('with more keys than there are locales is looked at as far as that', () => {
    const name_localizations = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'x']));
    const issues = check({ name_localizations });
    expect(issues[0]).toBe('name_localizations BASE_TYPE_MAX_LENGTH');
    expect(issues).toHaveLength(locales.length + 1);
  });

  it('may give null for a locale, as if it were not there', () => {
    expect(check({ name_localizations: { de: null }, description_localizations: { de: null } })).toEqual([]);
  });

  it('holds each text to the rules of its field', () => {
    const long = 'x'.repeat(101);
    expect(
      check({
        name_localizations: { de: 'Zwei', fr: 'deux mots', ja: '', ko: 5, it: 'x'.repeat(33) },
        description_localizations: { de: '', fr: long, ja: {}, it: 'Andiamo!' },
      }),
    ).toEqual([
      'name_localizations.de APPLICATION_COMMAND_INVALID_NAME',
      'name_localizations.fr STRING_TYPE_REGEX',
      'name_localizations.fr APPLICATION_COMMAND_INVALID_NAME',
      'name_localizations.ja BASE_TYPE_BAD_LENGTH',
      'name_localizations.ko STRING_TYPE_CONVERT',
      'name_localizations.it BASE_TYPE_BAD_LENGTH',
      'description_localizations.de BASE_TYPE_BAD_LENGTH',
      'description_localizations.fr BASE_TYPE_BAD_LENGTH',
      'description_localizations.ja STRING_TYPE_CONVERT',
    ]);
  });

  it('of a context menu holds names as free as its own', () => {
    const body = { type: 2, name: 'Report', name_localizations: { de: 'Melde Spieler', fr: 'x'.repeat(33) } };
    expect(faults(checkCommand(body, globalContext))).toEqual(['name_localizations.fr BASE_TYPE_BAD_LENGTH']);
  });
});

describe('translated option names', () => {
  const code = 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID';
  const translated = (name: string, name_localizations: object): Record<string, unknown> =>
    option({ name, name_localizations });

  it('differ from the default names of the other options', () => {
    expect(check({ options: [translated('user', { de: 'reason' }), option({ name: 'reason' })] })).toEqual([
      `options.0.name_localizations.de ${code}`,
    ]);
  });

  it('differ from each other in one locale, not across locales', () => {
    expect(check({ options: [translated('user', { de: 'name' }), translated('guild', { de: 'name' })] })).toEqual([
      `options.1.name_localizations.de ${code}`,
    ]);
    expect(check({ options: [translated('user', { de: 'name' }), translated('guild', { fr: 'name' })] })).toEqual([]);
  });

  it('differ in all places of the command', () => {
    const inner = subcommand({ name: 'list', options: [translated('user', { de: 'liste' })] });
    const outer = group({ name: 'team', name_localizations: { de: 'liste' }, options: [inner] });
    expect(check({ options: [outer] })).toEqual([`options.0.options.0.options.0.name_localizations.de ${code}`]);
  });

  it('may equal the default name of their own option', () => {
    expect(check({ options: [translated('user', { de: 'user' })] })).toEqual([]);
  });

  it('may be shared by options with the same default name', () => {
    const both = ['add', 'remove'].map(name => subcommand({ name, options: [translated('user', { de: 'mitglied' })] }));
    expect(check({ options: both })).toEqual([]);
  });
});
