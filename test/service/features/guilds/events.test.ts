import { beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../../../src/service/events/announcement.ts';
import {
  announceGuildChange,
  announceInstallation,
  announceMember,
} from '../../../../src/service/features/guilds/events.ts';
import type { GuildMemberRecord, GuildRecord } from '../../../../src/service/store/records.ts';
import { ada, channelRecord, guildRecord, makeWorld, type World } from '../support.ts';

const everyone = { id: '5', name: '@everyone', permissions: '0', position: 0 };
const moderator = { id: '6', name: 'mod', permissions: '8', position: 1 };
const before = guildRecord({ roles: [everyone, moderator] });
const member: GuildMemberRecord = { guild_id: '5', user_id: ada, roles: [], nick: null, joined_at_ms: 0 };

let world: World;
let received: string[];
beforeEach(async () => {
  world = await makeWorld();
  received = [];
  await world.core.bus.subscribe(topics.guild('5'), ({ event }) => {
    if (event) received.push(event.name);
  });
});

const changed = async (fields: Partial<GuildRecord>): Promise<string[]> => {
  await world.core.store.transact('guilds', tx => announceGuildChange(tx, before, { ...before, ...fields }));
  return received;
};
const joined = async (old: GuildMemberRecord | undefined, now = member): Promise<string[]> => {
  await world.core.store.transact('guilds', tx => announceMember(tx, old, now));
  return received;
};

describe('the events of a guild', () => {
  it.each<[string, Partial<GuildRecord>, string[]]>([
    ['nothing', {}, []],
    ['its name', { name: 'Pier' }, ['GUILD_UPDATE']],
    ['its owner', { owner_id: '102' }, ['GUILD_UPDATE']],
    ['its locale', { locale: 'de' }, ['GUILD_UPDATE']],
    ['a new role', { roles: [everyone, moderator, { ...moderator, id: '8' }] }, ['GUILD_ROLE_CREATE']],
    ['a role', { roles: [everyone, { ...moderator, permissions: '0' }] }, ['GUILD_ROLE_UPDATE']],
    ['a new channel', { channels: [channelRecord(), channelRecord({ id: '9' })] }, ['CHANNEL_CREATE']],
    ['a channel', { channels: [channelRecord({ name: 'hall' })] }, ['CHANNEL_UPDATE']],
    ['a new thread', { channels: [channelRecord(), channelRecord({ id: '9', type: 11 })] }, ['THREAD_CREATE']],
    [
      'a role and the name, the role first',
      { name: 'Pier', roles: [everyone, { ...moderator, name: 'crew' }] },
      ['GUILD_ROLE_UPDATE', 'GUILD_UPDATE'],
    ],
  ])('follow a change of %s', async (_, fields, events) => {
    expect(await changed(fields)).toEqual(events);
  });

  it('distinguish a new member from a changed one, and omit unchanged ones', async () => {
    expect(await joined(undefined)).toEqual(['GUILD_MEMBER_ADD']);
    expect(await joined(member, { ...member, nick: 'Ada' })).toEqual(['GUILD_MEMBER_ADD', 'GUILD_MEMBER_UPDATE']);
    expect(await joined(member, { ...member })).toHaveLength(2);
  });
});

describe('the guild that a bot comes into', () => {
  const bot: GuildMemberRecord = { ...member, user_id: '1', roles: ['6'], joined_at_ms: 1_000 };
  const arrived = async (members: readonly GuildMemberRecord[]) => {
    const guilds: unknown[] = [];
    await world.core.bus.subscribe(topics.application('1'), ({ event }) => {
      if (event?.name === 'GUILD_CREATE') guilds.push(JSON.parse(event.data));
    });
    await world.core.store.transact('guilds', tx => announceInstallation(tx, '1', before, members));
    return guilds;
  };

  it.each([
    [[bot], { large: false, member_count: 1 }],
    [[bot, member], { large: true, member_count: 2 }],
  ])('shows the bot alone, and says whether there are more members', async (members, shown) => {
    const own = { user: { id: '1', bot: true }, roles: ['6'], joined_at: '1970-01-01T00:00:01.000000+00:00' };
    expect(await arrived(members)).toMatchObject([{ id: '5', name: 'Harbour', members: [own], ...shown }]);
  });

  it('shows a bot that is no member as one since the guild began, without roles', async () => {
    expect(await arrived([member])).toMatchObject([{ members: [{ user: { id: '1' }, roles: [] }], large: false }]);
  });
});

it('a changed guild is shown whole in its event', async () => {
  const shown: unknown[] = [];
  await world.core.bus.subscribe(topics.guild('5'), ({ event }) => shown.push(JSON.parse(event?.data ?? 'null')));
  await changed({ name: 'Pier' });
  expect(shown).toMatchObject([{ id: '5', name: 'Pier', owner_id: before.owner_id }]);
});
