import { describe, expect, it } from 'vitest';
import type { CommandInput, CommandOption } from '../../../../src/model/command.ts';
import { normalizeCommand } from '../../../../src/model/rules/commands/normalize-command.ts';
import { embeddedTraits } from '../../../support/commands/command-samples.ts';

const minimal: CommandInput = { name: 'invite', description: 'Invite a friend' };
const normalize = (fields: Partial<CommandInput> = {}): unknown =>
  normalizeCommand({ ...minimal, ...fields }, embeddedTraits);

describe('a normalized command', () => {
  it('has all defaults, in the field order of an answer', () => {
    expect(JSON.stringify(normalize())).toBe(
      JSON.stringify({
        default_member_permissions: null,
        type: 1,
        name: 'invite',
        name_localizations: null,
        description: 'Invite a friend',
        description_localizations: null,
        dm_permission: true,
        contexts: null,
        integration_types: [0, 1],
        nsfw: false,
      }),
    );
  });

  it('is the same whether a default is left out, null or given', () => {
    const given = {
      type: 1,
      options: [],
      default_member_permissions: null,
      dm_permission: true,
      default_permission: true,
      nsfw: false,
      handler: null,
      contexts: null,
      integration_types: [1, 0],
      name_localizations: { de: 'invite' },
    } as const;
    const nulls = { type: null, options: null, dm_permission: null, nsfw: null, integration_types: null } as const;
    expect(normalize(given)).toEqual(normalize());
    expect(normalize(nulls)).toEqual(normalize());
  });

  it('writes permission bits as decimal text', () => {
    const bits = (default_member_permissions: string | number | null): unknown =>
      normalize({ default_member_permissions });
    expect(bits(8)).toMatchObject({ default_member_permissions: '8' });
    expect(bits('0008')).toMatchObject({ default_member_permissions: '8' });
    expect(bits('-0')).toMatchObject({ default_member_permissions: '0' });
    expect(bits(2 ** 53)).toMatchObject({ default_member_permissions: '9007199254740992' });
    expect(bits(null)).toMatchObject({ default_member_permissions: null });
  });

  it('reads the legacy default_permission false as no permissions', () => {
    expect(normalize({ default_permission: false })).toMatchObject({ default_member_permissions: '0' });
    expect(normalize({ default_permission: false, default_member_permissions: '8' })).toMatchObject({
      default_member_permissions: '8',
    });
  });

  it('sorts what is a set', () => {
    expect(normalize({ contexts: [2, 0, 1], integration_types: [1, 0] })).toMatchObject({
      contexts: [0, 1, 2],
      integration_types: [0, 1],
    });
  });

  it('has a handler as entry point only, by default the launch of the Activity', () => {
    expect(normalize({ type: 4 })).toMatchObject({ handler: 2 });
    expect(normalize({ type: 4, handler: 1 })).toMatchObject({ handler: 1 });
    expect(normalize()).not.toHaveProperty('handler');
  });

  it('has an empty description as context menu', () => {
    expect(normalizeCommand({ type: 2, name: 'Report' }, embeddedTraits)).toMatchObject({ description: '' });
  });

  it('of a guild has neither contexts nor integration_types', () => {
    const command = normalizeCommand({ ...minimal, contexts: [0, 1], integration_types: [0] }, embeddedTraits, 'guild');
    expect(command).not.toHaveProperty('contexts');
    expect(command).not.toHaveProperty('integration_types');
  });

  it('shares nothing with its input that could change it later', () => {
    const traits = { ...embeddedTraits, integration_types: [0] as const };
    expect(normalizeCommand(minimal, traits).integration_types).not.toBe(traits.integration_types);
  });
});

describe('a normalized option', () => {
  const normalizeOption = (fields: Partial<CommandOption>): unknown =>
    normalizeCommand({ ...minimal, options: [{ type: 3, name: 'a', description: 'b', ...fields }] }, embeddedTraits)
      .options?.[0];
  const bare = { type: 3, name: 'a', name_localizations: null, description: 'b', description_localizations: null };

  it('drops what says nothing', () => {
    expect(
      normalizeOption({
        required: false,
        autocomplete: false,
        choices: [],
        options: [],
        channel_types: [],
        file_types: [],
      }),
    ).toEqual(bare);
    expect(normalizeOption({ name_localizations: { de: 'a' }, description_localizations: { de: 'b' } })).toEqual(bare);
  });

  it('keeps what says something, bounds of 0 included', () => {
    const said = { required: true, min_length: 0, max_length: 5 };
    expect(normalizeOption(said)).toEqual({ ...bare, ...said });
    expect(normalizeOption({ type: 4, min_value: 0, max_value: 0 })).toEqual({
      ...bare,
      type: 4,
      min_value: 0,
      max_value: 0,
    });
    expect(normalizeOption({ autocomplete: true })).toEqual({ ...bare, autocomplete: true });
  });

  it('has sorted channel types and file types in lower case', () => {
    expect(normalizeOption({ type: 7, channel_types: [15, 0, 2] })).toMatchObject({ channel_types: [0, 2, 15] });
    expect(normalizeOption({ type: 11, file_types: ['Image', '.PNG'] })).toMatchObject({
      file_types: ['image', '.png'],
    });
  });

  it('normalizes its choices and its own options', () => {
    expect(normalizeOption({ choices: [{ name: 'x', value: 'y' }] })).toMatchObject({
      choices: [{ name: 'x', name_localizations: null, value: 'y' }],
    });
    expect(
      normalizeOption({ type: 1, options: [{ type: 5, name: 'c', description: 'd', required: false }] }),
    ).toMatchObject({
      options: [{ type: 5, name: 'c', name_localizations: null, description: 'd', description_localizations: null }],
    });
  });

  it('drops fields that the interface does not know', () => {
    expect(normalizeOption({ name_localized: 'x', made_up: 1 } as Partial<CommandOption>)).toEqual(bare);
  });
});
