import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandTypes } from '../../../../src/model/command.ts';
import { allPermissions, permissionBits } from '../../../../src/model/guild.ts';
import type { CommandOverwrite } from '../../../../src/model/overwrite.ts';
import { type MemberPlace, memberPlace } from '../../../../src/model/rules/permissions/member-place.ts';
import { type PermitQuestion, permit } from '../../../../src/model/rules/permissions/permit.ts';

const { ADMINISTRATOR, MANAGE_GUILD, SEND_MESSAGES, SEND_MESSAGES_IN_THREADS, USE_APPLICATION_COMMANDS, VIEW_CHANNEL } =
  permissionBits;
const usual = VIEW_CHANNEL | SEND_MESSAGES | USE_APPLICATION_COMMANDS;

// Ids of one world: a guild 500 with the channels 700 and 701, the roles 6 and 7, and the member 9 who holds both.
const guildId = '500';
const channel = (permission: boolean, id = '700'): CommandOverwrite => ({ id, type: 3, permission });
const allChannels = (permission: boolean) => channel(permission, '499');
const user = (permission: boolean, id = '9'): CommandOverwrite => ({ id, type: 2, permission });
const role = (permission: boolean, id = '6'): CommandOverwrite => ({ id, type: 1, permission });
const everyone = (permission: boolean) => role(permission, guildId);

interface Facts {
  readonly command?: readonly CommandOverwrite[];
  readonly application?: readonly CommandOverwrite[];
  readonly bits?: string | null;
  readonly permissions?: bigint;
  readonly type?: 1 | 2 | 3 | 4;
  readonly nsfw?: boolean;
  readonly adult?: boolean;
  readonly channel?: MemberPlace['channel'];
  readonly inGuild?: true;
}

function question(facts: Facts): PermitQuestion {
  const { command = [], application = [], bits = null, permissions = usual, type = 1, nsfw = false } = facts;
  const { adult = true, channel: place = { id: '700', nsfw: false, isThread: false } } = facts;
  return {
    command: { type, default_member_permissions: bits, nsfw },
    overwrites: { command, application },
    place: {
      guildId,
      member: { user_id: '9', roles: ['6', '7'], adult },
      permissions,
      ...(!facts.inGuild && { channel: place }),
    },
  };
}

/** `allow` or `deny`, and what decided: the step, its layer if it has one, the overwrites that spoke. */
function decided(facts: Facts): string {
  const { allowed, decision } = permit(question(facts));
  const { step, layer = '', entries = [] } = decision;
  const spoke = entries.map(({ id, permission }) => `${permission ? '+' : '-'}${id}`).join(' ');
  return [allowed ? 'allow' : 'deny', step, layer, spoke].filter(Boolean).join(' ');
}

describe('who may use a command, and what decides it', () => {
  it.each<[string, Facts, string]>([
    ['no overwrite and no default', {}, 'allow default'],
    ['a default that the member has', { bits: String(SEND_MESSAGES) }, 'allow default'],
    ['a default that the member lacks one bit of', { bits: String(SEND_MESSAGES | MANAGE_GUILD) }, 'deny default'],
    ['a default of no bits', { bits: '0' }, 'deny default'],

    ['a channel that allows leaves it to the default', { command: [channel(true)], bits: '0' }, 'deny default'],
    ['a channel that denies', { command: [channel(false)] }, 'deny channel command -700'],
    ['another channel that denies', { command: [channel(false, '701')] }, 'allow default'],
    ['all channels denied', { command: [allChannels(false)] }, 'deny channel command -499'],
    ['all channels denied but this', { command: [allChannels(false), channel(true)] }, 'allow default'],
    ['all channels allowed but this', { command: [allChannels(true), channel(false)] }, 'deny channel command -700'],
    ['a channel denied for the application', { application: [channel(false)] }, 'deny channel application -700'],
    [
      'all channels allowed for the command stand above a channel denied for the application',
      { command: [allChannels(true)], application: [channel(false)] },
      'allow default',
    ],
    [
      'a channel denied stands above a user allowed',
      { command: [channel(false), user(true)] },
      'deny channel command -700',
    ],
    [
      'a channel denied for the application stands above a user allowed for the command',
      { application: [allChannels(false)], command: [user(true)] },
      'deny channel application -499',
    ],

    ['a user allowed, whatever the default', { command: [user(true)], bits: '0' }, 'allow member command +9'],
    ['a user denied', { command: [user(false)] }, 'deny member command -9'],
    ['another user denied', { command: [user(false, '10')] }, 'allow default'],
    ['a user denied whose role is allowed', { command: [role(true), user(false)] }, 'deny member command -9'],
    ['a user allowed whose role is denied', { command: [role(false), user(true)] }, 'allow member command +9'],
    ['a role allowed', { command: [role(true)], bits: '0' }, 'allow member command +6'],
    ['a role denied', { command: [role(false)] }, 'deny member command -6'],
    ['a role that the member lacks', { command: [role(false, '8')] }, 'allow default'],
    ['one of two roles allowed', { command: [role(false), role(true, '7')] }, 'allow member command -6 +7'],
    ['two roles denied', { command: [role(false), role(false, '7')] }, 'deny member command -6 -7'],
    ['everyone denied', { command: [everyone(false)] }, 'deny member command -500'],
    ['everyone denied but a role', { command: [everyone(false), role(true)] }, 'allow member command +6'],
    ['everyone allowed but a role', { command: [everyone(true), role(false)] }, 'deny member command -6'],
    ['everyone allowed, whatever the default', { command: [everyone(true)], bits: '0' }, 'allow member command +500'],

    ['a user denied for the application', { application: [user(false)] }, 'deny member application -9'],
    ['a user allowed for it leaves it to the default', { application: [user(true)], bits: '0' }, 'deny default'],
    ['a role denied for the application', { application: [role(false)] }, 'deny member application -6'],
    ['one of two roles allowed for it', { application: [role(false), role(true, '7')] }, 'allow default'],
    ['everyone denied for the application', { application: [everyone(false)] }, 'deny member application -500'],
    ['everyone allowed for it leaves it to the default', { application: [everyone(true)], bits: '0' }, 'deny default'],
    [
      'everyone allowed for the command stands above a user denied for the application',
      { command: [everyone(true)], application: [user(false)] },
      'allow member command +500',
    ],
    [
      'an overwrite of the command for somebody else leaves it to the application',
      { command: [user(true, '10')], application: [everyone(false)] },
      'deny member application -500',
    ],

    [
      'an administrator, whatever is denied',
      { permissions: ADMINISTRATOR, bits: '0', command: [allChannels(false), user(false)] },
      'allow administrator',
    ],
    ['a member who may not use application commands', { permissions: VIEW_CHANNEL }, 'deny access'],
    ['a member who does not see the channel', { permissions: USE_APPLICATION_COMMANDS }, 'deny access'],
    ['access is asked for before any overwrite', { permissions: VIEW_CHANNEL, command: [user(true)] }, 'deny access'],

    [
      'a user command by one who may not send',
      { type: commandTypes.USER, permissions: usual ^ SEND_MESSAGES },
      'deny send',
    ],
    ['a user command by one who may', { type: commandTypes.USER }, 'allow default'],
    ['a message command by one who may not send', { type: 3, permissions: usual ^ SEND_MESSAGES }, 'allow default'],
    ['a chat command by one who may not send', { permissions: usual ^ SEND_MESSAGES }, 'allow default'],
    [
      'a user command in a thread asks for sending in threads',
      { type: commandTypes.USER, channel: { id: '700', nsfw: false, isThread: true } },
      'deny send',
    ],
    [
      'a user command in a thread by one who may send there',
      {
        type: commandTypes.USER,
        permissions: (usual | SEND_MESSAGES_IN_THREADS) ^ SEND_MESSAGES,
        channel: { id: '700', nsfw: false, isThread: true },
      },
      'allow default',
    ],

    ['an age-restricted command in a usual channel', { nsfw: true }, 'deny age'],
    [
      'an age-restricted command in such a channel',
      { nsfw: true, channel: { id: '700', nsfw: true, isThread: false } },
      'allow default',
    ],
    [
      'a minor with an age-restricted command, administrators included',
      { nsfw: true, adult: false, permissions: allPermissions, channel: { id: '700', nsfw: true, isThread: false } },
      'deny age',
    ],
    [
      'a minor with a usual command',
      { adult: false, channel: { id: '700', nsfw: true, isThread: false } },
      'allow default',
    ],

    ['in the guild as a whole age still counts', { inGuild: true, nsfw: true, adult: false }, 'deny age'],
    [
      'in the guild as a whole no channel speaks',
      { inGuild: true, nsfw: true, command: [allChannels(false)] },
      'allow default',
    ],
    [
      'in the guild as a whole nothing need be seen',
      { inGuild: true, permissions: USE_APPLICATION_COMMANDS },
      'allow default',
    ],
    ['in the guild as a whole overwrites speak', { inGuild: true, command: [role(false)] }, 'deny member command -6'],
  ])('%s', (_, facts, expected) => {
    expect(decided(facts)).toBe(expected);
  });

  it('names the bits that are missing', () => {
    expect(permit(question({ permissions: 0n })).decision.missing).toBe(VIEW_CHANNEL | USE_APPLICATION_COMMANDS);
    expect(permit(question({ bits: String(MANAGE_GUILD | SEND_MESSAGES) })).decision.missing).toBe(MANAGE_GUILD);
    expect(permit(question({ bits: '0' })).decision).toEqual({ step: 'default', outcome: 'deny' });
  });

  it.each<[string, Facts]>([
    ['age', { nsfw: true, adult: false }],
    ['access', { permissions: 0n }],
    ['send', { type: 2, permissions: VIEW_CHANNEL | USE_APPLICATION_COMMANDS }],
    ['channel', { command: [channel(false)] }],
    ['member', { command: [user(false)] }],
    ['default', { bits: '0' }],
  ])('ends with the step "%s" when that denies', (step, facts) => {
    const { allowed, decision, steps } = permit(question(facts));
    expect(allowed).toBe(false);
    expect(decision).toMatchObject({ step, outcome: 'deny' });
    expect(steps.at(-1)).toEqual(decision);
    expect(steps.slice(0, -1).every(({ outcome }) => outcome === 'next')).toBe(true);
  });

  it('lists every step of the decision, with the overwrites that applied without deciding', () => {
    const { steps } = permit(question({ command: [channel(true)], application: [role(true)], bits: '0' }));
    expect(steps).toEqual([
      { step: 'age', outcome: 'next' },
      { step: 'administrator', outcome: 'next' },
      { step: 'access', outcome: 'next' },
      { step: 'send', outcome: 'next' },
      { step: 'channel', outcome: 'next', layer: 'command', entries: [channel(true)] },
      { step: 'member', outcome: 'next', layer: 'application', entries: [role(true)] },
      { step: 'default', outcome: 'deny' },
    ]);
  });
});

const ids = {
  1: ['6', '7', '8', guildId],
  2: ['9', '10'],
  3: ['700', '701', '499'],
} as const;
const overwrite = fc
  .constantFrom(1 as const, 2 as const, 3 as const)
  .chain(type => fc.record({ id: fc.constantFrom(...ids[type]), type: fc.constant(type), permission: fc.boolean() }));
const layer = fc.uniqueArray(overwrite, { selector: ({ id, type }) => `${type} ${id}`, maxLength: 6 });
const bits = fc.constantFrom(0n, VIEW_CHANNEL, SEND_MESSAGES, MANAGE_GUILD, VIEW_CHANNEL | MANAGE_GUILD);
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  command: layer,
  application: layer,
  bits: fc.option(bits.map(String), { nil: null }),
  permissions: fc
    .tuple(fc.constantFrom(usual, 0n), fc.array(fc.constantFrom(...Object.values(permissionBits)), { maxLength: 4 }))
    .map(([base, more]) => more.reduce((all, bit) => all | bit, base)),
  type: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const),
});

/** The flowchart of docs/spec/permissions.md#evaluation once more, as it is written there: one branch after another. */
function flowchart({
  command = [],
  application = [],
  bits: defaults = null,
  permissions = usual,
  type,
}: Facts): boolean {
  if (permissions & ADMINISTRATOR) return true;
  if (!(permissions & VIEW_CHANNEL) || !(permissions & USE_APPLICATION_COMMANDS)) return false;
  if (type === 2 && !(permissions & SEND_MESSAGES)) return false;
  const entry = (set: readonly CommandOverwrite[], ofType: number, id: string) =>
    set.filter(one => one.type === ofType && one.id === id)[0]?.permission;
  const roles = (set: readonly CommandOverwrite[]) =>
    set.filter(one => one.type === 1 && (one.id === '6' || one.id === '7')).map(one => one.permission);

  if (entry(command, 3, '700') !== undefined) {
    if (entry(command, 3, '700') === false) return false;
  } else if (entry(command, 3, '499') !== undefined) {
    if (entry(command, 3, '499') === false) return false;
  } else if (entry(application, 3, '700') !== undefined) {
    if (entry(application, 3, '700') === false) return false;
  } else if (entry(application, 3, '499') === false) return false;

  if (entry(command, 2, '9') !== undefined) return entry(command, 2, '9') === true;
  if (roles(command).length > 0) return roles(command).includes(true);
  if (entry(command, 1, guildId) !== undefined) return entry(command, 1, guildId) === true;

  if (entry(application, 2, '9') !== undefined) {
    if (entry(application, 2, '9') === false) return false;
  } else if (roles(application).length > 0) {
    if (!roles(application).includes(true)) return false;
  } else if (entry(application, 1, guildId) === false) return false;

  if (defaults === null) return true;
  if (defaults === '0') return false;
  return (BigInt(defaults) & permissions) === BigInt(defaults);
}

describe('for any overwrites, defaults and permissions', () => {
  const allowed = (facts: Facts) => permit(question(facts)).allowed;
  const check = (holds: (facts: Facts) => void) => fc.assert(fc.property(anyFacts, holds), { numRuns: 1000 });

  it('the decision is that of the flowchart', () => {
    check(facts => {
      expect(allowed(facts)).toBe(flowchart(facts));
    });
  });

  it('an administrator is allowed', () => {
    check(facts => {
      expect(allowed({ ...facts, permissions: (facts.permissions ?? 0n) | ADMINISTRATOR })).toBe(true);
    });
  });

  it('a channel denied for the command overrides every allow', () => {
    check(facts => {
      const command = [...(facts.command ?? []).filter(({ id }) => id !== '700'), channel(false)];
      const permissions = usual;
      expect(allowed({ ...facts, command, permissions })).toBe(false);
    });
  });

  it('a user denied for the command is not allowed, one allowed for it only where the channel denies is not', () => {
    check(facts => {
      const others = (facts.command ?? []).filter(({ type }) => type === 1);
      expect(allowed({ ...facts, permissions: usual, command: [...others, user(false)] })).toBe(false);
      expect(allowed({ ...facts, permissions: usual, application: [], command: [...others, user(true)] })).toBe(true);
    });
  });

  it('taking an allow away, or adding a permission, does what one expects of it', () => {
    check(facts => {
      const more = { ...facts, permissions: (facts.permissions ?? 0n) | (allPermissions ^ ADMINISTRATOR) };
      if (allowed(facts) && !(BigInt(facts.permissions ?? 0n) & ADMINISTRATOR)) expect(allowed(more)).toBe(true);
      const opened = (list: readonly CommandOverwrite[] = []) => list.map(one => ({ ...one, permission: true }));
      const allOpen = { ...facts, command: opened(facts.command), application: opened(facts.application) };
      if (allowed(facts)) expect(allowed(allOpen)).toBe(true);
    });
  });

  it('the order of overwrites decides nothing', () => {
    check(facts => {
      const reversed = {
        command: facts.command?.toReversed() ?? [],
        application: facts.application?.toReversed() ?? [],
      };
      expect(allowed({ ...facts, ...reversed })).toBe(allowed(facts));
    });
  });
});

describe('the place of a member', () => {
  const overwritten = (allow: bigint, deny: bigint) => [
    { id: guildId, type: 0 as const, allow: String(allow), deny: String(deny) },
  ];
  const guild = {
    id: guildId,
    owner_id: '1',
    roles: [
      { id: guildId, permissions: String(VIEW_CHANNEL) },
      { id: '6', permissions: String(USE_APPLICATION_COMMANDS) },
    ],
    channels: [
      {
        id: '700',
        type: 0,
        nsfw: true,
        parent_id: null,
        permission_overwrites: overwritten(SEND_MESSAGES, VIEW_CHANNEL),
      },
      { id: '701', type: 11, nsfw: false, parent_id: '700', permission_overwrites: overwritten(MANAGE_GUILD, 0n) },
      { id: '702', type: 0, nsfw: false, parent_id: '700', permission_overwrites: [] },
    ],
  };
  const member = { user_id: '9', roles: ['6'], adult: true };

  it('has the permissions that the channel leaves', () => {
    expect(memberPlace(guild, member, '700')).toEqual({
      guildId,
      member,
      permissions: USE_APPLICATION_COMMANDS | SEND_MESSAGES,
      channel: { id: '700', nsfw: true, isThread: false },
    });
  });

  it('in a thread is that of its channel; a channel below a category goes by its own', () => {
    expect(memberPlace(guild, member, '701')).toMatchObject({
      permissions: USE_APPLICATION_COMMANDS | SEND_MESSAGES,
      channel: { id: '700', nsfw: true, isThread: true },
    });
    expect(memberPlace(guild, member, '702')).toMatchObject({
      permissions: USE_APPLICATION_COMMANDS | VIEW_CHANNEL,
      channel: { id: '702', nsfw: false, isThread: false },
    });
  });

  it('in the guild as a whole has those of the roles, and none in a channel that does not exist', () => {
    expect(memberPlace(guild, member)).toEqual({
      guildId,
      member,
      permissions: USE_APPLICATION_COMMANDS | VIEW_CHANNEL,
    });
    expect(memberPlace(guild, member, '799')).toBeUndefined();
  });
});
