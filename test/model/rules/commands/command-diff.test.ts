import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Command, type CommandInput, commandTypes, optionTypes } from '../../../../src/model/command.ts';
import { checkCommand } from '../../../../src/model/rules/commands/command.ts';
import { type DiffContext, diffCommand } from '../../../../src/model/rules/commands/command-diff.ts';
import { normalizeCommand } from '../../../../src/model/rules/commands/normalize-command.ts';
import { arbitraryCommand } from '../../../support/commands/arbitrary-command.ts';
import { embeddedTraits, globalContext } from '../../../support/commands/command-samples.ts';

const everywhere: DiffContext = { scope: 'global' };
const inGuild: DiffContext = { scope: 'guild' };

/** A command as the service answers it. */
function registered(fields: Partial<Command> = {}): Command {
  return {
    id: '11',
    application_id: '1',
    version: '12',
    default_member_permissions: null,
    type: commandTypes.CHAT_INPUT,
    name: 'rally',
    name_localizations: null,
    description: 'Calls',
    description_localizations: null,
    dm_permission: true,
    contexts: null,
    integration_types: [0, 1],
    nsfw: false,
    ...fields,
  };
}

const rally: CommandInput = { name: 'rally', description: 'Calls' };
const map = { type: optionTypes.STRING, name: 'map', description: 'Where' };
const paths = (server: Command, desired: CommandInput, context = everywhere) =>
  diffCommand(server, desired, context).map(({ path }) => path.join('.'));

describe('what does not count as a difference', () => {
  it.each<[string, Partial<Command>, Partial<CommandInput>]>([
    ['defaults that are spelled out', {}, { type: 1, nsfw: false, contexts: null, dm_permission: true, options: [] }],
    ['null for what is absent', {}, { type: null, nsfw: null, dm_permission: null, default_member_permissions: null }],
    [
      'permission bits as a number or with leading zeros',
      { default_member_permissions: '8' },
      { default_member_permissions: '008' },
    ],
    ['the legacy flag that says the same', { default_member_permissions: '0' }, { default_permission: false }],
    ['the order of contexts', { contexts: [0, 2], dm_permission: false }, { contexts: [2, 0] }],
    [
      'dm_permission while contexts are set',
      { contexts: [0, 1], dm_permission: true },
      { contexts: [0, 1], dm_permission: false },
    ],
    ['a translation equal to the default', { name_localizations: { de: 'rally' } }, {}],
    [
      'the order of translations',
      { name_localizations: { fr: 'b', de: 'a' } },
      { name_localizations: { de: 'a', fr: 'b' } },
    ],
    ['an empty dictionary', {}, { name_localizations: {} }],
    [
      'options that say nothing more',
      { options: [map] },
      { options: [{ ...map, required: false, choices: [], autocomplete: false, name_localizations: null }] },
    ],
    [
      'the order of channel types',
      { options: [{ ...map, type: 7, channel_types: [0, 2] }] },
      { options: [{ ...map, type: 7, channel_types: [2, 0] }] },
    ],
    [
      'letters of file types',
      { options: [{ ...map, type: 11, file_types: ['.png'] }] },
      { options: [{ ...map, type: 11, file_types: ['.PNG'] }] },
    ],
    [
      'the order of file types',
      { options: [{ ...map, type: 11, file_types: ['image', '.pdf', '.zip'] }] },
      { options: [{ ...map, type: 11, file_types: ['.zip', 'image', '.PDF'] }] },
    ],
    [
      'a file type that is named twice',
      { options: [{ ...map, type: 11, file_types: ['.png', '.png'] }] },
      { options: [{ ...map, type: 11, file_types: ['.png'] }] },
    ],
    ['installation types nobody named', { integration_types: [1] }, {}],
    ['fields nobody knows', {}, { future: 1 } as object],
  ])('%s', (_, server, desired) => {
    expect(diffCommand(registered(server), { ...rally, ...desired }, everywhere)).toEqual([]);
  });

  it('contexts, installation types and dm_permission in a guild', () => {
    const { dm_permission, contexts, integration_types, ...server } = registered({ guild_id: '5' });
    const desired = { ...rally, dm_permission: false, contexts: [0, 1] as const, integration_types: [0] as const };
    expect(diffCommand(server, desired, inGuild)).toEqual([]);
  });
});

describe('what counts as a difference', () => {
  it.each<[string, Partial<Command>, Partial<CommandInput>, string[]]>([
    ['a field', { description: 'Old' }, {}, ['description']],
    ['a name', { name: 'regroup' }, {}, ['name']],
    [
      'one translation among several',
      { name_localizations: { de: 'a', fr: 'b' } },
      { name_localizations: { de: 'a', fr: 'c' } },
      ['name_localizations.fr'],
    ],
    [
      'a translation that hides a fallback',
      { name_localizations: { 'en-GB': 'x' } },
      { name_localizations: { 'en-GB': 'x', 'en-US': 'rally' } },
      ['name_localizations.en-US'],
    ],
    [
      'a file type more, wherever it stands',
      { options: [{ ...map, type: 11, file_types: ['image', '.pdf'] }] },
      { options: [{ ...map, type: 11, file_types: ['.pdf', 'video', 'image'] }] },
      ['options.0.file_types.2'],
    ],
    [
      'the order of options',
      { options: [map, { ...map, name: 'b' }] },
      { options: [{ ...map, name: 'b' }, map] },
      ['options.0.name', 'options.1.name'],
    ],
    [
      'the order of choices',
      {
        options: [
          {
            ...map,
            choices: [
              { name: 'a', value: 'a' },
              { name: 'b', value: 'b' },
            ],
          },
        ],
      },
      {
        options: [
          {
            ...map,
            choices: [
              { name: 'b', value: 'b' },
              { name: 'a', value: 'a' },
            ],
          },
        ],
      },
      [
        'options.0.choices.0.name',
        'options.0.choices.0.value',
        'options.0.choices.1.name',
        'options.0.choices.1.value',
      ],
    ],
    ['an option more', { options: [map] }, { options: [map, { ...map, name: 'b' }] }, ['options.1']],
    ['all options gone', { options: [map] }, {}, ['options']],
    [
      'a bound of 0',
      { options: [{ ...map, type: 4 }] },
      { options: [{ ...map, type: 4, min_value: 0 }] },
      ['options.0.min_value'],
    ],
    [
      'permission bits 0 and none',
      { default_member_permissions: null },
      { default_member_permissions: '0' },
      ['default_member_permissions'],
    ],
    ['contexts that are set', {}, { contexts: [0] }, ['contexts']],
    ['dm_permission without contexts', { dm_permission: false }, {}, ['dm_permission']],
    [
      'installation types that are named',
      { integration_types: [0, 1] },
      { integration_types: [1] },
      ['integration_types.0', 'integration_types.1'],
    ],
    ['an entry point’s handler', { type: 4, handler: 1 }, { type: 4 }, ['handler']],
  ])('%s', (_, server, desired, expected) => {
    expect(paths(registered(server), { ...rally, ...desired })).toEqual(expected);
  });

  it('installation types that are known of the application', () => {
    const context = { ...everywhere, traits: { integration_types: [0] as const } };
    expect(paths(registered({ integration_types: [0] }), rally, context)).toEqual([]);
    expect(paths(registered({ integration_types: [0, 1] }), rally, context)).toEqual(['integration_types.1']);
  });

  it('names what is registered and what is wanted', () => {
    expect(
      diffCommand(registered({ options: [map] }), { ...rally, options: [{ ...map, required: true }] }, everywhere),
    ).toEqual([{ path: ['options', '0', 'required'], before: undefined, after: true }]);
  });
});

describe('for any two valid commands', () => {
  const context = { scope: 'global', traits: embeddedTraits } as const;
  const answered = (input: CommandInput): Command => {
    const normalized = normalizeCommand(input, embeddedTraits);
    const { contexts, dm_permission } = normalized;
    const shown = contexts ? contexts.includes(1) : dm_permission;
    return { ...registered(), ...JSON.parse(JSON.stringify({ ...normalized, dm_permission: shown })) };
  };

  it('nothing differs from what was made of the same', () => {
    fc.assert(
      fc.property(arbitraryCommand(), input => {
        expect(diffCommand(answered(input), input, context)).toEqual([]);
      }),
    );
  });

  it('the quick look agrees with the long one: nothing differs exactly when both read the same', () => {
    fc.assert(
      fc.property(arbitraryCommand(), arbitraryCommand(), (one, other) => {
        const merged = { ...one, ...other, name: one.name, type: one.type ?? 1 };
        if (checkCommand(merged, globalContext).length > 0) return;
        const same = JSON.stringify(answered(merged)) === JSON.stringify(answered(one));
        expect(diffCommand(answered(one), merged, context).length === 0).toBe(same);
      }),
    );
  });
});

describe('a difference in one field', () => {
  const choice = { name: 'Arena', value: 'arena' };
  const option = { ...map, choices: [choice], name_localizations: { de: 'karte' } };
  const server = registered({ name_localizations: { de: 'sammeln' }, options: [option] });
  const same: CommandInput = { ...rally, name_localizations: { de: 'sammeln' }, options: [option] };
  const withOption = (fields: object): Partial<CommandInput> => ({ options: [{ ...option, ...fields }] });

  it('is none where nothing differs', () => {
    expect(paths(server, same)).toEqual([]);
  });

  it.each<[string, Partial<CommandInput>]>([
    ['description', { description: 'Call' }],
    ['nsfw', { nsfw: true }],
    ['default_member_permissions', { default_member_permissions: '8' }],
    ['default_member_permissions', { default_permission: false }],
    ['name_localizations.de', { name_localizations: { de: 'rufen' } }],
    ['name_localizations.fr', { name_localizations: { de: 'sammeln', fr: 'appel' } }],
    ['name_localizations', { name_localizations: null }],
    ['description_localizations', { description_localizations: { de: 'Ruft' } }],
    ['contexts', { contexts: [0] }],
    ['dm_permission', { dm_permission: false }],
    ['integration_types', { integration_types: [0] }],
    ['options', { options: [] }],
    ['options', withOption({ description: 'Which' })],
    ['options', withOption({ required: true })],
    ['options', withOption({ autocomplete: true, choices: [] })],
    ['options', withOption({ type: optionTypes.INTEGER, choices: [{ name: 'Arena', value: 1 }] })],
    ['options', withOption({ min_length: 1 })],
    ['options', withOption({ max_length: 9 })],
    ['options', withOption({ name: 'place' })],
    ['options', withOption({ name_localizations: { de: 'ort' } })],
    ['options', withOption({ description_localizations: { de: 'Wo' } })],
    ['options', withOption({ choices: [{ ...choice, name: 'Hall' }] })],
    ['options', withOption({ choices: [{ ...choice, value: 'hall' }] })],
    ['options', withOption({ choices: [{ ...choice, name_localizations: { de: 'Halle' } }] })],
    ['options', withOption({ choices: [choice, { name: 'Hall', value: 'hall' }] })],
    ['options', { options: [option, { ...map, name: 'second' }] }],
  ])('is found below %s: %j', (field, fields) => {
    const found = paths(server, { ...same, ...fields });
    expect(found).not.toEqual([]);
    for (const path of found) expect(path.startsWith(field), path).toBe(true);
  });

  it.each([
    ['min_value', { min_value: 1 }],
    ['max_value', { max_value: 9 }],
    ['autocomplete', { autocomplete: true }],
    ['type', { type: optionTypes.NUMBER }],
  ])('is found in %s of an option that holds a number', (_, fields) => {
    const level = { type: optionTypes.INTEGER, name: 'level', description: 'How far' };
    const input = { ...rally, options: [{ ...level, ...fields }] } as CommandInput;
    expect(paths(registered({ options: [level] }), input)).not.toEqual([]);
    expect(paths(registered({ options: [{ ...level, ...fields }] }), { ...rally, options: [level] })).not.toEqual([]);
  });
});
