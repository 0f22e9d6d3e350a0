import { describe, expect, it } from 'vitest';
import type { Command } from '../../../../src/model/command.ts';
import { permissionBits } from '../../../../src/model/guild.ts';
import { allChannelsId, type CommandOverwrite, everyoneId } from '../../../../src/model/overwrite.ts';
import { explain, type PermissionQuestion } from '../../../../src/model/rules/permissions/explain.ts';

const guildId = '100';
const everyday = permissionBits.VIEW_CHANNEL | permissionBits.USE_APPLICATION_COMMANDS | permissionBits.SEND_MESSAGES;
const guild: PermissionQuestion['guild'] = {
  id: guildId,
  owner_id: '1',
  roles: [
    { id: guildId, permissions: String(everyday) },
    { id: '20', permissions: '0' },
    { id: '21', permissions: String(permissionBits.ADMINISTRATOR) },
  ],
  channels: [{ id: '30', type: 0, nsfw: false, parent_id: null, permission_overwrites: [] }],
};
const command = { id: '40', name: 'rally', type: 1, default_member_permissions: null, nsfw: false } as Command;
const member = { user_id: '2', roles: ['20'], adult: true };
const question: PermissionQuestion = { command, guild, member, channelId: '30' };
const nobody = { command: [], application: [] };

const ask = (fields: Partial<PermissionQuestion>, own: CommandOverwrite[] = [], all: CommandOverwrite[] = []) =>
  explain({ ...question, ...fields }, { command: own, application: all });

describe('an explanation names what decided', () => {
  it('the default without a demand', () => {
    expect(ask({})).toMatchObject({ allowed: true, decidedBy: 'default', overwrites: [] });
  });

  it('the command’s contexts, before anything else', () => {
    const asked = ask({ command: { ...command, contexts: [1] }, member: { ...member, user_id: '1' } });
    expect(asked).toMatchObject({ allowed: false, decidedBy: 'contexts', reason: expect.stringContaining('GUILD') });
    expect(asked).not.toHaveProperty('permit');
  });

  it('an overwrite of a role, by its id and layer', () => {
    const deny = { id: '20', type: 1, permission: false } as const;
    expect(ask({}, [deny])).toMatchObject({ allowed: false, decidedBy: 'member', overwrites: [deny] });
    expect(ask({}, [deny]).reason).toBe("Denied: the command's overwrite of role 20 denies it.");
    expect(ask({}, [], [deny]).reason).toBe("Denied: the application's overwrite of role 20 denies it.");
  });

  it('an overwrite of a user, of @everyone, of a channel, of all channels', () => {
    expect(ask({}, [{ id: '2', type: 2, permission: true }]).reason).toContain('user 2 allows');
    expect(ask({}, [{ id: everyoneId(guildId), type: 1, permission: false }]).reason).toContain('@everyone denies');
    expect(ask({}, [{ id: '30', type: 3, permission: false }]).reason).toContain('channel 30 denies');
    expect(ask({}, [{ id: allChannelsId(guildId), type: 3, permission: false }]).reason).toContain(
      'all channels denies',
    );
  });

  it('the permissions a command asks for, by name', () => {
    const manage = String(permissionBits.MANAGE_GUILD | (1n << 50n));
    expect(ask({ command: { ...command, default_member_permissions: manage } })).toMatchObject({
      allowed: false,
      decidedBy: 'default',
      reason: `Denied: by default the command asks for MANAGE_GUILD and permission bits ${1n << 50n}.`,
    });
    expect(ask({ command: { ...command, default_member_permissions: '0' } }).reason).toContain('administrators only');
    const send = String(permissionBits.SEND_MESSAGES);
    expect(ask({ command: { ...command, default_member_permissions: send } })).toMatchObject({ allowed: true });
  });

  it('an administrator, an age, a missing right', () => {
    expect(ask({ member: { ...member, roles: ['21'] } })).toMatchObject({ allowed: true, decidedBy: 'administrator' });
    expect(ask({ command: { ...command, nsfw: true } })).toMatchObject({ allowed: false, decidedBy: 'age' });
    const mute = { ...guild, roles: [{ id: guildId, permissions: '0' }] };
    expect(ask({ guild: mute })).toMatchObject({
      decidedBy: 'access',
      reason: expect.stringContaining('VIEW_CHANNEL'),
    });
  });

  it('refuses a channel that the guild does not have, and does without one', () => {
    expect(() => ask({ channelId: '31' })).toThrow(expect.objectContaining({ code: 'unknown_channel' }));
    const { channelId: _, ...anywhere } = question;
    expect(explain(anywhere, nobody).allowed).toBe(true);
  });
});
