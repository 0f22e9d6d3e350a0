import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/model/errors/errors.ts';
import type { Calls } from '../../../src/sdk/calls.ts';
import { LobbyNews } from '../../../src/sdk/lobby/lobby-news.ts';
import { DirectMessages } from '../../../src/sdk/social/direct-messages.ts';
import { People } from '../../../src/sdk/social/people.ts';
import { SocialCalls } from '../../../src/sdk/social/social-calls.ts';
import { silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';

const me = { id: '9', username: 'me' };
const friend = { id: '2', username: 'ada' };
const messageOf = (id: string, author: object, more: object = {}) => ({
  id,
  channel_id: '50',
  author,
  content: `text ${id}`,
  channel_type: 1,
  ...more,
});
const channelOf = (last: string | null) => ({ id: '50', type: 1, last_message_id: last, recipient_ids: ['2'] });

/** The conversations of a client whose service answers what a test says. */
function open(answer: (route: string) => unknown = () => []) {
  const news = new LobbyNews();
  const events: string[] = [];
  news.events$.subscribe(event => 'message' in event && events.push(`${event.type} ${event.message.id}`));
  const people = new People('http://127.0.0.1', news);
  const asked: string[] = [];
  const send = async ({ route }: { route: string }) => {
    asked.push(route);
    return { status: 200, body: await answer(route) };
  };
  const social = new SocialCalls(
    { send, sharedDeadline: (options: object) => () => options } as unknown as Calls,
    people,
  );
  const messages = new DirectMessages(social, {
    clock: new VirtualClock(0),
    logger: silentLogger,
    news,
    onInvite: () => {},
  });
  const begin = (ready: object) => {
    const fields = { user: me, users: [friend], scopes: ['sdk.social_layer'], ...ready };
    people.began(fields);
    messages.began(fields);
    messages.setReady(true);
  };
  begin({ private_channels: [channelOf('10')] });
  return { messages, events, asked, begin, people };
}

const textOf = (list: readonly { readonly content: string }[]) => list.map(({ content }) => content).join();

describe('conversations', () => {
  it('are known from READY in both forms, the newest first, and unread from then on', () => {
    const { messages, begin } = open();
    expect(messages.conversations).toMatchObject([
      {
        id: '2',
        user: { username: 'ada' },
        lastMessageId: '10',
        lastMessage: undefined,
        unreadCount: 0,
        disclosure: 'stored',
      },
    ]);
    begin({
      private_channels: [
        channelOf('10'),
        { id: '51', type: 1, last_message_id: '11', recipients: [{ id: '3', username: 'kim' }] },
      ],
    });
    expect(messages.conversations.map(({ id }) => id)).toEqual(['3', '2']);
    messages.apply('MESSAGE_CREATE', messageOf('12', friend));
    expect(messages.conversations.map(({ id, unreadCount }) => [id, unreadCount])).toEqual([
      ['2', 1],
      ['3', 0],
    ]);
  });

  it('find the other user by the recipient, the channel, or for ephemeral ones the channel id', () => {
    const { messages } = open();
    messages.apply('MESSAGE_CREATE', messageOf('11', me, { recipient_id: '4', channel_id: '52' }));
    messages.apply('MESSAGE_CREATE', messageOf('12', me));
    messages.apply('MESSAGE_CREATE', messageOf('13', me, { channel_id: '5', channel_type: 18, recipient_id: '5' }));
    messages.apply('MESSAGE_CREATE', messageOf('14', me, { channel_id: '99' }));
    expect(messages.conversations.map(({ id, lastMessageId }) => [id, lastMessageId])).toEqual([
      ['5', '13'],
      ['2', '12'],
      ['4', '11'],
    ]);
    expect(messages.get('5').messages).toMatchObject([{ isEphemeral: true }]);
    expect(messages.get('5').disclosure).toBeUndefined();
    messages.apply('MESSAGE_DELETE', { id: '13', channel_id: '5' });
    messages.apply('MESSAGE_DELETE', { id: '12', channel_id: '50' });
    expect([messages.get('5').messages, messages.get('2').messages]).toEqual([[], []]);
  });

  it('of an account that was merged go to the other account', () => {
    const { messages } = open();
    messages.apply('MESSAGE_CREATE', messageOf('11', friend));
    messages.apply('MESSAGE_CREATE', messageOf('12', { id: '7', username: 'ada_lovelace' }));
    expect(messages.conversations.map(({ id, lastMessageId }) => [id, lastMessageId])).toEqual([['7', '12']]);
    const recipients = [{ id: '8', username: 'countess' }];
    messages.apply('CHANNEL_UPDATE', { id: '50', type: 1, last_message_id: '12', recipients });
    expect(messages.conversations).toMatchObject([{ id: '8', lastMessageId: '12', disclosure: 'stored' }]);
    messages.apply('CHANNEL_DELETE', { id: '50', type: 1, last_message_id: '12', recipients });
    expect([messages.conversations, messages.get('8').disclosure]).toEqual([[], undefined]);
  });

  it('take the names of users as they change, and forget everything but their handles at the end', () => {
    const { messages, people } = open();
    people.onMet = id => messages.named(id);
    const conversation = messages.get('2');
    people.apply('PRESENCE_UPDATE', { user: { id: '2', username: 'adele' }, status: 'online', activities: [] });
    expect(messages.conversations[0]?.user?.displayName).toBe('adele');
    messages.apply('MESSAGE_CREATE', messageOf('12', friend));
    messages.forget();
    expect([messages.conversations, conversation.messages, conversation.unreadCount]).toEqual([[], [], 0]);
    expect(messages.get('2')).toBe(conversation);
  });
});

describe('history', () => {
  it('and what arrives meanwhile are one list without doubles; no conversation is an empty one; invites are none', async () => {
    const history = Promise.withResolvers<unknown>();
    const { messages } = open(() => history.promise);
    const opening = messages.open('2');
    messages.apply('MESSAGE_CREATE', messageOf('12', friend));
    messages.apply('MESSAGE_CREATE', messageOf('13', friend));
    expect(messages.get('2').messages).toEqual([]);
    history.resolve([messageOf('12', friend), messageOf('11', me, { activity: { type: 1 } }), messageOf('10', me)]);
    expect(textOf((await opening).messages)).toBe('text 10,text 12,text 13');
    for (const count of [0, -1, 1.5, Number.NaN]) {
      const wrong = { code: 'invalid_limit', message: expect.stringContaining(`(got ${count})`) };
      await expect(messages.get('2').loadOlder(count)).rejects.toMatchObject(wrong);
    }
    const none = new ApiError('Unknown Channel', { status: 404, apiCode: 10003, route: 'GET', issues: [] });
    const empty = open(() => Promise.reject(none));
    expect((await empty.messages.open('3')).messages).toEqual([]);
    await expect(empty.messages.get('3').loadOlder(0)).rejects.toMatchObject({ code: 'invalid_limit' });
  });

  it.each(['fails', 'is not answered yet'])(
    'of a conversation that nobody opened is loaded in the next session when the load %s',
    async how => {
      const history = ['12', '11', '10'].map(id => messageOf(id, friend));
      const first = Promise.withResolvers<unknown>();
      const answers = [how === 'fails' ? Promise.reject(new Error('no')) : first.promise, Promise.resolve(history)];
      const { messages, events, begin } = open(() => answers.shift());
      begin({ private_channels: [channelOf('12')] });
      await new Promise(setImmediate);
      begin({ private_channels: [channelOf('12')] });
      await new Promise(setImmediate);
      messages.apply('MESSAGE_CREATE', messageOf('13', friend));
      first.resolve([]);
      await new Promise(setImmediate);
      expect(messages.conversations).toMatchObject([{ lastMessage: { id: '13' }, unreadCount: 3 }]);
      expect(events).toEqual(['11', '12', '13'].map(id => `directMessageReceived ${id}`));
    },
  );

  it('fills what was sent while a session was lost, also in conversations that nobody opened', async () => {
    const { messages, events, asked, begin } = open(() => [
      messageOf('12', friend),
      messageOf('11', friend),
      messageOf('10', friend),
    ]);
    begin({ private_channels: [channelOf('10')] });
    expect(asked).toEqual([]);
    begin({ private_channels: [channelOf('12')] });
    expect(asked).toEqual(['listDirectMessages']);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    expect(textOf(messages.get('2').messages)).toBe('text 10,text 11,text 12');
    expect(messages.conversations[0]?.unreadCount).toBe(2);
    expect(events).toEqual(['directMessageReceived 11', 'directMessageReceived 12']);
  });
});
