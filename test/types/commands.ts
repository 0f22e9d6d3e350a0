/** Compile-only: what defining commands allows, what it refuses, and what handlers see. */
import { defineCommand, option } from '../../src/backend/index.ts';
import { commandTypes, optionTypes } from '../../src/model/command.ts';
import type { ChannelId, MessageId, UserId } from '../../src/model/snowflake.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

export const rally = defineCommand(
  {
    name: 'rally',
    description: 'Calls your party together',
    options: [
      option.string('map', 'Where', {
        required: true,
        choices: [
          { name: 'Harbour', value: 'harbour' },
          { name: 'Keep', value: 'keep', name_localizations: { de: 'Burg' } },
        ],
      }),
      option.integer('size', 'How many', {
        min_value: 2,
        choices: [
          { name: 'Duo', value: 2 },
          { name: 'All', value: 5 },
        ],
      }),
      { type: optionTypes.USER, name: 'friend', description: 'Whom to call first' },
      option.channel('place', 'Where to talk', { channel_types: [0, 2] }),
      option.boolean('loud', 'With a horn'),
      option.number('hours', 'From now', { required: false, max_value: 24 }),
      option.string('word', 'A word', { autocomplete: true }),
    ],
  },
  async ({ options, reply, payload, targetId }) => {
    yes<Same<typeof options.map, 'harbour' | 'keep'>>();
    yes<Same<typeof options.size, 2 | 5 | undefined>>();
    yes<Same<typeof options.friend, UserId | undefined>>();
    yes<Same<typeof options.place, ChannelId | undefined>>();
    yes<Same<typeof options.loud, boolean | undefined>>();
    yes<Same<typeof options.hours, number | undefined>>();
    yes<Same<typeof options.word, string | undefined>>();
    yes<Same<typeof targetId, undefined>>();
    // @ts-expect-error there is no such option
    options.mapp;
    await reply({ content: payload.locale });
  },
);

export const party = defineCommand(
  {
    name: 'party',
    description: 'Your party',
    options: [
      option.subcommand('list', 'Who is in it', []),
      option.subcommand('add', 'Add a friend', [option.user('friend', 'Whom', { required: true })]),
      option.group('rank', 'Ranks', [
        option.subcommand('set', 'Set one', [option.integer('level', 'Which', { required: true })]),
      ]),
    ],
  },
  {
    use({ options }) {
      if (options.subcommand === 'add') yes<Same<typeof options.options.friend, UserId>>();
      if (options.group === 'rank') {
        yes<Same<typeof options.subcommand, 'set'>>();
        yes<Same<typeof options.options.level, number>>();
      }
      yes<Same<typeof options.subcommand, 'list' | 'add' | 'set'>>();
      // @ts-expect-error there is no such subcommand
      options.subcommand === 'remove';
    },
  },
);

export const search = defineCommand(
  { name: 'search', description: 'Search', options: [option.string('what', 'What', { autocomplete: true })] },
  {
    suggest: ({ focused }) => {
      yes<Same<typeof focused.name, 'what'>>();
      return [{ name: focused.value, value: 'x' }];
    },
  },
);

export const report = defineCommand({ type: commandTypes.MESSAGE, name: 'Report this' }, ({ targetId, options }) => {
  yes<Same<typeof targetId, MessageId>>();
  // @ts-expect-error a context menu has no options
  options.reason;
});

export const launch = defineCommand({ type: 4, name: 'Launch', description: 'Play', handler: 2 });
defineCommand({
  name: 'regroup',
  formerName: 'rally',
  description: 'x',
  nsfw: true,
  contexts: [0, 1],
  default_member_permissions: '8',
});
export const known = (name: string) => defineCommand({ name, description: 'A name known at run time only' });

export function wrong(): void {
  // @ts-expect-error a command has a name
  defineCommand({ description: 'x' });
  // @ts-expect-error a chat command has a description
  defineCommand({ name: 'x' });
  // @ts-expect-error names typed in chat are in lower case
  defineCommand({ name: 'Rally', description: 'x' });
  // @ts-expect-error there is no such field
  defineCommand({ name: 'x', description: 'x', permissions: '8' });
  // @ts-expect-error there is no such locale
  defineCommand({ name: 'x', description: 'x', name_localizations: { xx: 'y' } });
  // @ts-expect-error there is no such context
  defineCommand({ name: 'x', description: 'x', contexts: [3] });
  // @ts-expect-error a context menu has no description
  defineCommand({ type: 2, name: 'Invite', description: 'x' });
  // @ts-expect-error a context menu has no options
  defineCommand({ type: 3, name: 'Invite', options: [option.string('a', 'x')] });
  // @ts-expect-error only an entry point has a handler
  defineCommand({ name: 'x', description: 'x', handler: 1 });
  // @ts-expect-error an option has a description
  defineCommand({ name: 'x', description: 'x', options: [{ type: 3, name: 'a' }] });
  // @ts-expect-error there is no such type of option
  defineCommand({ name: 'x', description: 'x', options: [{ type: 12, name: 'a', description: 'x' }] });
  // @ts-expect-error there is no such field
  defineCommand({ name: 'x', description: 'x', options: [{ type: 3, name: 'a', description: 'x', requird: true }] });
  // @ts-expect-error an option's name is in lower case too
  defineCommand({ name: 'x', description: 'x', options: [option.string('Map', 'x')] });
  // @ts-expect-error two options have one name
  defineCommand({ name: 'x', description: 'x', options: [option.string('a', 'x'), option.user('a', 'x')] });
  defineCommand({
    name: 'x',
    description: 'x',
    // @ts-expect-error required options come first
    options: [option.string('a', 'x'), option.user('b', 'x', { required: true })],
  });
  defineCommand({
    name: 'x',
    description: 'x',
    // @ts-expect-error also in a subcommand
    options: [option.subcommand('s', 'x', [option.string('a', 'x'), option.user('b', 'x', { required: true })])],
  });
  // @ts-expect-error subcommands and options do not mix
  defineCommand({ name: 'x', description: 'x', options: [option.string('a', 'x'), option.subcommand('b', 'x', [])] });
  // @ts-expect-error a group holds subcommands only
  option.group('g', 'x', [option.string('a', 'x')]);
  // @ts-expect-error no group in a group
  option.group('g', 'x', [option.group('h', 'x', [])]);
  // @ts-expect-error no group in a subcommand
  option.subcommand('s', 'x', [option.group('h', 'x', [])]);
  // @ts-expect-error a subcommand is not required
  defineCommand({ name: 'x', description: 'x', options: [{ type: 1, name: 'a', description: 'x', required: true }] });
  // @ts-expect-error the choices of a text are texts
  option.string('a', 'x', { choices: [{ name: 'One', value: 1 }] });
  // @ts-expect-error the choices of a number are numbers
  option.integer('a', 'x', { choices: [{ name: 'One', value: '1' }] });
  // @ts-expect-error choices or suggestions, not both
  option.string('a', 'x', { autocomplete: true, choices: [{ name: 'One', value: '1' }] });
  // @ts-expect-error a text has no bounds of value
  option.string('a', 'x', { min_value: 1 });
  // @ts-expect-error a number has no length
  option.integer('a', 'x', { min_length: 1 });
  // @ts-expect-error a user has no choices
  option.user('a', 'x', { choices: [] });
  // @ts-expect-error channel types are for channels
  option.role('a', 'x', { channel_types: [0] });
}
