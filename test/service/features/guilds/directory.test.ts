import { beforeEach, describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../src/model/guild.ts';
import { createGuildDirectory, type GuildDirectory } from '../../../../src/service/features/guilds/directory.ts';
import { ada, ben, channelRecord, cyn, guildRecord, makeWorld, putGuild, refusal, type World } from '../support.ts';

const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_CHANNELS, EMBED_LINKS } = permissionBits;
const everyone = (permissions: bigint) => [{ id: '5', name: '@everyone', permissions: `${permissions}`, position: 0 }];
const denied = (id: string, type: 0 | 1, bits: bigint) => [{ id, type, allow: '0', deny: `${bits}` }];

let world: World;
let guilds: GuildDirectory;
beforeEach(async () => {
  world = await makeWorld();
  guilds = createGuildDirectory(world.core);
});

describe('the guilds of a user', () => {
  const ids = async (page: object) => (await guilds.guildsOf(ada, { limit: 200, ...page })).map(({ id }) => id);
  beforeEach(async () => {
    for (const id of ['9', '10', '20', '100']) await putGuild(world.core, guildRecord({ id }), ada);
    await putGuild(world.core, guildRecord({ id: '30' }), ben);
  });

  it('go by id as a number, and are the user’s alone', async () => {
    expect(await ids({})).toEqual(['9', '10', '20', '100']);
  });

  it.each([
    [{ limit: 2 }, ['9', '10']],
    [{ limit: 2, after: '9' }, ['10', '20']],
    [{ limit: 2, before: '100' }, ['10', '20']],
    [{ after: '9', before: '100' }, ['10', '20']],
    [{ after: '100' }, []],
    [{ before: '9' }, []],
  ])('of the page %o are %j', async (page, expected) => {
    expect(await ids(page)).toEqual(expected);
  });

  it('say what the user may do there, and whose they are', async () => {
    await putGuild(world.core, guildRecord({ roles: everyone(VIEW_CHANNEL | EMBED_LINKS), owner_id: cyn }), ben);
    const [guild] = await guilds.guildsOf(ben, { limit: 1 });
    expect(guild).toMatchObject({ id: '5', owner: false, permissions: `${VIEW_CHANNEL | EMBED_LINKS}` });
    await putGuild(world.core, guildRecord({ owner_id: cyn }), cyn);
    expect(await guilds.guildsOf(cyn, { limit: 1 })).toMatchObject([{ id: '5', owner: true }]);
  });
});

describe('the channels of a guild', () => {
  const names = async (userId: string) => (await guilds.channelsFor(userId, '5')).map(({ name }) => name);

  it('are those the user can see, in their order there, threads aside', async () => {
    const channels = [
      channelRecord({ id: '9', name: 'last', position: 2 }),
      channelRecord({ id: '8', name: 'second', position: 1 }),
      channelRecord({ id: '7', name: 'first', position: 1 }),
      channelRecord({ id: '11', name: 'thread', type: 11, parent_id: '7' }),
      channelRecord({ id: '10', name: 'hidden', permission_overwrites: denied(ben, 1, VIEW_CHANNEL) }),
    ];
    await putGuild(world.core, guildRecord({ channels }), ada, ben);
    expect(await names(ada)).toEqual(['hidden', 'first', 'second', 'last']);
    expect(await names(ben)).toEqual(['first', 'second', 'last']);
    expect(await guilds.channelsOf(world.starfall, '5')).toHaveLength(4);
  });

  it('are announced to members, and to applications that are installed', async () => {
    await putGuild(world.core, guildRecord(), ada);
    expect((await refusal(guilds.channelsFor(ben, '5'))).reason).toBe('missing_access');
    expect((await refusal(guilds.linkableChannelsFor(ada, '6'))).reason).toBe('unknown_guild');
    expect((await refusal(guilds.channelsOf(world.rival, '5'))).reason).toBe('missing_access');
  });

  it.each([
    ['with all three permissions', VIEW_CHANNEL | SEND_MESSAGES | MANAGE_CHANNELS, {}, true],
    ['without managing', VIEW_CHANNEL | SEND_MESSAGES, {}, false],
    ['without sending', VIEW_CHANNEL | MANAGE_CHANNELS, {}, false],
    ['of another type', VIEW_CHANNEL | SEND_MESSAGES | MANAGE_CHANNELS, { type: 5 }, false],
    ['for adults', VIEW_CHANNEL | SEND_MESSAGES | MANAGE_CHANNELS, { nsfw: true }, false],
  ])('%s can be linked, or not', async (_, permissions, fields, isLinkable) => {
    const channels = [channelRecord(fields)];
    await putGuild(world.core, guildRecord({ owner_id: cyn, roles: everyone(permissions), channels }), ben);
    expect(await guilds.linkableChannelsFor(ben, '5')).toMatchObject([{ is_linkable: isLinkable }]);
  });

  it.each([
    ['nobody is kept out', VIEW_CHANNEL | SEND_MESSAGES, [], true],
    ['nobody may write', VIEW_CHANNEL, [], false],
    ['a role is kept out', VIEW_CHANNEL | SEND_MESSAGES, denied('6', 0, VIEW_CHANNEL), false],
    ['a member may not write', VIEW_CHANNEL | SEND_MESSAGES, denied(cyn, 1, SEND_MESSAGES), false],
    ['something else is denied', VIEW_CHANNEL | SEND_MESSAGES, denied('5', 0, EMBED_LINKS), true],
  ] as const)('where %s are open to all members, or not', async (_, permissions, overwrites, isOpen) => {
    const channels = [channelRecord({ permission_overwrites: overwrites })];
    await putGuild(world.core, guildRecord({ roles: everyone(permissions), channels }), ada);
    const [channel] = await guilds.linkableChannelsFor(ada, '5');
    expect(channel?.is_viewable_and_writeable_by_all_members).toBe(isOpen);
  });
});
