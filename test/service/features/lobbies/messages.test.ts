import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../../src/model/limits/limits.ts';
import type { Lobby } from '../../../../src/model/lobby.ts';
import type { LobbyMessage } from '../../../../src/model/lobby-message.ts';
import { snowflakeTimeMs } from '../../../../src/model/snowflake.ts';
import { createLobbies, type Lobbies } from '../../../../src/service/features/lobbies/lobbies.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { unsetUserFields } from '../../../support/user-fields.ts';
import { ada, ben, cyn, enter, type Heard, listen, makeWorld, refusal, userRecord, type World } from '../support.ts';

let world: World;
let lobbies: Lobbies;
let lobby: Lobby;

beforeEach(async () => {
  world = await makeWorld();
  lobbies = createLobbies(world.core);
  lobby = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }, { id: ben }] }));
});

const send = async (input: unknown = { content: 'Hello' }, userId = ada, id = lobby.id): Promise<LobbyMessage> =>
  JSON.parse(await lobbies.messages.send(world.starfall, userRecord(userId), id, input));
const list = async (count: number = limits.lobbyHistoryMessagesMax, userId = ada): Promise<LobbyMessage[]> =>
  JSON.parse(await lobbies.messages.list(world.starfall, userRecord(userId), lobby.id, count));
const contents = async (count?: number) => (await list(count)).map(({ content }) => content);
const moderate = (messageId: string, input: unknown, id = lobby.id) =>
  lobbies.messages.moderate(world.starfall, id, messageId, input);
const kept = () => world.core.store.list('lobby_messages');

describe('a message', () => {
  it('is answered and listed with every field, and its metadata with neither', async () => {
    await lobbies.putMember(world.starfall, lobby.id, ada, { additional_name: 'Gandalf' });
    const message = await send({ content: 'You shall not pass', metadata: { bridge: 'yes' }, flags: 4096 });
    expect(message).toEqual({
      id: message.id,
      type: 0,
      content: 'You shall not pass',
      lobby_id: lobby.id,
      channel_id: lobby.id,
      author: { id: ada, username: 'user101', global_name: null, discriminator: '0', ...unsetUserFields },
      flags: 4096 | 65_536,
      application_id: '1',
      lobby_member: { additional_name: 'Gandalf' },
    });
    expect(await list()).toEqual([message]);
    expect(snowflakeTimeMs(message.id)).toBe(world.core.clock.now());
  });

  it('keeps the name its author had when it was sent', async () => {
    await send({ content: 'nameless' });
    await lobbies.putMember(world.starfall, lobby.id, ada, { additional_name: 'Gandalf' });
    await send({ content: 'grey' });
    await lobbies.putMember(world.starfall, lobby.id, ada, { additional_name: 'Gandalf the White' });
    const names = (await list()).map(({ lobby_member }) => lobby_member?.additional_name);
    expect(names).toEqual(['Gandalf', undefined]);
  });

  it.each([{}, { content: null }, { content: '' }, { content: ' \n' }])('with %o is empty', async input => {
    expect((await refusal(send(input))).reason).toBe('empty_message');
    expect(await kept()).toEqual([]);
  });

  it('is rejected as a whole with all its faults', async () => {
    const { reason, paths } = await refusal(send({ content: 'x'.repeat(2001), metadata: 1, flags: 1 }));
    expect([reason, paths]).toEqual(['invalid_form_body', ['content', 'flags', 'metadata']]);
  });

  it('is for members of the lobby only, in lobbies that are there and one’s own', async () => {
    expect((await refusal(send({ content: 'x' }, cyn))).reason).toBe('not_a_lobby_member');
    expect((await refusal(list(1, cyn))).reason).toBe('not_a_lobby_member');
    expect((await refusal(send({ content: 'x' }, ada, '42'))).reason).toBe('unknown_lobby');
    const rivals = JSON.parse(await lobbies.create(world.rival, { members: [{ id: ada }] })) as Lobby;
    expect((await refusal(send({ content: 'x' }, ada, rivals.id))).reason).toBe('unknown_lobby');
  });

  it('of one who was removed stays, but it can write and read no more', async () => {
    await send({ content: 'before' }, ben);
    await lobbies.removeMember(world.starfall, lobby.id, ben);
    expect((await refusal(send({ content: 'after' }, ben))).reason).toBe('not_a_lobby_member');
    expect(await contents()).toEqual(['before']);
  });

  it('reaches every member who is there once, its author too, with what was sent along', async () => {
    const heard: Heard[][] = [];
    for (const userId of [ada, ben, cyn]) {
      await enter(world.core, '1', userId);
      heard.push(await listen(world.core, '1', userId));
    }
    lobby = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }, { id: ben }] }));
    for (const events of heard) events.length = 0;
    const message = await send({ content: 'Hello', metadata: { emote: 'wave' } });
    const data = { ...message, channel_type: 17, tts: false, metadata: { emote: 'wave' } };
    const event = { name: 'LOBBY_MESSAGE_CREATE', data };
    expect(heard.map(events => events.map(({ name, data }) => ({ name, data })))).toEqual([[event], [event], []]);
  });
});

describe('the history', () => {
  it('lists the newest first, as many as asked for', async () => {
    for (const content of ['a', 'b', 'c']) await send({ content });
    expect(await contents(1)).toEqual(['c']);
    expect(await contents(2)).toEqual(['c', 'b']);
    expect(await contents(200)).toEqual(['c', 'b', 'a']);
  });

  it('is in the order of the commits, also when many messages arrive concurrently', async () => {
    await enter(world.core, '1', ada);
    const heard = await listen(world.core, '1', ada);
    lobby = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }, { id: ben }] }));
    heard.length = 0;
    await Promise.all(Array.from({ length: 60 }, (_, at) => send({ content: `${at}` }, at % 2 ? ada : ben)));
    const told = heard.map(({ data }) => (data as LobbyMessage).id);
    expect((await list()).map(({ id }) => id).toReversed()).toEqual(told);
    expect(told).toEqual(told.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
  });

  it('keeps 200 messages in sight, and few more on disk however many are sent', async () => {
    for (let at = 1; at <= 300; at++) await send({ content: `${at}` });
    const shown = await contents();
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([200, '300', '101']);
    const records = (await kept()).length;
    expect(records).toBeGreaterThanOrEqual(200);
    expect(records).toBeLessThan(240);
  });

  it.each([
    [serviceLimits.lobbyHistoryAgeMaxMs, ['old']],
    [serviceLimits.lobbyHistoryAgeMaxMs + 1, []],
  ])('shows, %i ms later, %j', async (ms, expected) => {
    await send({ content: 'old' });
    await world.core.clock.advance(ms);
    expect(await contents()).toEqual(expected);
  });

  it('lets what is too old go as others are sent', async () => {
    for (let at = 1; at <= 40; at++) await send({ content: `${at}` });
    await world.core.clock.advance(serviceLimits.lobbyHistoryAgeMaxMs + 1);
    for (let at = 1; at <= 32; at++) await send({ content: 'new' });
    expect((await kept()).length).toBe(32);
  });

  it('ends with its lobby, and with that alone', async () => {
    const other = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }] })) as Lobby;
    await send({ content: 'elsewhere' }, ada, other.id);
    for (let at = 1; at <= 70; at++) await send();
    await lobbies.remove(world.starfall, lobby.id);
    expect((await refusal(list())).reason).toBe('unknown_lobby');
    expect((await kept()).map(({ message }) => message.content)).toEqual(['elsewhere']);
  });

  it('ends with a lobby that was idle for too long', async () => {
    const stop = await lobbies.start();
    await send();
    await world.core.clock.advance(limits.lobbyIdleTimeoutSecondsDefault * 1000);
    expect(await kept()).toEqual([]);
    stop();
  });
});

describe('moderation metadata of a message', () => {
  it('replaces earlier metadata, and is listed', async () => {
    const { id } = await send();
    await moderate(id, { verdict: 'fine', by: 'robot' });
    await moderate(id, { verdict: 'bad' });
    expect((await list())[0]?.moderation_metadata).toEqual({ verdict: 'bad' });
    await moderate(id, {});
    expect((await list())[0]?.moderation_metadata).toEqual({});
  });

  it('is sent to the connected members, once each time it changes', async () => {
    await enter(world.core, '1', ada);
    const heard = await listen(world.core, '1', ada);
    lobby = JSON.parse(await lobbies.create(world.starfall, { members: [{ id: ada }] }));
    const message = await send({ content: 'Hello', metadata: { live: 'only' } });
    heard.length = 0;
    for (let time = 0; time < 2; time++) await moderate(message.id, { verdict: 'bad' });
    const data = { ...message, channel_type: 17, tts: false, moderation_metadata: { verdict: 'bad' } };
    expect(heard.map(event => [event.name, event.data])).toEqual([['LOBBY_MESSAGE_UPDATE', data]]);
  });

  it('is rejected for a message that does not exist, is elsewhere, or is no longer shown', async () => {
    const { id } = await send();
    expect((await refusal(moderate('42', {}))).reason).toBe('unknown_message');
    const other = JSON.parse(await lobbies.create(world.starfall, {})) as Lobby;
    expect((await refusal(moderate(id, {}, other.id))).reason).toBe('unknown_message');
    expect((await refusal(moderate(id, {}, '42'))).reason).toBe('unknown_lobby');
    await world.core.clock.advance(serviceLimits.lobbyHistoryAgeMaxMs);
    await moderate(id, { still: 'shown' });
    await world.core.clock.advance(1);
    expect((await refusal(moderate(id, {}))).reason).toBe('unknown_message');
  });

  it('is rejected for the 201st message from the end, not for the 200th', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 201; at++) ids.push((await send()).id);
    expect((await refusal(moderate(ids[0] ?? '', {}))).reason).toBe('unknown_message');
    await moderate(ids[1] ?? '', { a: 'b' });
  });
});
