import { beforeEach, describe, expect, it } from 'vitest';
import type { DirectMessage, PartialDirectMessage } from '../../../../src/model/direct-message.ts';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { relationshipTypes } from '../../../../src/model/relationship.ts';
import { readDirectChannels } from '../../../../src/service/features/social/messages/channels.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { createKeyPair } from '../../../../src/service/testing/fixtures/secrets.ts';
import type { FetchInit } from '../../../../src/wire/clock/ports.ts';
import { seededEntropy } from '../../control/support.ts';
import { ada, applicationRecord, ben, cyn, nobody, refusal, userRecord } from '../support.ts';
import { heardOn, type MessagesRig, makeMessagesRig, topicsOf } from './rig.ts';

const { FRIEND, BLOCKED } = relationshipTypes;
const hour = 3_600_000;

let rig: MessagesRig;
beforeEach(async () => {
  rig = await makeMessagesRig();
  await rig.relate(ada, ben, FRIEND);
});

const history = async (reader: string, other: string, count = 50): Promise<PartialDirectMessage[]> => {
  await authorize(other);
  return JSON.parse(await rig.messages.list(await rig.caller(reader), other, count));
};
const authorize = (userId: string, application_id = '1') =>
  rig.core.store.transact('authorizations', transaction => {
    transaction.put('authorizations', {
      id: `9${application_id}${userId}`,
      application_id,
      user_id: userId,
      scopes: [],
    });
  });
const edit = async (userId: string, to: string, id: string, content: string): Promise<DirectMessage> =>
  JSON.parse(await rig.messages.edit(await rig.caller(userId), to, id, { content }));
const remove = async (userId: string, other: string, id: string) =>
  rig.messages.remove(await rig.caller(userId), other, id);

describe('a message to a friend', () => {
  it('is answered whole, and both receive it, after the recipient has received the channel', async () => {
    const toAda = await heardOn(rig.core, topicsOf(ada).messages);
    const toBen = await heardOn(rig.core, topicsOf(ben).messages);
    const metadata = { mood: 'good' };
    const sent = await rig.send(ada, ben, { content: 'Hello', nonce: 7, flags: 4096, metadata });
    expect(sent).toMatchObject({
      ...{ type: 0, channel_type: 1, content: 'Hello', nonce: '7', metadata, recipient_id: ben },
      ...{ author: { id: ada }, flags: 4096 | (1 << 16), application_id: '1', edited_timestamp: null, tts: false },
    });
    expect(toAda.map(({ event, d }) => [event?.name, d])).toEqual([['MESSAGE_CREATE', sent]]);
    expect(toBen.map(({ event }) => event?.name)).toEqual(['CHANNEL_CREATE', 'MESSAGE_CREATE']);
    expect(toBen[0]?.d).toMatchObject({ id: sent.channel_id, type: 1, recipients: [{ id: ada }] });
    expect(toBen[1]?.d).toEqual(sent);
    await rig.send(ben, ada, 'Hi');
    expect(toAda.map(({ event }) => event?.name)).toEqual(['MESSAGE_CREATE', 'MESSAGE_CREATE']);
  });

  it('is in the history of both, newest first, without time and metadata', async () => {
    const first = await rig.send(ada, ben, { content: 'one', metadata: { live: 'only' } });
    const second = await rig.send(ben, ada, 'two');
    for (const [reader, other] of [
      [ada, ben],
      [ben, ada],
    ] as const) {
      const shown = await history(reader, other);
      expect(shown.map(({ id }) => id)).toEqual([second.id, first.id]);
      expect(shown[1]).toEqual({
        ...{ id: first.id, channel_id: first.channel_id, type: 0, content: 'one', author: first.author },
        ...{ flags: 1 << 16, application_id: '1', recipient_id: ben },
      });
    }
    expect(await history(ada, ben, 1)).toMatchObject([{ id: second.id }]);
  });

  it('is shown for 72 hours, and no more than 200 of them', async () => {
    for (let number = 0; number < 265; number++) await rig.send(ada, ben, String(number));
    const shown = await history(ada, ben, 200);
    expect(shown.map(({ content }) => content)).toEqual(Array.from({ length: 200 }, (_, at) => String(264 - at)));
    const stored = await rig.core.store.list('direct_messages');
    expect(stored.length).toBeLessThan(265);
    await rig.core.clock.advance(serviceLimits.directHistoryAgeMaxMs);
    expect(await history(ada, ben, 200)).toHaveLength(200);
    await rig.core.clock.advance(1);
    expect(await history(ada, ben, 200)).toEqual([]);
    for (let number = 0; number < 64; number++) await rig.send(ada, ben, 'new');
    expect((await rig.core.store.list('direct_messages')).length).toBeLessThan(stored.length);
    const [channel] = await rig.core.store.list('direct_channels');
    expect(channel?.message_count).toBe((await rig.core.store.list('direct_messages')).length);
  });

  it('by an own client has no application', async () => {
    const own = await rig.caller(ada, null);
    const sent = JSON.parse(await rig.messages.send(own, ben, { content: 'Hello' }));
    expect(sent).toMatchObject({ flags: 0, author: { id: ada } });
    expect(sent).not.toHaveProperty('application_id');
  });

  it('finds its conversation again from every application', async () => {
    const sent = await rig.send(ada, ben, 'one');
    const other = JSON.parse(await rig.messages.send(await rig.caller(ben, rig.world.rival), ada, { content: 'two' }));
    expect(other).toMatchObject({ channel_id: sent.channel_id, application_id: '2' });
    expect(await history(ada, ben)).toHaveLength(2);
  });
});

describe('a message that is rejected', () => {
  it.each([
    ['to oneself', ada, { content: 'x' }, 'invalid_recipient', []],
    ['to nobody', nobody, { content: 'x' }, 'unknown_user', []],
    ['to a stranger', cyn, { content: 'x' }, 'no_mutual_guilds', []],
    ['without content', ben, {}, 'empty_message', []],
    ['of blanks', ben, { content: ' \n' }, 'empty_message', []],
    ['that is too long', ben, { content: 'x'.repeat(2001) }, 'invalid_form_body', ['content']],
    ['of 2,001 characters beyond 16 bits', ben, { content: '😀'.repeat(2001) }, 'invalid_form_body', ['content']],
    ['with another kind of content', ben, { content: 1 }, 'invalid_form_body', ['content']],
    ['with metadata that is no map', ben, { content: 'x', metadata: [] }, 'invalid_form_body', ['metadata']],
    ['with numbers in metadata', ben, { content: 'x', metadata: { a: 1 } }, 'invalid_form_body', ['metadata.a']],
    ['with a long nonce', ben, { content: 'x', nonce: 'x'.repeat(26) }, 'invalid_form_body', ['nonce']],
    ['with strange flags', ben, { content: 'x', flags: 1 << 16 }, 'invalid_form_body', ['flags']],
    ['with a strange invite', ben, { activity: { type: 2 } }, 'invalid_form_body', ['activity.type']],
    ['that is no object', ben, [], 'invalid_form_body', ['']],
  ])('%s', async (_, to, body, reason, paths) => {
    expect(await refusal(rig.send(ada, to, body))).toMatchObject({ reason, paths });
    expect(await rig.core.store.list('direct_messages')).toEqual([]);
  });

  it.each(['x', '😀'])(
    'has exactly the longest content that is allowed just before, 2,000 times %s',
    async character => {
      const content = character.repeat(2000);
      const sent = await rig.send(ada, ben, content);
      expect(sent).toMatchObject({ content });
      expect(await edit(ada, ben, sent.id, content)).toMatchObject({ content });
    },
  );

  it('by a block in either direction, while the conversation stays readable and own messages deletable', async () => {
    const sent = await rig.send(ada, ben, 'before');
    for (const [from, to] of [
      [ben, ada],
      [ada, ben],
    ] as const) {
      await rig.relate(from, to, BLOCKED);
      for (const [a, b] of [
        [ada, ben],
        [ben, ada],
      ] as const) {
        expect(await refusal(rig.send(a, b, 'x'))).toMatchObject({ reason: 'cannot_send_to_user' });
      }
      expect(await refusal(edit(ada, ben, sent.id, 'after'))).toMatchObject({ reason: 'cannot_send_to_user' });
    }
    expect(await history(ben, ada)).toMatchObject([{ content: 'before' }]);
    await remove(ada, ben, sent.id);
    expect(await history(ben, ada)).toEqual([]);
  });

  it('by the settings of the recipient', async () => {
    const set = (settings: object) =>
      rig.core.store.transact('settings', transaction => {
        transaction.put('social_settings', { user_id: ben, settings });
      });
    await set({ slayer_sdk_receive_dms_in_game: 3 });
    expect(await refusal(rig.send(ada, ben, 'x'))).toMatchObject({ reason: 'cannot_send_to_user' });
    await set({ slayer_sdk_receive_dms_in_game: 2 });
    expect(await refusal(rig.send(ada, ben, 'x'))).toMatchObject({ reason: 'cannot_send_to_user' });
    await authorize(ben);
    await rig.send(ada, ben, 'x');
    await rig.relate(ada, ben);
    await rig.relateInGame(ada, ben);
    await set({ allow_game_friend_dms_in_discord: false });
    expect(await refusal(rig.send(ada, ben, 'x'))).toMatchObject({ reason: 'game_friend_messages_off' });
    const leave = await rig.enter(ben);
    expect(await rig.send(ada, ben, 'x')).toMatchObject({ channel_type: 1 });
    await leave();
  });

  it('because its recipient was banned', async () => {
    await rig.put({ ...userRecord(ben), banned: true });
    expect(await refusal(rig.send(ada, ben, 'x'))).toMatchObject({ reason: 'cannot_send_to_user' });
  });
});

describe('an ephemeral message', () => {
  beforeEach(async () => {
    await rig.relate(ada, ben);
    await rig.enter(ada);
    await rig.enter(ben);
  });

  it('reaches both in the game, each in the channel of the other, and is never in a history', async () => {
    const toAda = await heardOn(rig.core, topicsOf(ada).messages);
    const toBen = await heardOn(rig.core, topicsOf(ben).messages);
    const sent = await rig.send(ada, ben, 'psst');
    expect(sent).toMatchObject({
      channel_id: ben,
      recipient_id: ben,
      channel_type: 18,
      channel: { id: ben, type: 18 },
    });
    expect(toAda[0]).toMatchObject({ d: { id: sent.id, channel_id: ben }, families: ['1'] });
    expect(toBen[0]).toMatchObject({ d: { id: sent.id, channel_id: ada, recipient_id: ben }, families: ['1'] });
    expect(await refusal(history(ada, ben))).toMatchObject({ reason: 'unknown_channel' });
    expect(await rig.messages.conversations(ada)).toEqual([]);
    expect(await refusal(rig.messages.channel(ada, ben))).toMatchObject({ reason: 'unknown_channel' });
  });

  it('can be edited and deleted by its author', async () => {
    const sent = await rig.send(ada, ben, 'psst');
    const toBen = await heardOn(rig.core, topicsOf(ben).messages);
    expect(await edit(ada, ben, sent.id, 'pssst')).toMatchObject({ content: 'pssst', channel_id: ben });
    await remove(ada, ben, sent.id);
    expect(toBen.map(({ event, d }) => [event?.name, d.channel_id])).toEqual([
      ['MESSAGE_UPDATE', ada],
      ['MESSAGE_DELETE', ada],
    ]);
    expect(await refusal(edit(ada, ben, sent.id, 'x'))).toMatchObject({ reason: 'unknown_message' });
  });

  it('is forgotten after a while', async () => {
    const sent = await rig.send(ada, ben, 'psst');
    await rig.core.clock.advance(serviceLimits.ephemeralMessageLifeMs + 1);
    expect(await rig.core.store.list('direct_messages')).toEqual([]);
    expect(await refusal(remove(ada, ben, sent.id))).toMatchObject({ reason: 'unknown_message' });
  });

  it('is forgotten when more than 200 others follow, so that a flood does not fill the store', async () => {
    const first = await rig.send(ada, ben, 'first');
    for (let number = 0; number < 400; number++) await rig.send(ada, ben, String(number));
    const stored = await rig.core.store.list('direct_messages');
    expect(stored.length).toBeGreaterThanOrEqual(200);
    expect(stored.length).toBeLessThan(240);
    expect(stored.at(-1)?.message.content).toBe('399');
    expect(await refusal(edit(ada, ben, first.id, 'x'))).toMatchObject({ reason: 'unknown_message' });
  });

  it('is what two provisional accounts send each other', async () => {
    await rig.relate(ada, ben, FRIEND);
    await rig.makeProvisional(ada);
    expect(await rig.send(ada, ben, 'x')).toMatchObject({ channel_type: 1 });
    await rig.makeProvisional(ben);
    expect(await rig.send(ada, ben, 'x')).toMatchObject({ channel_type: 18 });
  });
});

describe('editing and deleting', () => {
  it('changes the content, tells both, and clears what an application noted', async () => {
    const sent = await rig.send(ada, ben, 'one');
    await rig.messages.moderate(rig.world.starfall, [ada, ben], sent.id, { verdict: 'fine' });
    const toBen = await heardOn(rig.core, topicsOf(ben).messages);
    await rig.core.clock.advance(hour);
    const edited = await edit(ada, ben, sent.id, 'two');
    expect(edited).toMatchObject({ id: sent.id, content: 'two', timestamp: sent.timestamp });
    expect(edited.edited_timestamp).not.toBeNull();
    expect(toBen.map(({ event, d }) => [event?.name, d])).toEqual([['MESSAGE_UPDATE', edited]]);
    expect((await history(ada, ben))[0]).not.toHaveProperty('moderation_metadata');
  });

  it('is for the author alone', async () => {
    const sent = await rig.send(ada, ben, 'one');
    expect(await refusal(edit(ben, ada, sent.id, 'x'))).toMatchObject({ reason: 'not_the_author' });
    expect(await refusal(remove(ben, ada, sent.id))).toMatchObject({ reason: 'missing_permissions' });
    expect(await refusal(edit(cyn, ada, sent.id, 'x'))).toMatchObject({ reason: 'unknown_message' });
  });

  it('rejects what sending rejects, and messages that are gone', async () => {
    const sent = await rig.send(ada, ben, 'one');
    expect(await refusal(edit(ada, ben, sent.id, ' '))).toMatchObject({ reason: 'empty_message' });
    expect(await refusal(edit(ada, ben, sent.id, 'x'.repeat(2001)))).toMatchObject({ paths: ['content'] });
    expect(await refusal(edit(ada, ben, '12345', 'x'))).toMatchObject({ reason: 'unknown_message' });
    const toAda = await heardOn(rig.core, topicsOf(ada).messages);
    await remove(ada, ben, sent.id);
    expect(toAda.map(({ event, d }) => [event?.name, d])).toEqual([
      ['MESSAGE_DELETE', { id: sent.id, channel_id: sent.channel_id }],
    ]);
    expect(await refusal(edit(ada, ben, sent.id, 'x'))).toMatchObject({ reason: 'unknown_message' });
    expect(await refusal(remove(ada, ben, sent.id))).toMatchObject({ reason: 'unknown_message' });
    await rig.relate(ada, ben);
    const late = rig.send(ada, ben, 'x');
    expect(await refusal(late)).toMatchObject({ reason: 'no_mutual_guilds' });
  });
});

describe('what an application notes about a message', () => {
  it('is seen by its own games alone, live and in the history, in either order of the users', async () => {
    const sent = await rig.send(ada, ben, 'one');
    const toBen = await heardOn(rig.core, topicsOf(ben).messages);
    const toAda = await heardOn(rig.core, topicsOf(ada).messages);
    await rig.messages.moderate(rig.world.starfall, [ben, ada], sent.id, { verdict: 'rude' });
    for (const heard of [toBen, toAda]) {
      expect(heard).toMatchObject([{ d: { id: sent.id, moderation_metadata: { verdict: 'rude' } }, families: ['1'] }]);
      expect(heard).toHaveLength(1);
    }
    await rig.messages.moderate(rig.world.starfall, [ada, ben], sent.id, { verdict: 'rude' });
    expect(toBen).toHaveLength(1);
    expect((await history(ada, ben))[0]).toMatchObject({ moderation_metadata: { verdict: 'rude' } });
    await authorize(ben, '2');
    const elsewhere = JSON.parse(await rig.messages.list(await rig.caller(ada, rig.world.rival), ben, 50));
    expect(elsewhere).toMatchObject([{ id: sent.id }]);
    expect(elsewhere[0]).not.toHaveProperty('moderation_metadata');
  });

  it('is rejected where it is too much, for unknown messages and for those of other applications', async () => {
    const sent = await rig.send(ada, ben, 'one');
    const { moderate } = rig.messages;
    const six = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`key${at}`, 'x']));
    const starfall = rig.world.starfall;
    expect(await refusal(moderate(starfall, [ada, ben], sent.id, six))).toMatchObject({ reason: 'invalid_form_body' });
    const long = moderate(starfall, [ada, ben], sent.id, { key: 'x'.repeat(2001) });
    expect(await refusal(long)).toMatchObject({ paths: ['key'] });
    expect(await refusal(moderate(starfall, [ada, cyn], sent.id, {}))).toMatchObject({ reason: 'unknown_message' });
    expect(await refusal(moderate(starfall, [ada, ben], '123', {}))).toMatchObject({ reason: 'unknown_message' });
    const foreign = moderate(rig.world.rival, [ada, ben], sent.id, {});
    expect(await refusal(foreign)).toMatchObject({ reason: 'unknown_message' });
  });
});

describe('conversations', () => {
  it('are listed with the newest first, and read only when both have authorized the application', async () => {
    await rig.relate(ada, cyn, FRIEND);
    expect(await rig.messages.conversations(ada)).toEqual([]);
    const toBen = await rig.send(ada, ben, 'one');
    const fromCyn = await rig.send(cyn, ada, 'two');
    expect(await rig.messages.conversations(ada)).toEqual([
      { user_id: cyn, last_message_id: fromCyn.id },
      { user_id: ben, last_message_id: toBen.id },
    ]);
    await remove(cyn, ada, fromCyn.id);
    expect(await rig.messages.conversations(cyn)).toEqual([{ user_id: ada, last_message_id: fromCyn.id }]);
    expect(await rig.messages.channel(ben, ada)).toEqual({
      ...{ id: toBen.channel_id, type: 1, last_message_id: toBen.id, flags: 0, recipients: [toBen.author] },
    });
    expect((await readDirectChannels(rig.core.store, ada)).map(({ other }) => other.id)).toEqual([cyn, ben]);
    const unread = rig.messages.list(await rig.caller(ada), ben, 50);
    expect(await refusal(unread)).toMatchObject({ reason: 'unknown_channel' });
    expect(await history(ada, ben)).toHaveLength(1);
  });

  it('move with a provisional account that is merged, and are joined with those of the full one', async () => {
    const [dan, eve] = ['104', '105'];
    await rig.put({ ...userRecord(dan), provisional_of: '1' }, userRecord(eve));
    await rig.enter(dan);
    for (const other of [ada, ben, eve]) await rig.relate(dan, other, FRIEND);
    await rig.relate(eve, ben, FRIEND);
    const first = await rig.send(dan, ada, 'to be moved');
    const second = await rig.send(dan, ben, 'to be joined');
    const third = await rig.send(eve, ben, 'joined');
    await rig.send(dan, eve, 'with oneself');
    await rig.messages.move('1', dan, eve);
    await rig.core.store.transact('users', transaction => transaction.delete('users', dan));
    await rig.relate(eve, ada, FRIEND);
    expect(await history(ada, eve)).toMatchObject([{ id: first.id, author: { id: eve } }]);
    expect((await history(ben, eve)).map(({ id }) => id)).toEqual([third.id, second.id]);
    expect((await rig.messages.conversations(eve)).map(({ user_id }) => user_id)).toEqual([ben, ada]);
    expect(await edit(eve, ada, first.id, 'moved')).toMatchObject({ content: 'moved', author: { id: eve } });
    expect(await rig.messages.conversations(dan)).toEqual([]);
    await rig.messages.move('1', dan, eve);
    expect(await history(ada, eve)).toHaveLength(1);
  });
});

describe('limits', () => {
  it('a user opens ten conversations in ten minutes; open ones go on, and others are not concerned', async () => {
    rig = await makeMessagesRig({ limits: limitProfiles.standard });
    const others = Array.from({ length: 12 }, (_, at) => String(200 + at));
    await rig.put(...others.map(userRecord));
    for (const other of others) await rig.relate(ada, other, FRIEND);
    for (const other of others.slice(0, 10)) await rig.send(ada, other, 'x');
    expect(await refusal(rig.send(ada, '210', 'x'))).toMatchObject({ reason: 'opening_messages_too_fast' });
    await rig.send(ada, '200', 'x');
    await rig.send('200', ada, 'x');
    await rig.send('210', ada, 'x');
    await rig.send(ada, '210', 'x');
    await rig.core.clock.advance(10 * 60_000);
    await rig.send(ada, '211', 'x');
  });
});

describe('webhook events', () => {
  it('tell the application of a message, its edit and its end while one of the two is in the game', async () => {
    const posted: { name: string; data: Record<string, unknown> }[] = [];
    const fetch = async (_: string, init: FetchInit) => {
      const { event } = JSON.parse(String(init.body)) as { event: { type: string; data: Record<string, unknown> } };
      posted.push({ name: event.type, data: event.data });
      return new Response(null, { status: 204 });
    };
    rig = await makeMessagesRig({ fetch });
    const keys = createKeyPair(seededEntropy('keys'));
    const application = applicationRecord('1', { event_webhooks_url: 'http://game.example/', ...keys });
    await rig.core.store.transact('application/1', transaction => transaction.put('applications', application));
    await rig.relate(ada, ben, FRIEND);
    await rig.send(ada, ben, 'nobody is there');
    const leave = await rig.enter(ben);
    const sent = await rig.send(ada, ben, { content: 'one', metadata: { live: 'only' } });
    await edit(ada, ben, sent.id, 'two');
    await rig.messages.moderate(application, [ada, ben], sent.id, { verdict: 'fine' });
    await remove(ada, ben, sent.id);
    await rig.core.clock.advance(0);
    expect(posted.map(({ name, data }) => [name, data.content])).toEqual([
      ['GAME_DIRECT_MESSAGE_CREATE', 'one'],
      ['GAME_DIRECT_MESSAGE_UPDATE', 'two'],
      ['GAME_DIRECT_MESSAGE_DELETE', 'two'],
    ]);
    expect(posted[0]?.data).toMatchObject({ channel: { type: 1, recipients: [{ id: ada }, { id: ben }] } });
    expect(posted[0]?.data).not.toHaveProperty('metadata');
    await leave();
    for (const user of [ada, ben]) await rig.makeProvisional(user);
    for (const user of [ada, ben]) await rig.enter(user);
    await rig.send(ada, ben, 'psst');
    await rig.core.clock.advance(0);
    expect(Object.keys(posted[3]?.data ?? {}).toSorted()).toEqual([
      'application_id',
      'author',
      'channel',
      'channel_id',
      'content',
      'flags',
      'id',
      'type',
    ]);
    expect(posted[3]?.data).toMatchObject({ channel_id: ben, channel: { id: ben, type: 18 } });
  });
});
