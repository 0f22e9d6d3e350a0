import { describe, expect, it } from 'vitest';
import { allPermissions } from '../../../../src/model/guild.ts';
import { memberPermissions } from '../../../../src/model/rules/permissions/member-place.ts';

const guild = {
  id: '1',
  owner_id: '9',
  roles: [
    { id: '1', permissions: '3' },
    { id: '2', permissions: '4' },
    { id: '3', permissions: '8' }, // administrator
  ],
};
const member = (...roles: string[]) => ({ user_id: '10', roles });
const overwrite = (id: string, type: 0 | 1, allow: number, deny: number) => ({
  id,
  type,
  allow: String(allow),
  deny: String(deny),
});
const channel = (...permission_overwrites: ReturnType<typeof overwrite>[]) => ({ permission_overwrites });

describe("a member's permissions in a channel", () => {
  it("are those of @everyone and of the member's roles together", () => {
    expect(memberPermissions(guild, member(), channel())).toBe(3n);
    expect(memberPermissions(guild, member('2'), channel())).toBe(7n);
  });

  it('are all for the owner and for administrators, even where the channel denies some', () => {
    const closed = channel(overwrite('1', 0, 0, 7), overwrite('9', 1, 0, 7), overwrite('10', 1, 0, 15));
    expect(memberPermissions(guild, { user_id: '9', roles: [] }, closed)).toBe(allPermissions);
    expect(memberPermissions(guild, member('3'), closed)).toBe(allPermissions);
  });

  it('follow the overwrite of @everyone, then those of the roles together, then the own one', () => {
    const everyone = overwrite('1', 0, 0, 3);
    expect(memberPermissions(guild, member('2'), channel(everyone))).toBe(4n);
    expect(memberPermissions(guild, member('2'), channel(overwrite('2', 0, 1, 4), everyone))).toBe(1n);
    const own = overwrite('10', 1, 2, 1);
    expect(memberPermissions(guild, member('2'), channel(own, overwrite('2', 0, 1, 4), everyone))).toBe(2n);
  });

  it('let one role allow what another denies', () => {
    const split = channel(overwrite('2', 0, 0, 16), overwrite('4', 0, 16, 0));
    expect(memberPermissions(guild, member('2', '4'), split)).toBe(7n | 16n);
  });

  it('pass over overwrites of other roles, of other members, and of a member whose id a role has', () => {
    const others = channel(
      overwrite('5', 0, 16, 3),
      overwrite('11', 1, 16, 3),
      overwrite('10', 0, 16, 3),
      overwrite('1', 1, 16, 3),
    );
    expect(memberPermissions(guild, member(), others)).toBe(3n);
  });
});
