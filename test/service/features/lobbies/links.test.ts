import { beforeEach, describe, expect, it } from 'vitest';
import { permissionBits } from '../../../../src/model/guild.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Lobby } from '../../../../src/model/lobby.ts';
import { topics } from '../../../../src/service/events/announcement.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { everyonePermissions } from '../../../../src/service/testing/fixtures/records.ts';
import {
  ada,
  ben,
  channelRecord,
  cyn,
  enter,
  guildRecord,
  type Heard,
  listen,
  makeWorld,
  namesOf,
  putGuild,
  refusal,
  userRecord,
  type World,
} from '../support.ts';

let world: World;
let lobbies: Lobbies;
let lobby: Lobby;
let inGuild: Heard[];

const everyone = (permissions: bigint) => [{ id: '5', name: '@everyone', permissions: `${permissions}`, position: 0 }];
const { MANAGE_CHANNELS, VIEW_CHANNEL, SEND_MESSAGES } = permissionBits;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
  const channels = [channelRecord(), channelRecord({ id: '8', name: 'second' })];
  await putGuild(world.core, guildRecord({ channels }), ada, ben);
  lobby = await created();
  inGuild = [];
  await world.core.bus.subscribe(topics.guild('5'), announced => {
    const { event } = announced;
    if (event) inGuild.push({ name: event.name, data: JSON.parse(event.data), announced });
  });
});

const created = async (): Promise<Lobby> =>
  JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada, flags: 1 }, { id: ben }] }));
const link = async (input: unknown = { channel_id: '7' }, userId = ada, id = lobby.id): Promise<Lobby> =>
  JSON.parse(await lobbies.links.set(world.starfall, userRecord(userId), id, input));
const read = async (): Promise<Lobby> => JSON.parse(await lobbies.read(world.starfall, lobby.id));
const general = {
  id: '7',
  type: 0,
  guild_id: '5',
  name: 'general',
  nsfw: false,
  position: 0,
  parent_id: null,
  permission_overwrites: [],
  flags: 0,
};

describe('a link', () => {
  it('shows the channel in the lobby, in answers and reads, until it is taken back', async () => {
    const linked = await link();
    expect(linked).toEqual({ ...lobby, linked_channel: general });
    expect(await read()).toEqual(linked);
    for (const input of [null, {}, { channel_id: null }]) {
      await link({ channel_id: 7 });
      expect(await link(input)).toEqual(lobby);
      expect(await link(input)).toEqual(lobby);
      expect(await read()).toEqual(lobby);
    }
  });

  it('may be moved to another channel, which frees the first', async () => {
    await link();
    expect((await link({ channel_id: '8' })).linked_channel?.id).toBe('8');
    const other = await created();
    expect((await link({ channel_id: '7' }, ada, other.id)).linked_channel?.id).toBe('7');
    expect((await refusal(link({ channel_id: '7' }))).reason).toBe('channel_already_linked');
    expect((await read()).linked_channel?.id).toBe('8');
  });

  it('made again shows the channel as it is by now', async () => {
    await link();
    await putGuild(world.core, guildRecord({ channels: [channelRecord({ name: 'renamed' })] }));
    expect((await read()).linked_channel?.name).toBe('general');
    expect((await link()).linked_channel?.name).toBe('renamed');
  });

  it('of two lobbies to one channel, made concurrently, holds for one of them', async () => {
    const other = await created();
    const results = await Promise.allSettled([link(), link({ channel_id: '7' }, ada, other.id)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('ends with the lobby: then another may have the channel', async () => {
    await link();
    await lobbies.remove(world.starfall, lobby.id);
    const other = await created();
    expect((await link({ channel_id: '7' }, ada, other.id)).linked_channel?.id).toBe('7');
  });
});

describe('linking is rejected', () => {
  it('in a lobby that is not there, to one who is no member, and to one without the flag', async () => {
    expect((await refusal(link({ channel_id: '7' }, ada, '42'))).reason).toBe('unknown_lobby');
    expect((await refusal(link({ channel_id: '7' }, cyn))).reason).toBe('not_a_lobby_member');
    for (const input of [{ channel_id: '7' }, {}]) {
      expect((await refusal(link(input, ben))).reason).toBe('lobby_link_refused');
    }
  });

  it('in a lobby that a client made, with any flags of its member', async () => {
    lobby = JSON.parse(await lobbies.join(world.starfall, userRecord(ada), { secret: 's' }));
    expect((await refusal(link())).reason).toBe('lobby_link_refused');
    await lobbies.putMember(world.starfall, lobby.id, ada, { flags: 1 });
    const { reason, fault } = await refusal(link());
    expect([reason, fault.message]).toEqual([
      'lobby_link_refused',
      'A lobby that was made with a secret cannot be linked to a channel',
    ]);
    expect(await link({})).toMatchObject({ id: lobby.id });
  });

  it('to a channel that is nowhere, or in a guild where the caller is not', async () => {
    expect((await refusal(link({ channel_id: '42' }))).reason).toBe('unknown_channel');
    const elsewhere = guildRecord({ id: '6', owner_id: cyn, channels: [channelRecord({ id: '9' })] });
    await putGuild(world.core, elsewhere, cyn);
    expect((await refusal(link({ channel_id: '9' }))).reason).toBe('unknown_channel');
    expect((await refusal(link({ channel_id: 'x' }))).paths).toEqual(['channel_id']);
  });

  it.each([
    ['missing_access', MANAGE_CHANNELS | SEND_MESSAGES],
    ['missing_permissions', VIEW_CHANNEL | SEND_MESSAGES],
    ['missing_permissions', VIEW_CHANNEL | MANAGE_CHANNELS],
  ])('with %s to a member with the permissions %s', async (reason, permissions) => {
    await putGuild(world.core, guildRecord({ owner_id: cyn, roles: everyone(permissions) }), ada);
    expect((await refusal(link())).reason).toBe(reason);
  });

  it('no more to a member with all three permissions there', async () => {
    const roles = everyone(VIEW_CHANNEL | SEND_MESSAGES | MANAGE_CHANNELS);
    await putGuild(world.core, guildRecord({ owner_id: cyn, roles }), ada);
    expect((await link()).linked_channel?.id).toBe('7');
  });

  it('by what the channel itself takes away', async () => {
    const deny = `${MANAGE_CHANNELS}`;
    const overwrites = [{ id: ada, type: 1, allow: '0', deny } as const];
    const roles = everyone(VIEW_CHANNEL | SEND_MESSAGES | MANAGE_CHANNELS);
    const channels = [channelRecord({ permission_overwrites: overwrites })];
    await putGuild(world.core, guildRecord({ owner_id: cyn, roles, channels }), ada);
    expect((await refusal(link())).reason).toBe('missing_permissions');
  });

  it.each([{ type: 2 }, { type: 4 }, { type: 5 }, { type: 11 }, { type: 13 }, { type: 15 }, { nsfw: true }])(
    'to a channel with %o',
    async fields => {
      await putGuild(world.core, guildRecord({ channels: [channelRecord(fields)] }), ada);
      expect((await refusal(link())).reason).toBe('channel_not_linkable');
    },
  );

  it('no more when nothing but unlinking is asked for: that needs the flag alone', async () => {
    await link();
    await putGuild(world.core, guildRecord({ owner_id: cyn, roles: everyone(BigInt(everyonePermissions)) }), ada);
    expect(await link({})).toEqual(lobby);
  });
});

describe('the events of a link', () => {
  it('is the lobby to its members, and the channel to the bots of its guild', async () => {
    await enter(world.core, '1', ben);
    const heard = await listen(world.core, '1', ben);
    lobby = await created();
    heard.length = inGuild.length = 0;

    await link();
    expect(heard.map(({ name }) => name)).toEqual(['LOBBY_UPDATE']);
    expect(heard[0]?.data).toMatchObject({ id: lobby.id, linked_channel: general });
    const linked_lobby = {
      application_id: '1',
      lobby_id: lobby.id,
      linked_by: ada,
      linked_at: '2026-01-01T00:00:00.000000+00:00',
      require_application_authorization: false,
    };
    expect(namesOf(inGuild)).toEqual(['CHANNEL_UPDATE', 'MESSAGE_CREATE']);
    expect(inGuild[0]?.data).toEqual({ ...general, linked_lobby });
    expect(inGuild[1]?.data).toMatchObject({ type: 49, channel_id: '7', guild_id: '5', author: { id: ada } });
    expect(inGuild.map(({ announced }) => announced.guild)).toEqual(['5', '5']);

    heard.length = inGuild.length = 0;
    await link({});
    expect(heard.map(({ name, data }) => [name, 'linked_channel' in (data as object)])).toEqual([
      ['LOBBY_UPDATE', false],
    ]);
    expect(inGuild.map(({ name, data }) => [name, data])).toEqual([['CHANNEL_UPDATE', general]]);

    heard.length = inGuild.length = 0;
    await link({});
    expect([...heard, ...inGuild]).toEqual([]);
  });

  it('shows in the channel, too, when the lobby’s flag changes', async () => {
    await link();
    inGuild.length = 0;
    for (let time = 0; time < 2; time++) await lobbies.edit(world.starfall, lobby.id, { flags: 1 });
    expect(namesOf(inGuild)).toEqual(['CHANNEL_UPDATE']);
    expect(inGuild[0]?.data).toMatchObject({ linked_lobby: { require_application_authorization: true } });
  });

  it('of a move is both channels, and of the end of the lobby the one', async () => {
    await link();
    inGuild.length = 0;
    await link({ channel_id: '8' });
    const channels = () =>
      inGuild
        .filter(({ name }) => name === 'CHANNEL_UPDATE')
        .map(({ data }) => [(data as { id: string }).id, 'linked_lobby' in (data as object)]);
    expect(channels()).toEqual([
      ['7', false],
      ['8', true],
    ]);
    inGuild.length = 0;
    await lobbies.remove(world.starfall, lobby.id);
    expect(channels()).toEqual([['8', false]]);
  });

  it('is every message, to the members with its guild and to the channel as its own', async () => {
    await enter(world.core, '1', ben);
    const heard = await listen(world.core, '1', ben);
    lobby = await created();
    await link();
    heard.length = inGuild.length = 0;
    const input = { content: 'Hello', metadata: { emote: 'wave' } };
    const message = JSON.parse(await lobbies.messages.send(world.starfall, userRecord(ada), lobby.id, input));
    expect(message.channel_id).toBe(lobby.id);
    expect(heard[0]?.data).toMatchObject({
      ...message,
      metadata: { emote: 'wave' },
      guild_id: '5',
      timestamp: '2026-01-01T00:00:00.000000+00:00',
      edited_timestamp: null,
      tts: false,
      mentions: [],
      embeds: [],
      member: { roles: [], nick: null },
    });
    expect(inGuild).toHaveLength(1);
    expect(inGuild[0]?.name).toBe('MESSAGE_CREATE');
    expect(inGuild[0]?.data).toMatchObject({ id: message.id, channel_id: '7', guild_id: '5', content: 'Hello' });
    expect(inGuild[0]?.data).not.toHaveProperty('metadata');
  });
});

describe('a linked lobby', () => {
  const timeoutMs = limits.lobbyIdleTimeoutSecondsDefault * 1000;

  it('does not end by itself, however idle, and begins to be idle when it is unlinked', async () => {
    const stop = await lobbies.start();
    await link();
    await world.core.clock.advance(100 * timeoutMs);
    expect((await read()).id).toBe(lobby.id);
    await link({});
    await world.core.clock.advance(timeoutMs - 1);
    expect((await read()).id).toBe(lobby.id);
    await world.core.clock.advance(1);
    expect((await refusal(read())).reason).toBe('unknown_lobby');
    stop();
  });

  it('stays so through what else happens to it, and across a restart', async () => {
    const stop = await lobbies.start();
    await link();
    await lobbies.edit(world.starfall, lobby.id, { idle_timeout_seconds: 5 });
    const depart = await enter(world.core, '1', ada);
    await lobbies.connected('1', ada);
    await depart();
    await lobbies.disconnected('1', ada);
    await lobbies.removeMember(world.starfall, lobby.id, ben);
    await world.core.clock.advance(timeoutMs);
    stop();
    const again = createLobbies(world.core);
    const stopAgain = await again.start();
    await world.core.clock.advance(timeoutMs);
    expect(JSON.parse(await again.read(world.starfall, lobby.id))).toMatchObject({ linked_channel: { id: '7' } });
    stopAgain();
  });
});

describe('an invite', () => {
  const own = (userId = cyn) => lobbies.invites.createOwn(world.starfall, userRecord(userId), lobby.id);
  const forUser = (userId: string) => lobbies.invites.createFor(world.starfall, userId, lobby.id);
  const stored = () => world.core.store.list('lobby_invites');

  it('is created while the application has fewer valid ones than the bound', async () => {
    await link();
    const max = serviceLimits.lobbyInvitesPerApplicationMax;
    const invite = { application_id: '1', guild_id: '5', channel_id: '7', user_id: cyn };
    await world.core.store.transact('invites', transaction => {
      // The last ten have expired.
      for (let n = 0; n < max + 9; n++) {
        const expires_at_ms = world.core.clock.now() + (n < max - 1 ? 60_000 : -1);
        transaction.put('lobby_invites', { code: `invite ${n}`, ...invite, expires_at_ms });
      }
    });
    await forUser(cyn);
    expect((await refusal(forUser(cyn))).reason).toBe('too_many_invites');
    await world.core.clock.advance(60_000);
    await forUser(cyn);
  });

  beforeEach(async () => {
    await lobbies.putMember(world.starfall, lobby.id, cyn, {});
  });

  it('is a code of its own each time, kept for an hour for its user', async () => {
    await link();
    inGuild.length = 0;
    const { code } = await own();
    expect((await forUser(cyn)).code).not.toBe(code);
    const expires_at_ms = world.core.clock.now() + 3_600_000;
    const record = { code, application_id: '1', guild_id: '5', channel_id: '7', user_id: cyn, expires_at_ms };
    expect(await world.core.store.get('lobby_invites', code)).toEqual(record);
    expect(namesOf(inGuild)).toEqual(['INVITE_CREATE', 'INVITE_CREATE']);
    expect(inGuild[0]?.data).toMatchObject({
      ...{ code, guild_id: '5', channel_id: '7', max_age: 3600, max_uses: 1, uses: 0, temporary: false },
      ...{ inviter: { id: cyn }, target_user: { id: cyn } },
    });
    expect(inGuild[1]?.data).toMatchObject({ inviter: { id: '1', bot: true }, target_user: { id: cyn } });
  });

  it('goes, once outlived, as others are made', async () => {
    await link();
    for (let time = 0; time < 3; time++) await own();
    await world.core.clock.advance(limits.lobbyInviteLifeMs - 1);
    await own();
    expect(await stored()).toHaveLength(4);
    await world.core.clock.advance(1);
    await own();
    expect(await stored()).toHaveLength(2);
  });

  it('is rejected without a link, to members of the guild, and where there is no such lobby or user', async () => {
    expect((await refusal(own())).reason).toBe('lobby_not_linked');
    expect((await refusal(forUser(cyn))).reason).toBe('lobby_not_linked');
    await link();
    expect((await refusal(own(ben))).reason).toBe('already_in_guild');
    expect((await refusal(forUser(ben))).reason).toBe('already_in_guild');
    expect((await refusal(forUser('999'))).reason).toBe('unknown_user');
    const elsewhere = lobbies.invites.createFor(world.rival, cyn, lobby.id);
    expect((await refusal(elsewhere)).reason).toBe('unknown_lobby');
    expect(await stored()).toEqual([]);
  });

  it('for oneself is for members of the lobby; for another it need be none', async () => {
    await link();
    await lobbies.removeMember(world.starfall, lobby.id, cyn);
    expect((await refusal(own())).reason).toBe('not_a_lobby_member');
    expect((await forUser(cyn)).code).toMatch(/^[\w-]{12}$/);
  });
});
