import { describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../src/model/guild.ts';
import { type CommandOverwrite, overwriteTypes } from '../../../../src/model/overwrite.ts';
import {
  mayEditOverwrites,
  mayManageTarget,
  type RankedGuild,
} from '../../../../src/model/rules/permissions/overwrite-authority.ts';

const { MANAGE_GUILD, MANAGE_ROLES, VIEW_CHANNEL, ADMINISTRATOR } = permissionBits;
const { ROLE, USER, CHANNEL } = overwriteTypes;
const role = (id: string, position: number, bits = 0n) => ({ id, position, permissions: String(bits) });
const channel = (id: string, deny: bigint, type = 0) => ({
  id,
  type,
  nsfw: false,
  parent_id: null,
  permission_overwrites: [{ id: '500', type: 0 as const, allow: '0', deny: String(deny) }],
});
const guild: RankedGuild = {
  id: '500',
  owner_id: '1',
  roles: [
    role('500', 0, VIEW_CHANNEL | MANAGE_ROLES),
    role('11', 1),
    role('12', 2),
    role('13', 3),
    role('14', 4, ADMINISTRATOR),
  ],
  channels: [channel('700', 0n), channel('701', VIEW_CHANNEL), channel('702', MANAGE_ROLES)],
};
const member = (user_id: string, ...roles: string[]) => ({ user_id, roles, adult: true });
const rolesOf = (userId: string) => ({ 21: ['11'], 22: ['12'], 23: ['11', '13'] })[userId] ?? [];
const about = (type: CommandOverwrite['type'], id: string): CommandOverwrite => ({ id, type, permission: true });

describe('to edit overwrites', () => {
  it.each([
    [MANAGE_GUILD | MANAGE_ROLES, true],
    [MANAGE_GUILD | MANAGE_ROLES | VIEW_CHANNEL, true],
    [MANAGE_GUILD, false],
    [MANAGE_ROLES, false],
    [0n, false],
  ])('both permissions are needed: %i', (permissions, expected) => {
    expect(mayEditOverwrites({ permissions })).toBe(expected);
  });
});

describe('a target', () => {
  const manages = (editor: ReturnType<typeof member>, entry: CommandOverwrite) =>
    mayManageTarget(guild, editor, entry, rolesOf);

  it('is a role below the highest of the editor', () => {
    const editor = member('9', '11', '12');
    expect(['500', '11', '12', '13'].map(id => manages(editor, about(ROLE, id)))).toEqual([true, true, false, false]);
    expect(['500', '11'].map(id => manages(member('9'), about(ROLE, id)))).toEqual([true, false]);
  });

  it('is a user whose highest role is below that of the editor, or the editor', () => {
    const editor = member('22', '12');
    const users = ['20', '21', '22', '23', '1'];
    expect(users.map(id => manages(editor, about(USER, id)))).toEqual([true, true, true, false, false]);
    expect(manages(member('24', '12'), about(USER, '22'))).toBe(false);
  });

  it('is a channel that the editor sees and whose permissions it manages; all of them are all of those', () => {
    const editor = member('9', '12');
    expect(['700', '701', '702', '499'].map(id => manages(editor, about(CHANNEL, id)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const open = { ...guild, channels: [channel('700', 0n), channel('703', VIEW_CHANNEL, 11)] };
    expect(mayManageTarget(open, editor, about(CHANNEL, '499'), rolesOf)).toBe(true);
  });

  it('is anything for the owner, and any channel but not any role for an administrator', () => {
    const targets = [about(ROLE, '14'), about(USER, '23'), about(CHANNEL, '701'), about(CHANNEL, '499')];
    expect(targets.map(entry => manages(member('1'), entry))).toEqual([true, true, true, true]);
    expect(targets.map(entry => manages(member('9', '14'), entry))).toEqual([false, true, true, true]);
  });
});
