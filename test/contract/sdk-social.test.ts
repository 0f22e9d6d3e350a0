import { filter, firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  Client,
  ClientNewsEvent,
  FriendsSnapshot,
  SocialUserSnapshot,
  ValidationError,
} from '../../src/sdk/index.ts';
import { createWorld, type World, type WorldSnapshot } from '../../src/testing/index.ts';
import { callApi } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

let world: World;
let start: WorldSnapshot;
let ada: Client;
let grace: Client;

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace', 'kim'] });
  start = await world.snapshot();
});

afterAll(() => world.close());

beforeEach(async () => {
  [ada, grace] = await Promise.all([world.player('ada'), world.player('grace')]);
});

afterEach(() => world.restore(start));

const idOf = (name: string) => world.user(name).id;
const names = ({ onlinePlayingGame, onlineElsewhere, offline }: FriendsSnapshot) =>
  [onlinePlayingGame, onlineElsewhere, offline].map(group => group.map(({ username }) => username).join());

function eventsOf(client: Client): string[] {
  const seen: string[] = [];
  client.events$.subscribe((event: ClientNewsEvent) => {
    if ('isGame' in event) seen.push(`${event.type} ${event.user.username}${event.isGame ? ' in the game' : ''}`);
    else if ('invite' in event) seen.push(`${event.type} ${event.invite.type} ${event.invite.isValid}`);
    else if ('message' in event) seen.push(`${event.type} ${event.message.content}`);
    else if (event.type === 'friendGroupChanged') seen.push(`${event.type} ${event.user.username} ${event.user.group}`);
  });
  return seen;
}

/** The first value that fits, at the latest when it arrives. */
function until<Value>(stream: { subscribe: unknown }, fits: (value: Value) => boolean): Promise<Value> {
  return firstValueFrom((stream as import('rxjs').Observable<Value>).pipe(filter(fits)));
}

/** The session of a player ends, and another one begins. */
async function lose(name: string, client: Client, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  const sessionId = client.presence.sessionId;
  const isLost = until(client.status$, () => client.status.status === 'reconnecting');
  world.faults.endSession(name);
  await isLost;
  await meanwhile();
  const isBack = until(client.status$, () => client.status.status === 'ready');
  await world.advance('30 s');
  await isBack;
  expect(client.presence.sessionId).not.toBe(sessionId);
}

describe('client.friends', () => {
  it('shows a request on both sides, then a friend in the group of what they do, and nothing when it is over', async () => {
    const events = eventsOf(grace);
    await ada.friends.addByUsername('grace', { note: 'From the harbour' });
    const { incoming } = await until<typeof grace.friends.requests>(
      grace.friends.requests$,
      one => one.incoming.length > 0,
    );
    expect(incoming).toMatchObject([{ username: 'ada', relationship: { type: 'incoming', note: 'From the harbour' } }]);
    expect(ada.friends.requests.outgoing).toMatchObject([{ username: 'grace', relationship: { type: 'outgoing' } }]);
    await grace.friends.accept(idOf('ada'));
    await until<FriendsSnapshot>(ada.friends.friends$, one => one.onlineElsewhere.length === 1);
    await until<FriendsSnapshot>(grace.friends.friends$, one => one.onlineElsewhere.length === 1);
    await ada.presence.set({ details: 'The harbour', timestamps: { start: 1_700_000_000 } });
    const friends = await until<FriendsSnapshot>(grace.friends.friends$, one => one.onlinePlayingGame.length === 1);
    expect(names(friends)).toEqual(['ada', '', '']);
    expect(friends.onlinePlayingGame[0]?.activity).toMatchObject({
      name: 'Game',
      details: 'The harbour',
      timestamps: { start: 1_700_000_000_000 },
    });
    expect(grace.presence.presence(idOf('ada')).status).toBe('online');
    await grace.friends.remove(idOf('ada'));
    await until<FriendsSnapshot>(grace.friends.friends$, one => names(one).join('') === '');
    await until<FriendsSnapshot>(ada.friends.friends$, one => names(one).join('') === '');
    expect(grace.friends.relationship(idOf('ada')).type).toBe('none');
    expect(events).toEqual([
      'relationshipCreated ada',
      'friendGroupChanged ada offline',
      'relationshipCreated ada',
      'friendGroupChanged ada onlineElsewhere',
      'friendGroupChanged ada onlinePlayingGame',
      'friendGroupChanged ada undefined',
      'relationshipDeleted ada',
    ]);
  });

  it('declines, cancels, blocks and unblocks, and rejects what fits no relationship before anything is sent', async () => {
    await ada.friends.add(idOf('grace'));
    await until(grace.friends.requests$, () => grace.friends.requests.incoming.length === 1);
    await grace.friends.decline(idOf('ada'));
    await until(ada.friends.requests$, () => ada.friends.requests.outgoing.length === 0);
    for (const call of [
      ada.friends.accept(idOf('grace')),
      ada.friends.decline(idOf('grace')),
      ada.friends.cancel(idOf('grace')),
      ada.friends.remove(idOf('grace')),
      ada.friends.unblock(idOf('grace')),
    ]) {
      await expect(call).rejects.toMatchObject({ name: 'ArgumentError', code: 'wrong_relationship' });
    }
    await ada.friends.block(idOf('grace'));
    await until(ada.friends.blocked$, () => ada.friends.blocked.length === 1);
    await expect(grace.friends.add(idOf('ada'))).rejects.toMatchObject({ code: 'friend_request_blocked' });
    await ada.friends.unblock(idOf('grace'));
    await until(ada.friends.blocked$, () => ada.friends.blocked.length === 0);
    await grace.friends.add(idOf('ada'));
    await until(grace.friends.requests$, () => grace.friends.requests.outgoing.length === 1);
    await grace.friends.cancel(idOf('ada'));
    await until(ada.friends.requests$, () => ada.friends.requests.incoming.length === 0);
  });

  it('keeps friends of the game apart, shows each friend once, and remove ends both kinds', async () => {
    await ada.friends.add(idOf('grace'), { game: true });
    await until(grace.friends.requests$, () => grace.friends.requests.incoming.length === 1);
    await grace.friends.accept(idOf('ada'), { game: true });
    await until(ada.friends.friends$, () => ada.friends.relationship(idOf('grace')).gameType === 'friend');
    expect(ada.friends.relationship(idOf('grace')).type).toBe('none');
    await world.befriend('ada', 'grace');
    await until(ada.friends.friends$, () => ada.friends.relationship(idOf('grace')).type === 'friend');
    expect(names(ada.friends.friends)).toEqual(['', 'grace', '']);
    await ada.friends.remove(idOf('grace'));
    await until(grace.friends.friends$, () => names(grace.friends.friends).join('') === '');
    expect(grace.friends.relationship(idOf('ada'))).toMatchObject({ type: 'none', gameType: 'none' });
  });

  it('is empty with the reason while not connected, and without the scope', async () => {
    await world.befriend('ada', 'grace');
    await until(ada.friends.friends$, () => names(ada.friends.friends)[1] === 'grace');
    await ada.disconnect();
    expect(ada.friends.friends).toEqual({
      onlinePlayingGame: [],
      onlineElsewhere: [],
      offline: [],
      unavailable: { reason: 'not_connected' },
    });
    const kim = world.client('kim');
    await kim.signIn({ scopes: 'identify gateway.connect lobbies.write' });
    await kim.connect();
    expect(kim.friends.friends.unavailable).toEqual({ reason: 'missing_scope', missing: 'relationships.read' });
    await expect(kim.friends.add(idOf('ada'))).rejects.toMatchObject({ code: 'missing_scope' });
    await expect(kim.presence.set({ state: 'Here' })).rejects.toMatchObject({ code: 'missing_scope' });
    await expect(kim.messages.open(idOf('ada'))).rejects.toMatchObject({ code: 'missing_scope' });
  });
});

describe('client.friends without a complete picture', () => {
  it('removes friends whom it may not list, and rejects while it is disconnected', async () => {
    await Promise.all([world.befriend('kim', 'grace'), world.befriend('ada', 'grace')]);
    const kim = world.client('kim');
    await kim.signIn({ scopes: 'identify gateway.connect relationships.write lobbies.write' });
    await kim.connect();
    await kim.friends.remove(idOf('grace'));
    await until(grace.friends.friends$, () => grace.friends.relationship(idOf('kim')).type === 'none');
    await ada.disconnect();
    await expect(ada.friends.remove(idOf('grace'))).rejects.toMatchObject({ code: 'client_not_ready' });
    expect(grace.friends.relationship(idOf('ada')).type).toBe('friend');
  });

  it('rejects what the service would reject before anything is sent', async () => {
    const invalid = { name: 'ValidationError', code: 'invalid_form_body' };
    const note = 'x'.repeat(121);
    for (const game of [false, true]) {
      await expect(ada.friends.add(idOf('grace'), { note, game })).rejects.toMatchObject({
        ...invalid,
        issues: [{ path: ['note'] }],
      });
      await expect(ada.friends.addByUsername('', { game })).rejects.toMatchObject({
        ...invalid,
        issues: [{ path: ['username'] }],
      });
    }
    await ada.friends.add(idOf('grace'), { note: note.slice(1) });
  });

  it('emits an event for a relationship that began or ended while a session was lost', async () => {
    await world.befriend('grace', 'kim');
    await until(grace.friends.friends$, () => grace.friends.relationship(idOf('kim')).type === 'friend');
    const events = eventsOf(grace);
    await lose('grace', grace, async () => {
      await ada.friends.add(idOf('grace'));
      await world.user('kim').block('grace');
    });
    expect(events.filter(event => event.startsWith('relationship')).sort()).toEqual([
      'relationshipCreated ada',
      'relationshipDeleted kim',
    ]);
  });
});

describe('client.presence', () => {
  it('rejects locally what the service would not show', async () => {
    const wrong = { state: 'x', party: { id: 'p', size: [0, 4] as const }, buttons: [{ label: '', url: '' }] };
    const error = await ada.presence.set(wrong).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ValidationError', code: 'invalid_form_body' });
    await expect(ada.presence.setStatus('offline' as never)).rejects.toMatchObject({ code: 'invalid_status' });
    for (const activity of [null, 'x', { party: { id: 'p1', privacy: 'secret' } }]) {
      await expect(ada.presence.set(activity as never)).rejects.toMatchObject({ code: 'invalid_form_body' });
    }
    expect(ada.presence.own.activity).toBeUndefined();
  });

  it('changes and sends nothing when the change is aborted or too late before it begins', async () => {
    await world.befriend('ada', 'grace');
    const { presence } = ada;
    for (const [code, options] of [
      ['aborted', { signal: AbortSignal.abort() }],
      ['deadline_exceeded', { deadlineMs: 0 }],
    ] as const) {
      await expect(presence.set({ state: 'late' }, options)).rejects.toMatchObject({ code });
      await expect(presence.clear(options)).rejects.toMatchObject({ code });
      await expect(presence.setStatus('dnd', options)).rejects.toMatchObject({ code });
    }
    await world.settled();
    expect(presence.own).toMatchObject({ status: 'online', activity: undefined });
    expect(grace.presence.presence(idOf('ada'))).toMatchObject({ status: 'online', activity: undefined });
  });

  it('rejects an activity that no frame has room for, and sends the largest one that fits', async () => {
    await world.befriend('ada', 'grace');
    // Each text is within its bound; a character of these takes three bytes.
    const large = { state: '海'.repeat(128), details: '海'.repeat(128), joinSecret: '海'.repeat(128) };
    const ofLength = (length: number) => ({
      ...large,
      assets: {
        largeText: '海'.repeat(128),
        smallText: '海'.repeat(128),
        smallImage: 'x'.repeat(300),
        largeImage: 'x'.repeat(300),
      },
      stateUrl: 'x'.repeat(256),
      detailsUrl: 'x'.repeat(256),
      buttons: [
        { label: 'One', url: 'x'.repeat(512) },
        { label: 'Two', url: 'x'.repeat(length) },
      ],
    });
    const reject = (length: number) => ada.presence.set(ofLength(length)).catch((reason: unknown) => reason);
    const { issues } = (await reject(512)) as ValidationError;
    const fits = 512 + 4096 - Number(/\d+/.exec(issues[0]?.message ?? '')?.[0]);
    expect(await reject(fits + 1)).toMatchObject({
      code: 'invalid_form_body',
      issues: [{ path: [], code: 'BASE_TYPE_MAX_LENGTH', message: expect.stringContaining('4096') }],
    });
    const sessionId = ada.presence.sessionId;
    await ada.presence.setStatus('invisible');
    await ada.presence.set(ofLength(fits));
    await ada.presence.setStatus('dnd');
    await until(grace.friends.friends$, () => grace.presence.presence(idOf('ada')).status === 'dnd');
    expect(grace.presence.presence(idOf('ada')).activity).toMatchObject({ state: large.state });
    expect([ada.status.status, ada.presence.sessionId]).toEqual(['ready', sessionId]);
  });

  it('takes times in seconds with fractions', async () => {
    const shown = () => ada.presence.own.sessions.find(({ isOwn }) => isOwn)?.activities[0]?.timestamps;
    await ada.presence.set({ timestamps: { start: 1_700_000_000.1234 } });
    await until(ada.presence.own$, () => shown() !== undefined);
    expect(shown()).toEqual({ start: 1_700_000_000_123 });
  });

  it('is shown again after a lost session, and no longer after clear', async () => {
    await world.befriend('ada', 'grace');
    await ada.presence.set({ state: 'In a group' });
    await until(grace.friends.friends$, () => names(grace.friends.friends)[0] === 'ada');
    await lose('ada', ada);
    await until(grace.friends.friends$, () => names(grace.friends.friends)[0] === 'ada');
    await ada.presence.setStatus('dnd');
    await until(grace.friends.friends$, () => grace.presence.presence(idOf('ada')).status === 'dnd');
    await ada.presence.clear();
    await until(grace.friends.friends$, () => names(grace.friends.friends)[1] === 'ada');
    expect(ada.presence.own.sessions.filter(({ isOwn }) => isOwn)).toHaveLength(1);
  });
});

describe('client.invites', () => {
  it('leads an invited friend straight into the lobby', async () => {
    await world.befriend('ada', 'grace');
    const lobby = await ada.lobbies.join('the harbour');
    await ada.presence.set({ party: { id: lobby.id, size: [1, 4] }, joinSecret: 'the harbour' });
    await ada.invites.send(idOf('grace'), { content: 'Come!' });
    const [invite] = await until<typeof grace.invites.invites>(grace.invites.invites$, all => all.length === 1);
    expect(invite).toMatchObject({
      type: 'join',
      senderId: idOf('ada'),
      partyId: lobby.id,
      content: 'Come!',
      isValid: true,
    });
    const joined = await grace.invites.join(invite?.id ?? '');
    expect(joined.id).toBe(lobby.id);
    expect(grace.invites.invites).toEqual([]);
    expect(grace.messages.conversations).toMatchObject([{ lastMessage: undefined, lastMessageId: invite?.id }]);
  });

  it('lets a friend ask to join, and ends after six hours and when the sender leaves the party', async () => {
    const events = eventsOf(grace);
    await world.befriend('ada', 'grace');
    await ada.presence.set({ party: { id: 'crew', size: [1, 4] }, joinSecret: 'the harbour' });
    await until(grace.friends.friends$, () => names(grace.friends.friends)[0] === 'ada');
    await grace.invites.requestJoin(idOf('ada'));
    const [request] = await until<typeof ada.invites.invites>(ada.invites.invites$, all => all.length === 1);
    expect(request).toMatchObject({ type: 'join_request', senderId: idOf('grace'), isValid: true });
    await ada.invites.reply(request?.id ?? '');
    const [invite] = await until<typeof grace.invites.invites>(grace.invites.invites$, all => all.length === 1);
    expect(await grace.invites.accept(invite?.id ?? '')).toBe('the harbour');
    await ada.presence.clear();
    await until(grace.invites.invites$, () => grace.invites.invites[0]?.isValid === false);
    await ada.presence.set({ party: { id: 'crew', size: [1, 4] }, joinSecret: 'the harbour' });
    await until(grace.invites.invites$, () => grace.invites.invites[0]?.isValid === true);
    await world.advance('6 h');
    expect(grace.invites.invites[0]?.isValid).toBe(false);
    expect(events.filter(event => event.startsWith('invite'))).toEqual([
      'inviteReceived join true',
      'inviteUpdated join false',
      'inviteUpdated join true',
      'inviteUpdated join false',
    ]);
    await expect(grace.invites.accept(invite?.id ?? '')).rejects.toMatchObject({ name: 'ApiError' });
    await expect(grace.invites.accept('1')).rejects.toMatchObject({ code: 'unknown_invite' });
    await expect(grace.invites.reply('1')).rejects.toMatchObject({ code: 'unknown_invite' });
    expect(grace.invites.dismiss(invite?.id ?? '')).toBe(true);
  });

  it('takes the join that the game was started for from its address, and no other address', async () => {
    const lobby = await grace.lobbies.join('the harbour');
    const seen: string[] = [];
    ada.events$.subscribe(event => seen.push(event.type === 'activityJoin' ? event.joinSecret : event.type));
    for (const address of [
      'discord-1:/_discord/join',
      'discord-1:/_discord/join?secret=',
      'discord-1:/_discord/join?secret=a&secret=b',
      'discord-1:/other?secret=a',
      'nothing',
    ]) {
      expect(ada.handleRedirect(address)).toBe(false);
    }
    expect(ada.invites.launch).toBeUndefined();
    await expect(ada.invites.joinLaunch()).rejects.toMatchObject({ code: 'unknown_invite' });
    expect(ada.handleRedirect('discord-1:/_discord/join?secret=the%20harbour')).toBe(true);
    expect(ada.invites.launch).toEqual({ joinSecret: 'the harbour' });
    expect((await ada.invites.joinLaunch()).id).toBe(lobby.id);
    expect(ada.invites.launch).toBeUndefined();
    expect(seen[0]).toBe('the harbour');
  });
});

describe('an invite', () => {
  const party = { id: 'crew', size: [1, 4] as const };

  async function play(client: Client, activity: Parameters<Client['presence']['set']>[0] = {}): Promise<void> {
    await client.presence.set({ party, joinSecret: 'the harbour', ...activity });
    await until(grace.friends.friends$, () => names(grace.friends.friends)[0] === 'ada');
  }

  it('can be accepted after its sender has lost a session, and is invalid when its message is deleted', async () => {
    await world.befriend('ada', 'grace');
    await play(ada);
    await ada.invites.send(idOf('grace'));
    const [invite] = await until<typeof grace.invites.invites>(grace.invites.invites$, all => all.length === 1);
    await lose('ada', ada);
    await until(grace.invites.invites$, () => grace.invites.invites[0]?.sessionId === ada.presence.sessionId);
    expect(await grace.invites.accept(invite?.id ?? '')).toBe('the harbour');
    await ada.messages.get(idOf('grace')).delete(invite?.id ?? '');
    await until(grace.invites.invites$, () => grace.invites.invites[0]?.isValid === false);
  });

  it('that was sent while a session was lost arrives, and one that was dismissed does not come back', async () => {
    await world.befriend('ada', 'grace');
    await play(ada);
    await ada.invites.send(idOf('grace'), { content: 'first' });
    const [first] = await until<typeof grace.invites.invites>(grace.invites.invites$, all => all.length === 1);
    grace.invites.dismiss(first?.id ?? '');
    const listed = grace.messages.conversations;
    await lose('grace', grace);
    expect(grace.messages.conversations).toEqual(listed);
    await lose('grace', grace, () => ada.invites.send(idOf('grace'), { content: 'second' }));
    const invites = await until<typeof grace.invites.invites>(grace.invites.invites$, all => all.length > 0);
    expect(invites).toMatchObject([{ content: 'second', isValid: true }]);
    expect(grace.messages.unreadCount).toBe(0);
  });

  it('is valid while its sender plays, also where they hide it, which the client asks for by itself', async () => {
    const headers = {
      authorization: await sessionToken(world.service, idOf('ada')),
      'content-type': 'application/json',
    };
    await callApi(world.service, 'PATCH', '/users/@me/settings', { show_current_game: false }, headers);
    await world.befriend('ada', 'grace');
    await ada.presence.set({ party, joinSecret: 'the harbour' });
    await until(grace.friends.friends$, () => names(grace.friends.friends)[1] === 'ada');
    await ada.invites.send(idOf('grace'));
    const [invite] = await until<typeof grace.invites.invites>(
      grace.invites.invites$,
      ([one]) => one?.isValid === true,
    );
    expect(names(grace.friends.friends)).toEqual(['ada', '', '']);
    expect(await grace.invites.accept(invite?.id ?? '')).toBe('the harbour');
    await lose('grace', grace);
    await until(grace.invites.invites$, () => grace.invites.invites[0]?.isValid === true);
    await ada.presence.clear();
    await until(grace.invites.invites$, () => grace.invites.invites[0]?.isValid === false);
  });

  it('is rejected before it is sent when nobody could accept it, or when its text is too long', async () => {
    await world.befriend('ada', 'grace');
    for (const activity of [{ party: { id: 'crew' } }, { party: { ...party, size: [4, 4] as const } }]) {
      await ada.presence.set({ joinSecret: 'the harbour', ...activity });
      await expect(ada.invites.send(idOf('grace'))).rejects.toMatchObject({ code: 'not_joinable' });
    }
    await play(ada, { party: { ...party, size: [4, 4] } });
    await until(grace.friends.friends$, () => grace.presence.presence(idOf('ada')).activity?.party?.size?.[0] === 4);
    await expect(grace.invites.requestJoin(idOf('ada'))).rejects.toMatchObject({ code: 'not_joinable' });
    await play(ada);
    await expect(ada.invites.send(idOf('grace'), { content: 'x'.repeat(2001) })).rejects.toMatchObject({
      name: 'ValidationError',
      issues: [{ path: ['content'] }],
    });
  });
});

describe('client.messages', () => {
  it('shows both sides one conversation, each message once, with its edits, and counts what is unread', async () => {
    await world.befriend('ada', 'grace');
    const events = eventsOf(grace);
    const hers = ada.messages.get(idOf('grace'));
    const shown: string[] = [];
    hers.messages$.subscribe(all => shown.push(all.map(({ content, status }) => `${content} ${status}`).join()));
    const sent = await hers.send('Ahoy!', { metadata: { mood: 'merry' } });
    expect([...new Set(shown)]).toEqual(['', 'Ahoy! pending', 'Ahoy! sent']);
    expect(hers.disclosure).toBe('stored');
    await until(grace.messages.conversations$, () => grace.messages.unreadCount === 1);
    expect(grace.messages.conversations).toMatchObject([
      { id: idOf('ada'), user: { username: 'ada' }, lastMessage: { content: 'Ahoy!', metadata: { mood: 'merry' } } },
    ]);
    const theirs = await grace.messages.open(idOf('ada'));
    expect(theirs.messages.map(({ content }) => content)).toEqual(['Ahoy!']);
    theirs.markRead();
    expect(grace.messages.unreadCount).toBe(0);
    for (const count of [0, -1, 1.5]) {
      await expect(theirs.loadOlder(count)).rejects.toMatchObject({ code: 'invalid_limit' });
    }
    await hers.edit(sent.id, 'Ahoy, Grace!');
    await until(theirs.messages$, () => theirs.messages[0]?.content === 'Ahoy, Grace!');
    await world.user('ada').write('grace', 'From my phone');
    await until(hers.messages$, () => hers.messages.length === 2);
    await hers.delete(sent.id);
    await until(theirs.messages$, () => theirs.messages.map(({ content }) => content).join() === 'From my phone');
    expect(hers.messages.map(({ content }) => content)).toEqual(['From my phone']);
    expect(events.filter(event => event.startsWith('direct'))).toEqual([
      'directMessageReceived Ahoy!',
      'directMessageUpdated Ahoy, Grace!',
      'directMessageReceived From my phone',
      'directMessageDeleted Ahoy, Grace!',
    ]);
    expect(await ada.messages.summaries()).toMatchObject([{ userId: idOf('grace') }]);
  });

  it('keeps a failed message for another attempt, and rejects an empty one', async () => {
    const conversation = ada.messages.get(idOf('grace'));
    await expect(conversation.send(' ')).rejects.toMatchObject({ code: 'empty_message' });
    await grace.friends.block(idOf('ada'));
    await expect(conversation.send('Ahoy!')).rejects.toMatchObject({ code: 'cannot_send_to_user' });
    expect(conversation.messages).toMatchObject([
      { content: 'Ahoy!', status: 'failed', error: { code: 'cannot_send_to_user' } },
    ]);
    await grace.friends.unblock(idOf('ada'));
    await world.befriend('ada', 'grace');
    await conversation.resend(conversation.messages[0]?.id ?? '');
    expect(conversation.messages).toMatchObject([{ content: 'Ahoy!', status: 'sent' }]);
  });

  it('keeps messages that no history has, and finds those before many invites', async () => {
    await world.befriend('ada', 'grace');
    const theirs = grace.messages.get(idOf('ada'));
    await ada.messages.get(idOf('grace')).send('stored');
    await ada.presence.set({ party: { id: 'crew', size: [1, 4] }, joinSecret: 'the harbour' });
    await until(grace.friends.friends$, () => names(grace.friends.friends)[0] === 'ada');
    for (let count = 0; count < 26; count++) await ada.invites.send(idOf('grace'));
    const late = world.client('grace');
    await late.signIn();
    await late.connect();
    expect((await late.messages.open(idOf('ada'))).messages.map(({ content }) => content)).toEqual(['stored']);
    await ada.friends.remove(idOf('grace'));
    await ada.messages.get(idOf('grace')).send('ephemeral');
    await until(theirs.messages$, () => theirs.messages.length === 2);
    await theirs.loadOlder();
    await lose('grace', grace);
    expect(theirs.messages.map(({ content, status }) => `${content} ${status}`)).toEqual([
      'stored sent',
      'ephemeral sent',
    ]);
  });

  it('has what was sent while a session was lost, and counts it as unread', async () => {
    await world.befriend('ada', 'grace');
    await world.user('ada').write('grace', 'one');
    await until(grace.messages.conversations$, () => grace.messages.unreadCount === 1);
    await lose('grace', grace, () => world.user('ada').write('grace', 'two'));
    await until(grace.messages.conversations$, () => grace.messages.unreadCount === 2);
    expect(grace.messages.get(idOf('ada')).messages.map(({ content }) => content)).toEqual(['one', 'two']);
  });
});

describe('client.users', () => {
  it('knows the player, friends and members of lobbies', async () => {
    expect(ada.users.current).toMatchObject({ username: 'ada', displayName: 'Ada', isProvisional: false });
    expect(ada.users.user(idOf('grace'))).toBeUndefined();
    await ada.lobbies.join('the harbour');
    await grace.lobbies.join('the harbour');
    await until(ada.lobbies$, () => ada.users.user(idOf('grace')) !== undefined);
    expect(ada.users.user(idOf('grace'))).toMatchObject({ username: 'grace', status: 'offline', group: undefined });
    expect(ada.users.avatarUrl(idOf('grace'))).toBe(`${world.baseUrl}/embed/avatars/0.png`);
  });

  it("shows what the game's server reports about a friend, also to a session that begins later", async () => {
    await world.befriend('ada', 'grace');
    const owner = { userId: idOf('grace'), externalUserId: 'cat-9' };
    await world.backend.profiles.edit(owner, { username: 'harbour-cat', metadata: { rank: 'gold' } });
    const user = await until<SocialUserSnapshot>(ada.users.user$(idOf('grace')), one => one?.profiles.length === 1);
    expect(user.profiles).toMatchObject([
      { username: 'harbour-cat', metadata: { rank: 'gold' }, externalId: { providerType: 'NONE' } },
    ]);
    await lose('ada', ada);
    expect(ada.users.user(idOf('grace'))?.profiles).toBe(user.profiles);
  });
});
