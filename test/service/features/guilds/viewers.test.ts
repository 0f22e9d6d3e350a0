import { describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../src/model/guild.ts';
import { type Announced, topics } from '../../../../src/service/events/announcement.ts';
import { announceViews, channelsSeenBy } from '../../../../src/service/features/guilds/viewers.ts';
import type { GuildMemberRecord, GuildRecord } from '../../../../src/service/store/records.ts';
import { countRoundTrips } from '../../../support/store/round-trips.ts';
import { ada, ben, channelRecord, cyn, guildRecord, makeWorld, putGuild } from '../support.ts';

const open = { id: '5', name: '@everyone', permissions: String(permissionBits.VIEW_CHANNEL), position: 0 };
const crew = { id: '6', name: 'crew', permissions: '0', position: 1 };
const forCrew = [
  { id: '5', type: 0, allow: '0', deny: String(permissionBits.VIEW_CHANNEL) },
  { id: '6', type: 0, allow: String(permissionBits.VIEW_CHANNEL), deny: '0' },
] as const;
const guild = guildRecord({
  owner_id: '900',
  roles: [open, crew],
  channels: [
    channelRecord({ id: '11' }),
    channelRecord({ id: '12' }),
    channelRecord({ id: '13', permission_overwrites: [...forCrew] }),
  ],
});
const channel = topics.channel;
const member = (user_id: string, ...roles: string[]): GuildMemberRecord => ({
  ...{ guild_id: guild.id, user_id, roles, nick: null, joined_at_ms: 0 },
});

/** What is announced to Ada, Ben and Cyn when the guild changes. */
async function announcedBy(
  before: GuildRecord | undefined,
  after: GuildRecord,
  members: readonly (readonly [before: GuildMemberRecord | undefined, member: GuildMemberRecord])[],
): Promise<readonly Pick<Announced, 'to' | 'follow' | 'unfollow'>[]> {
  const { core } = await makeWorld();
  const heard: Pick<Announced, 'to' | 'follow' | 'unfollow'>[] = [];
  for (const id of [ada, ben, cyn]) {
    await core.bus.subscribe(topics.user(id), ({ to, follow, unfollow }) => {
      heard.push({ to, ...(follow && { follow }), ...(unfollow && { unfollow }) });
    });
  }
  await core.store.transact('guilds', transaction => announceViews(transaction, before, after, members));
  return heard;
}

describe('the views of a guild', () => {
  it('are announced once to each member, however many channels there are', async () => {
    const members = [member(ada), member(ben, '6'), member(cyn)];
    const fresh = members.map(one => [undefined, one] as const);
    expect(await announcedBy(undefined, guild, fresh)).toEqual([
      { to: topics.user(ada), follow: [channel('11'), channel('12')] },
      { to: topics.user(ben), follow: [channel('11'), channel('12'), channel('13')] },
      { to: topics.user(cyn), follow: [channel('11'), channel('12')] },
    ]);
  });

  it('are announced with what is new and what is gone, and only to those whose view changes', async () => {
    const after = { ...guild, channels: [...guild.channels.slice(1), channelRecord({ id: '14' })] };
    const same = [member(ada), member(ben, '6')].map(one => [one, one] as const);
    const joins = [member(cyn), member(cyn, '6')] as const;
    expect(await announcedBy(guild, guild, [...same, joins])).toEqual([
      { to: topics.user(cyn), follow: [channel('13')] },
    ]);
    expect(await announcedBy(guild, after, [...same, joins])).toEqual([
      { to: topics.user(ada), follow: [channel('14')], unfollow: [channel('11')] },
      { to: topics.user(ben), follow: [channel('14')], unfollow: [channel('11')] },
      { to: topics.user(cyn), follow: [channel('13'), channel('14')], unfollow: [channel('11')] },
    ]);
  });
});

describe('the channels that a user sees', () => {
  it('are read with three statements, however many guilds the user is in', async () => {
    const { core } = await makeWorld();
    const ids = Array.from({ length: 20 }, (_, at) => String(500 + at));
    for (const id of ids) {
      const everyone = { ...open, id };
      await putGuild(core, guildRecord({ id, roles: [everyone], channels: [channelRecord({ id: `${id}0` })] }), ada);
    }
    const roundTrips = countRoundTrips(core.store);
    expect(await channelsSeenBy(core.store, ada)).toEqual(ids.map(id => `${id}0`));
    expect(roundTrips()).toBe(3);
  });
});
