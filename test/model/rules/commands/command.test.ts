import { describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import { checkCommand, checkCommandEdit, checkCommandList } from '../../../../src/model/rules/commands/command.ts';
import { chatCommand, globalContext, guildContext, option, times } from '../../../support/commands/command-samples.ts';
import { faults } from '../../../support/commands/issues.ts';

const check = (command: unknown, context = globalContext): string[] => faults(checkCommand(command, context));

describe('the body of a command', () => {
  it.each([undefined, null, [], 'invite', 1, true])('is an object, not %j', body => {
    expect(check(body)).toEqual(['(body) DICT_TYPE_CONVERT']);
  });

  it('may carry fields that the interface does not know or only answers show', () => {
    expect(check(chatCommand({ id: 'x', version: 7, guild_id: [], application_id: {}, made_up: null }))).toEqual([]);
  });

  it('is checked by its own fields, not by those of its prototype', () => {
    expect(check(JSON.parse('{"__proto__":{"name":"invite","description":"x"}}'))).toEqual([
      'name BASE_TYPE_REQUIRED',
      'description BASE_TYPE_REQUIRED',
    ]);
  });

  it('reports all of its issues together', () => {
    const body = {
      type: 1,
      name: 'No No',
      description: '',
      nsfw: 1,
      contexts: [],
      options: [option({ type: 99 }), null],
    };
    expect(check(body)).toEqual([
      'name STRING_TYPE_REGEX',
      'name APPLICATION_COMMAND_INVALID_NAME',
      'description BASE_TYPE_REQUIRED',
      'options.0 UNION_TYPE_CHOICES',
      'options.1 LIST_ITEM_VALUE_REQUIRED',
      'contexts BASE_TYPE_MIN_LENGTH',
      'nsfw BOOLEAN_TYPE_CONVERT',
    ]);
  });
});

describe('type', () => {
  it.each([1, null, undefined])('is CHAT_INPUT for %j', type => {
    expect(check(chatCommand({ type, name: 'Invite' }))).toEqual(['name APPLICATION_COMMAND_INVALID_NAME']);
  });

  it.each([0, 5, -1])('is not %j', type => {
    expect(check(chatCommand({ type }))).toEqual(['type BASE_TYPE_CHOICES']);
  });

  it.each(['1', 1.5, true, [1]])('is a whole number, not %j', type => {
    expect(check(chatCommand({ type }))).toEqual(['type NUMBER_TYPE_COERCE']);
  });
});

describe('USER and MESSAGE commands', () => {
  it.each([2, 3])('have names with blanks and capitals (type %j)', type => {
    expect(check({ type, name: 'Report this Player!' })).toEqual([]);
  });

  it.each([
    [1, []],
    [31, []],
    [32, []],
    [33, ['name BASE_TYPE_BAD_LENGTH']],
  ])('with a name of %i characters have the issues %j', (length, issues) => {
    expect(check({ type: 2, name: '🎲'.repeat(length) })).toEqual(issues);
  });

  it('have no lone surrogate in their name', () => {
    expect(check({ type: 2, name: 'a\ud800' })).toEqual(['name APPLICATION_COMMAND_INVALID_NAME']);
    expect(check({ type: 2, name: 'a', name_localizations: { de: 'a\ud800' } })).toEqual([
      'name_localizations.de APPLICATION_COMMAND_INVALID_NAME',
    ]);
  });

  it.each([undefined, null, ''])('take %j as description', description => {
    expect(check({ type: 3, name: 'Report', description })).toEqual([]);
  });

  it('have no description and no translation of one', () => {
    const body = { type: 2, name: 'Report', description: 'x', description_localizations: { de: 'y', fr: '' } };
    expect(check(body)).toEqual([
      'description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
      'description_localizations.de APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
    ]);
  });

  it.each([2, 3, 4])('as any other than CHAT_INPUT have no options (type %i)', type => {
    const body = { type, name: 'Report', description: type === 4 ? 'x' : '' };
    expect(check({ ...body, options: [option()] })).toEqual([
      'options APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID',
    ]);
    expect(check({ ...body, options: [] })).toEqual([]);
    expect(check({ ...body, options: {} })).toEqual(['options LIST_TYPE_CONVERT']);
  });
});

describe('entry-point commands', () => {
  const launch = { type: 4, name: 'Launch', description: 'Play' };
  const plain = { ...globalContext, traits: { ...globalContext.traits, embedded: false } };

  it('have names with capitals, a description of 1 to 100 characters and a handler', () => {
    expect(check({ ...launch, handler: 1 })).toEqual([]);
    expect(check({ ...launch, handler: null })).toEqual([]);
    expect(check({ ...launch, description: '' })).toEqual(['description BASE_TYPE_REQUIRED']);
    expect(check({ ...launch, description: 'x'.repeat(101) })).toEqual(['description BASE_TYPE_BAD_LENGTH']);
  });

  it.each([
    [0, 'BASE_TYPE_CHOICES'],
    [3, 'BASE_TYPE_CHOICES'],
    ['1', 'NUMBER_TYPE_COERCE'],
  ])('have no handler %j', (handler, code) => {
    expect(check({ ...launch, handler })).toEqual([`handler ${code}`]);
  });

  it('are for applications with an Activity', () => {
    expect(check(launch, plain)).toEqual(['type APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED']);
    expect(faults(checkCommandEdit({ handler: 1 }, { ...plain, type: 4 }))).toEqual([
      'handler APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED',
    ]);
  });

  it('are not for guilds', () => {
    expect(check(launch, guildContext)).toEqual(['type APPLICATION_COMMAND_ENTRY_POINT_GUILD_INVALID']);
  });

  it('alone have a handler', () => {
    expect(check(chatCommand({ handler: 2 }))).toEqual(['handler APPLICATION_COMMAND_HANDLER_INVALID']);
    expect(check(chatCommand({ handler: null }))).toEqual([]);
  });
});

describe('description', () => {
  it.each([
    [0, ['description BASE_TYPE_REQUIRED']],
    [1, []],
    [99, []],
    [100, []],
    [101, ['description BASE_TYPE_BAD_LENGTH']],
  ])('of %i code points has the issues %j', (length, issues) => {
    expect(check(chatCommand({ description: '🎲'.repeat(length) }))).toEqual(issues);
  });

  it.each([
    [undefined, 'BASE_TYPE_REQUIRED'],
    [null, 'BASE_TYPE_REQUIRED'],
    [5, 'STRING_TYPE_CONVERT'],
    [['x'], 'STRING_TYPE_CONVERT'],
  ])('is text, not %j', (description, code) => {
    expect(check(chatCommand({ description }))).toEqual([`description ${code}`]);
  });
});

describe('default_member_permissions', () => {
  const max = limits.permissionBitsMax;
  const at = (bits: unknown): string[] => check(chatCommand({ default_member_permissions: bits }));

  it.each([null, undefined, 0, 8, '0', '8', '007', '-0', String(max - 1n), String(max), 2 ** 53])('takes %j', bits => {
    expect(at(bits)).toEqual([]);
  });

  it.each([String(max + 1n), 2 ** 54, 1e300, '9'.repeat(100_000)])('ends at 2^54 − 1 (case %#)', bits => {
    expect(at(bits)).toEqual(['default_member_permissions NUMBER_TYPE_MAX']);
  });

  it.each([-1, '-1', -1e300])('is not negative: %j', bits => {
    expect(at(bits)).toEqual(['default_member_permissions NUMBER_TYPE_MIN']);
  });

  it.each(['', 'x', '1.5', 1.5, '0x8', ' 8', true, [], {}, '1e3'])('is a whole number: %j', bits => {
    expect(at(bits)).toEqual(['default_member_permissions NUMBER_TYPE_COERCE']);
  });
});

describe.each([
  ['contexts', 3],
  ['integration_types', 2],
])('%s', (field, count) => {
  const all = times(count, i => i);
  const at = (value: unknown, context = globalContext): string[] => check(chatCommand({ [field]: value }), context);

  it('takes null, one value and all values', () => {
    for (const value of [null, [0], all, all.toReversed()]) expect(at(value)).toEqual([]);
  });

  it('is not empty, and a list', () => {
    expect(at([])).toEqual([`${field} BASE_TYPE_MIN_LENGTH`]);
    expect(at(0)).toEqual([`${field} LIST_TYPE_CONVERT`]);
    expect(at({})).toEqual([`${field} LIST_TYPE_CONVERT`]);
  });

  it('names known values, each once', () => {
    expect(at([0, 0])).toEqual([`${field}.1 LIST_ITEM_DUPLICATE`]);
    expect(at([count])).toEqual([`${field}.0 BASE_TYPE_CHOICES`]);
    expect(at(['0'])).toEqual([`${field}.0 NUMBER_TYPE_COERCE`]);
    expect(at([...all, 0])).toEqual([`${field} BASE_TYPE_MAX_LENGTH`]);
  });

  it('is read in a guild too, with all values, and has no effect there', () => {
    expect(at(all, guildContext)).toEqual([]);
    expect(at([count], guildContext)).toEqual([`${field}.0 BASE_TYPE_CHOICES`]);
  });
});

describe('flags of a command', () => {
  it.each(['nsfw', 'dm_permission', 'default_permission'])('%s is true, false or null', field => {
    for (const value of [true, false, null]) expect(check(chatCommand({ [field]: value }))).toEqual([]);
    for (const value of ['true', 0, []]) {
      expect(check(chatCommand({ [field]: value }))).toEqual([`${field} BOOLEAN_TYPE_CONVERT`]);
    }
  });

  it('are not nsfw in an application with discovery', () => {
    const discoverable = { ...globalContext, traits: { ...globalContext.traits, discoverable: true } };
    expect(check(chatCommand({ nsfw: true }), discoverable)).toEqual(['nsfw APPLICATION_COMMAND_NSFW_INVALID']);
    expect(check(chatCommand({ nsfw: false }), discoverable)).toEqual([]);
  });
});

describe('an edit', () => {
  const edit = (body: unknown, type?: 1 | 2 | 3 | 4): string[] =>
    faults(checkCommandEdit(body, { ...globalContext, ...(type && { type }) }));

  it('needs no field at all, but an object', () => {
    expect(edit({})).toEqual([]);
    expect(edit([])).toEqual(['(body) DICT_TYPE_CONVERT']);
  });

  it('checks the fields it supplies by the type of the stored command', () => {
    expect(edit({ name: 'Two Words' })).toEqual(['name STRING_TYPE_REGEX', 'name APPLICATION_COMMAND_INVALID_NAME']);
    expect(edit({ name: 'Two Words' }, 2)).toEqual([]);
    expect(edit({ description: 'x' }, 3)).toEqual(['description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID']);
    expect(edit({ handler: 1 }, 4)).toEqual([]);
  });

  it('clears nothing that a command must have', () => {
    expect(edit({ name: null })).toEqual(['name BASE_TYPE_REQUIRED']);
    expect(edit({ description: null })).toEqual(['description BASE_TYPE_REQUIRED']);
    expect(edit({ description: null }, 2)).toEqual([]);
    expect(edit({ options: null, name_localizations: null })).toEqual([]);
  });

  it('takes no notice of a type', () => {
    expect(edit({ type: 3 })).toEqual([]);
    expect(edit({ type: 'x' })).toEqual([]);
  });
});

describe('a list of commands', () => {
  const list = (body: unknown, context = globalContext): string[] => faults(checkCommandList(body, context));
  const named = (i: number): object => chatCommand({ name: `c${i}` });

  it.each([null, undefined, {}, 'x', 3])('is an array, not %j', body => {
    expect(list(body)).toEqual(['(body) LIST_TYPE_CONVERT']);
  });

  it.each([
    [0, []],
    [129, []],
    [130, []],
    [131, ['(body) BASE_TYPE_MAX_LENGTH']],
  ])('of %i items has the issues %j', (count, issues) => {
    expect(list(times(count, named))).toEqual(issues);
  });

  it('puts the index of the item first', () => {
    expect(list([named(0), chatCommand({ name: '' }), null, 7, '', []])).toEqual([
      '1.name BASE_TYPE_REQUIRED',
      '2 LIST_ITEM_VALUE_REQUIRED',
      '3 MODEL_TYPE_CONVERT',
      '4 LIST_ITEM_VALUE_REQUIRED',
      '5 MODEL_TYPE_CONVERT',
    ]);
  });

  it('names each command once a type', () => {
    const user = { type: 2, name: 'c0' };
    expect(list([named(0), user, { ...user, type: 3 }])).toEqual([]);
    expect(list([named(0), user, { ...named(0), type: 1 }, { ...named(0), type: null }, user])).toEqual([
      '2 APPLICATION_COMMANDS_DUPLICATE_NAME',
      '3 APPLICATION_COMMANDS_DUPLICATE_NAME',
      '4 APPLICATION_COMMANDS_DUPLICATE_NAME',
    ]);
  });

  it('takes an id for an item, in any form of an id, and each once', () => {
    const withId = (id: unknown): object => chatCommand({ name: `c${String(id).length}`, id });
    expect(list([withId('12'), withId(null), { ...named(9), id: 7 }])).toEqual([]);
    expect(list([withId('x')])).toEqual(['0.id NUMBER_TYPE_COERCE']);
    expect(list([withId('9223372036854775807')])).toEqual([]);
    expect(list([withId('9223372036854775808')])).toEqual(['0.id NUMBER_TYPE_MAX']);
    expect(
      list([
        { ...named(1), id: '5' },
        { ...named(2), id: 5 },
      ]),
    ).toEqual(['1 APPLICATION_COMMANDS_DUPLICATE_ID']);
  });

  it('counts the size of each item alone', () => {
    const large = (i: number): object => ({
      ...named(i),
      options: times(25, j => option({ name: `o${j}`, description: 'x'.repeat(100) })),
    });
    expect(list(times(4, large))).toEqual([]);
  });

  it('of a guild has no entry point', () => {
    expect(list([{ type: 4, name: 'Launch', description: 'x' }], guildContext)).toEqual([
      '0.type APPLICATION_COMMAND_ENTRY_POINT_GUILD_INVALID',
    ]);
  });
});
