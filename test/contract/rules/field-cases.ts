import { limits } from '../../../src/model/limits/limits.ts';
import { normalizeCommand } from '../../../src/model/rules/commands/normalize-command.ts';
import { isSnowflake } from '../../../src/model/snowflake.ts';
import { chatCommand, option, times } from '../../support/commands/command-samples.ts';
import { atLeast, atMost, type RuleCase, refused, story, valid } from './case.ts';
import { guildId, traits } from './world.ts';

const letters = (count: number) => '漢'.repeat(count);
const text = (count: number) => '🎲'.repeat(count);
const bits = limits.permissionBitsMax;
const userCommand = { type: 2, name: 'Inspect' };
const launch = { type: 4, name: 'Play', description: 'Play it', handler: 1 };
const defaults = { name: 'x', description: 'y' };

/** Rules of the fields of a command. @see docs/spec/commands.md#command */
export const fieldCases: readonly RuleCase[] = [
  story('command id', 'is a snowflake of its own', {
    async http(world) {
      const [one, two] = [await world.create(chatCommand()), await world.create(chatCommand({ name: 'other' }))];
      return [isSnowflake(one.id), isSnowflake(two.id), one.id === two.id];
    },
    expected: [true, true, false],
  }),
  story('command application_id', 'is of whose token registered it', {
    http: async world => (await world.create(chatCommand(), 'plain')).application_id,
    expected: '12',
  }),
  story('command guild_id', 'is there for a guild command alone', {
    http: async world => [
      (await world.create(chatCommand(), 'game', `/guilds/${guildId}/commands`)).guild_id,
      'guild_id' in (await world.create(chatCommand())),
    ],
    expected: [guildId, false],
  }),

  story('command type', 'absent is CHAT_INPUT', {
    model: () => normalizeCommand(defaults, traits.game).type,
    http: async world => (await world.create(defaults)).type,
    expected: 1,
  }),
  valid('command type', '1', chatCommand({ type: 1 })),
  valid('command type', 'null', chatCommand({ type: null })),
  refused('command type', '0', chatCommand({ type: 0 }), ['type BASE_TYPE_CHOICES']),
  refused('command type', '5', chatCommand({ type: 5 }), ['type BASE_TYPE_CHOICES']),
  refused('command type', 'text', chatCommand({ type: '1' }), ['type NUMBER_TYPE_COERCE']),

  refused('command name', 'absent', { description: 'x' }, ['name BASE_TYPE_REQUIRED']),
  refused('command name', 'a number', chatCommand({ name: 1 }), ['name STRING_TYPE_CONVERT']),
  ...atLeast(1, 'command name', 'length', n => chatCommand({ name: letters(n) }), ['name BASE_TYPE_REQUIRED']),
  ...atMost(limits.commandNameLengthMax, 'command name', 'length', n => chatCommand({ name: letters(n) }), [
    'name BASE_TYPE_BAD_LENGTH',
  ]),

  ...atLeast(1, 'command name_localizations', 'length', n => chatCommand({ name_localizations: { de: letters(n) } }), [
    'name_localizations.de BASE_TYPE_BAD_LENGTH',
  ]),
  ...atMost(
    limits.commandNameLengthMax,
    'command name_localizations',
    'length',
    n => chatCommand({ name_localizations: { de: letters(n) } }),
    ['name_localizations.de BASE_TYPE_BAD_LENGTH'],
  ),
  valid('command name_localizations', 'null', chatCommand({ name_localizations: null })),
  refused('command name_localizations', 'a list', chatCommand({ name_localizations: [] }), [
    'name_localizations DICT_TYPE_CONVERT',
  ]),
  refused('command name_localizations', 'another pattern', chatCommand({ name_localizations: { de: 'A b' } }), [
    'name_localizations.de STRING_TYPE_REGEX',
    'name_localizations.de APPLICATION_COMMAND_INVALID_NAME',
  ]),

  ...atLeast(1, 'command description', 'length', n => chatCommand({ description: text(n) }), [
    'description BASE_TYPE_REQUIRED',
  ]),
  ...atMost(
    limits.commandDescriptionLengthMax,
    'command description',
    'length',
    n => chatCommand({ description: text(n) }),
    ['description BASE_TYPE_BAD_LENGTH'],
  ),
  valid('command description', 'empty for a USER command', { ...userCommand, description: '' }),
  refused('command description', 'given for a USER command', { ...userCommand, description: 'x' }, [
    'description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
  ]),
  refused('command description', 'given for a MESSAGE command', { type: 3, name: 'Report', description: 'x' }, [
    'description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID',
  ]),
  story('command description', 'is fetched empty, never null', {
    model: () => normalizeCommand({ type: 2, name: 'Inspect' }, traits.game).description,
    http: async world => (await world.create(userCommand)).description,
    expected: '',
  }),
  ...atMost(
    limits.commandDescriptionLengthMax,
    'command description_localizations',
    'length',
    n => chatCommand({ description_localizations: { de: text(n) } }),
    ['description_localizations.de BASE_TYPE_BAD_LENGTH'],
  ),
  refused('command description_localizations', 'empty', chatCommand({ description_localizations: { de: '' } }), [
    'description_localizations.de BASE_TYPE_BAD_LENGTH',
  ]),
  valid('command description_localizations', 'null', chatCommand({ description_localizations: null })),

  ...atMost(
    limits.commandOptionsMax,
    'command options',
    'count',
    n => chatCommand({ options: times(n, i => option({ name: `o${i}` })) }),
    ['options BASE_TYPE_MAX_LENGTH'],
  ),
  refused('command options', 'on a USER command', { ...userCommand, options: [option()] }, [
    'options APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS_INVALID',
  ]),
  refused('command options', 'an object', chatCommand({ options: {} }), ['options LIST_TYPE_CONVERT']),
  refused('command options', 'null as an item', chatCommand({ options: [null] }), [
    'options.0 LIST_ITEM_VALUE_REQUIRED',
  ]),

  valid('command default_member_permissions', '"0"', chatCommand({ default_member_permissions: '0' })),
  valid('command default_member_permissions', 'null', chatCommand({ default_member_permissions: null })),
  valid(
    'command default_member_permissions',
    'all bits but one',
    chatCommand({ default_member_permissions: String(bits - 1n) }),
  ),
  valid('command default_member_permissions', 'all bits', chatCommand({ default_member_permissions: String(bits) })),
  refused(
    'command default_member_permissions',
    'one more',
    chatCommand({ default_member_permissions: String(bits + 1n) }),
    ['default_member_permissions NUMBER_TYPE_MAX'],
  ),
  refused('command default_member_permissions', 'below 0', chatCommand({ default_member_permissions: '-1' }), [
    'default_member_permissions NUMBER_TYPE_MIN',
  ]),
  refused('command default_member_permissions', 'no number', chatCommand({ default_member_permissions: 'all' }), [
    'default_member_permissions NUMBER_TYPE_COERCE',
  ]),

  valid('command dm_permission', 'false', chatCommand({ dm_permission: false })),
  refused('command dm_permission', 'text', chatCommand({ dm_permission: 'false' }), [
    'dm_permission BOOLEAN_TYPE_CONVERT',
  ]),
  story('command dm_permission', 'is true by default, and kept as sent', {
    model: () =>
      [defaults, { ...defaults, dm_permission: false }].map(
        input => normalizeCommand(input, traits.game).dm_permission,
      ),
    http: async world => [
      (await world.create(defaults)).dm_permission,
      (await world.create({ ...defaults, dm_permission: false })).dm_permission,
    ],
    expected: [true, false],
  }),
  valid('command default_permission', 'true', chatCommand({ default_permission: true })),
  refused('command default_permission', 'a number', chatCommand({ default_permission: 0 }), [
    'default_permission BOOLEAN_TYPE_CONVERT',
  ]),
  story('command default_permission', 'false closes the command, true leaves it open', {
    model: () =>
      [false, true].map(
        default_permission =>
          normalizeCommand({ ...defaults, default_permission }, traits.game).default_member_permissions,
      ),
    http: async world => [
      (await world.create({ ...defaults, default_permission: false })).default_member_permissions,
      (await world.create({ ...defaults, default_permission: true })).default_member_permissions,
    ],
    expected: ['0', null],
  }),
  valid('command nsfw', 'true', chatCommand({ nsfw: true })),
  refused('command nsfw', 'a number', chatCommand({ nsfw: 1 }), ['nsfw BOOLEAN_TYPE_CONVERT']),
  story('command nsfw', 'is false by default', {
    model: () => normalizeCommand(defaults, traits.game).nsfw,
    http: async world => (await world.create(defaults)).nsfw,
    expected: false,
  }),

  story('command integration_types', 'are the configured ones by default', {
    model: () => [traits.game, traits.plain].map(of => normalizeCommand(defaults, of).integration_types),
    http: async world => [
      (await world.create(defaults)).integration_types,
      (await world.create(defaults, 'plain')).integration_types,
    ],
    expected: [[0, 1], [0]],
  }),
  refused('command integration_types', 'unknown', chatCommand({ integration_types: [2] }), [
    'integration_types.0 BASE_TYPE_CHOICES',
  ]),
  story('command contexts', 'are null by default; a guild command has none', {
    model: () => [
      normalizeCommand(defaults, traits.game).contexts,
      'contexts' in normalizeCommand({ ...defaults, contexts: [0] }, traits.game, 'guild'),
    ],
    http: async world => [
      (await world.create(defaults)).contexts,
      'contexts' in (await world.create({ ...defaults, contexts: [0] }, 'game', `/guilds/${guildId}/commands`)),
    ],
    expected: [null, false],
  }),
  refused('command contexts', 'unknown', chatCommand({ contexts: [0, 3] }), ['contexts.1 BASE_TYPE_CHOICES']),

  story('command version', 'is a snowflake that rises with a change', {
    async http(world) {
      const { id, version } = await world.create(chatCommand());
      const { body } = await world.call('PATCH', `/commands/${id}`, { description: 'Another' });
      const { version: later } = body as { version: string };
      return [isSnowflake(version), BigInt(later) > BigInt(version)];
    },
    expected: [true, true],
  }),

  valid('command handler', 'on an entry point', launch),
  refused('command handler', 'on another type', chatCommand({ handler: 1 }), [
    'handler APPLICATION_COMMAND_HANDLER_INVALID',
  ]),
  refused('command handler', '0', { ...launch, handler: 0 }, ['handler BASE_TYPE_CHOICES']),
  refused('command handler', '3', { ...launch, handler: 3 }, ['handler BASE_TYPE_CHOICES']),
  refused(
    'command handler',
    'of an app without Activity',
    launch,
    [
      'type APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED',
      'handler APPLICATION_COMMAND_ENTRY_POINT_EMBEDDED_REQUIRED',
    ],
    { application: 'plain' },
  ),
];
