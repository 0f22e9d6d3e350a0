import {
  commandTypes,
  entryPointHandlers,
  integrationTypes,
  interactionContexts,
  optionChannelTypes,
  optionTypes,
} from '../../../src/model/command.ts';
import { checkInvocation } from '../../../src/model/rules/interactions/invocation.ts';
import { chatCommand, group, option, subcommand } from '../../support/commands/command-samples.ts';
import { faults } from '../../support/commands/issues.ts';
import { type RuleCase, refused, story, valid } from './case.ts';

const named = (name: string) => chatCommand({ name });
const wrongCharacter = ['name STRING_TYPE_REGEX', 'name APPLICATION_COMMAND_INVALID_NAME'];
const launch = { type: 4, name: 'Launch', description: 'Play' };
const nested = { type: 1, name: 'nested', description: 'x', options: [subcommand({ options: [] })] };

/** Rules of names, nesting and enumerations. @see docs/spec/commands.md#names; docs/spec/commands.md#subcommands; docs/spec/commands.md#command-types */
export const namingCases: readonly RuleCase[] = [
  ...['a', '-', '_', "'", '0', '٣', 'ß', 'ı', 'あ', '漢', 'हिन्दी', 'ไทย', 'ა', 'ʰ', 'ª'].map(name =>
    valid('naming 1', `"${name}"`, named(name)),
  ),
  ...['a b', 'a.b', 'a/b', '🎲', 'a\u0000', 'a\u0301', '\ud800', ' a'].map(name =>
    refused('naming 1', JSON.stringify(name), named(name), wrongCharacter),
  ),
  ...['A', 'Ä', 'Σ', 'Ж', 'İ', 'Ⴀ'].map(name =>
    refused('naming 1', `"${name}", which has a lower case`, named(name), ['name APPLICATION_COMMAND_INVALID_NAME']),
  ),
  refused('naming 1', 'an option in capitals', chatCommand({ options: [option({ name: 'Mode' })] }), [
    'options.0.name APPLICATION_COMMAND_INVALID_NAME',
  ]),
  ...[2, 3].map(type => valid('naming 2', `type ${type}`, { type, name: 'Report this Player! 🎲' })),
  valid('1.5 entry point name', 'with capitals', launch),

  refused(
    'naming 3',
    'the default name of another option',
    chatCommand({
      options: [option({ name: 'map' }), option({ name: 'mode', name_localizations: { de: 'map' } })],
    }),
    ['options.1.name_localizations.de APPLICATION_COMMAND_OPTIONS_NAME_INVALID'],
  ),
  refused(
    'naming 3',
    'the name of another option in that locale',
    chatCommand({
      options: ['map', 'mode'].map(name => option({ name, name_localizations: { de: 'karte' } })),
    }),
    ['options.1.name_localizations.de APPLICATION_COMMAND_OPTIONS_NAME_INVALID'],
  ),
  valid(
    'naming 3',
    'the name of another option in another locale',
    chatCommand({
      options: [
        option({ name: 'map', name_localizations: { de: 'karte' } }),
        option({ name: 'mode', name_localizations: { nl: 'karte' } }),
      ],
    }),
  ),

  valid('nesting 1', 'command > subcommand', chatCommand({ options: [subcommand({ options: [option()] })] })),
  valid(
    'nesting 1',
    'command > group > subcommand',
    chatCommand({ options: [group({ options: [subcommand({ options: [option()] })] })] }),
  ),
  valid(
    'nesting 1',
    'groups and subcommands side by side',
    chatCommand({ options: [subcommand(), group({ options: [subcommand()] })] }),
  ),
  refused('nesting 1', 'a subcommand beside a value', chatCommand({ options: [option(), subcommand()] }), [
    'options.1 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
  ]),
  refused('nesting 2', 'group > group', chatCommand({ options: [group({ options: [group({ name: 'b' })] })] }), [
    'options.0.options.0 UNION_TYPE_CHOICES',
  ]),
  refused('nesting 2', 'subcommand > group', chatCommand({ options: [subcommand({ options: [group()] })] }), [
    'options.0.options.0 UNION_TYPE_CHOICES',
  ]),
  refused('nesting 2', 'subcommand > subcommand', chatCommand({ options: [subcommand({ options: [subcommand()] })] }), [
    'options.0.options.0 UNION_TYPE_CHOICES',
  ]),
  refused('nesting 2', 'group > value', chatCommand({ options: [group({ options: [option()] })] }), [
    'options.0.options.0 UNION_TYPE_CHOICES',
  ]),
  story('nesting 3', 'cannot be used without a subcommand, and can with one', {
    model: () =>
      [[], [{ type: 1, name: 'add' }]].map(values => faults(checkInvocation(values, nested as never)).length === 0),
    async http(world) {
      const command = await world.create(nested);
      const uses = [await world.use(command), await world.use(command, { options: [{ type: 1, name: 'add' }] })];
      return uses.map(({ status }) => status === 204);
    },
    expected: [false, true],
  }),
  valid('nesting 4', 'a group without subcommands', chatCommand({ options: [group()] })),
  valid('nesting 4', 'a group with no options', chatCommand({ options: [group({ options: [] })] })),

  valid('1.6 enumerations', 'CHAT_INPUT', chatCommand({ type: commandTypes.CHAT_INPUT })),
  valid('1.6 enumerations', 'USER', { type: commandTypes.USER, name: 'a' }),
  valid('1.6 enumerations', 'MESSAGE', { type: commandTypes.MESSAGE, name: 'a' }),
  valid('1.6 enumerations', 'PRIMARY_ENTRY_POINT', launch),
  ...Object.entries(interactionContexts).map(([name, value]) =>
    valid('1.6 enumerations', name, chatCommand({ contexts: [value] })),
  ),
  ...Object.entries(integrationTypes).map(([name, value]) =>
    valid('1.6 enumerations', name, chatCommand({ integration_types: [value] })),
  ),
  ...Object.entries(entryPointHandlers).map(([name, handler]) =>
    valid('1.6 enumerations', name, { ...launch, handler }),
  ),
  ...optionChannelTypes.map(type =>
    valid(
      '1.6 enumerations',
      `channel type ${type}`,
      chatCommand({ options: [option({ type: optionTypes.CHANNEL, channel_types: [type] })] }),
    ),
  ),
  ...[-1, 6, 9, 17].map(type =>
    refused(
      '1.6 enumerations',
      `channel type ${type}`,
      chatCommand({ options: [option({ type: optionTypes.CHANNEL, channel_types: [type] })] }),
      ['options.0.channel_types.0 BASE_TYPE_CHOICES'],
    ),
  ),
];
