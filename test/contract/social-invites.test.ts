import { beforeEach, describe, expect, it } from 'vitest';
import type { ActivityInvite, DirectMessage } from '../../src/model/direct-message.ts';
import { opcodes } from '../../src/model/gateway.ts';
import type { Activity, Presence } from '../../src/model/presence.ts';
import type { Service } from '../../src/service/index.ts';
import type { GatewayClient } from '../support/gateway/gateway-client.ts';
import { befriend, games, Player, seen, twoPlayers, userIds } from '../support/service/social.ts';
import { callApi } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const { ada, grace, edsger } = userIds;
const presenceScope = 'openid sdk.social_layer_presence';
const messagesTo = (userId: string) => `/users/${userId}/messages`;
const join = { type: 1, party_id: 'party' };

let service: Service;
let host: Player;
let guest: Player;
const scene = twoPlayers();
const { connect } = scene;

beforeEach(() => {
  service = scene.service;
  [host, guest] = scene.players;
});

/** A session of the player that shows a party which can be joined. */
async function play(player: Player, more: Partial<Activity> = {}): Promise<GatewayClient> {
  const client = await connect(player);
  await show(client, more);
  return client;
}

async function show(client: GatewayClient, more: Partial<Activity> = {}, status = 'online'): Promise<void> {
  const party = { id: 'party', size: [1, 4] };
  const activity = { name: 'Starfall', type: 0, application_id: games.starfall, party, secrets: { join: 'sesame' } };
  const state = `shown as number ${++shown}`;
  const d = { since: null, afk: false, status, activities: [{ ...activity, ...more, state }] };
  client.send({ op: opcodes.PRESENCE_UPDATE, d });
  // The user's own sessions receive an event when it is stored.
  await client.until(() => JSON.stringify(seen(client, 'SESSIONS_REPLACE')).includes(state));
}
let shown = 0;

async function invite(from: Player, userId: string, session_id?: string): Promise<DirectMessage> {
  const activity = { ...join, ...(session_id !== undefined && { session_id }) };
  const answer = await from.call('POST', messagesTo(userId), { activity, application_id: games.starfall });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as DirectMessage;
}

function secretOf(userId: string, sessionId: string, { id, channel_id }: { id: string; channel_id: string }): string {
  return `${secretWithout(userId, sessionId)}?channel_id=${channel_id}&message_id=${id}`;
}

function secretWithout(userId: string, sessionId: string): string {
  return `/users/${userId}/sessions/${sessionId}/activities/${games.starfall}/1`;
}

describe('an invite', () => {
  it('reaches sessions by what they may and want to read, and is accepted with the present secret', async () => {
    await befriend(host, guest);
    const playing = await play(host);
    const reading = await connect(guest);
    const limited = await connect(await Player.of(service, 'grace', { scope: presenceScope }));
    const elsewhere = await connect(await Player.of(service, 'grace', { game: games.moonrise, scope: presenceScope }));
    const withoutIntent = await connect(guest, { bits: 0 });
    const sent = await invite(host, grace, playing.sessionId);
    expect(sent).toMatchObject({
      activity: { ...join, session_id: playing.sessionId },
      application_id: games.starfall,
    });
    expect(await reading.dispatch('MESSAGE_CREATE')).toEqual(sent);
    for (const client of [limited, elsewhere, withoutIntent]) {
      expect(await client.dispatch<ActivityInvite>('ACTIVITY_INVITE_CREATE')).toEqual({
        ...{ message_id: sent.id, channel_id: sent.channel_id, author: sent.author },
        ...{ application: sent.application, activity: sent.activity },
      });
    }
    expect(seen(reading, 'ACTIVITY_INVITE_CREATE')).toEqual([]);
    expect(seen(withoutIntent, 'MESSAGE_CREATE')).toEqual([]);
    await show(playing, { secrets: { join: 'open sesame' } });
    const accepted = await guest.call('GET', secretOf(ada, playing.sessionId, sent));
    expect(accepted).toMatchObject({ status: 200, body: { secret: 'open sesame' } });
    expect(await host.result('GET', secretOf(ada, playing.sessionId, sent))).toMatch(/^40[34] /);
    const stranger = await Player.of(service, 'edsger');
    expect(await stranger.result('GET', secretOf(ada, playing.sessionId, sent))).toBe('404 10008');
    expect(await guest.result('GET', secretWithout(ada, playing.sessionId))).toBe('403 50106');
    expect(await guest.result('GET', secretOf(ada, 'unknown', sent))).toBe('404 10020');
    const frames = [playing, reading, limited, elsewhere].flatMap(client => client.frames);
    expect(JSON.stringify(frames)).not.toContain('sesame');
  });

  it('is asked for with ids, and everything that is wrong with them is reported together', async () => {
    const { status, body } = await guest.call('GET', secretOf(ada, 'any', { id: 'x', channel_id: 'y' }));
    const fault = { _errors: [{ code: 'NUMBER_TYPE_COERCE' }] };
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 50035, errors: { message_id: fault, channel_id: fault } },
    });
  });

  it('is no longer valid when its sender is elsewhere, full, blocked or gone', async () => {
    await befriend(host, guest);
    const playing = await play(host);
    const sent = await invite(host, grace);
    const accept = () => guest.result('GET', secretOf(ada, playing.sessionId, sent));
    expect(await accept()).toBe('200');
    await show(playing, { party: { id: 'another', size: [1, 4] } });
    expect(await accept()).toBe('403 40014');
    await show(playing, { party: { id: 'party', size: [4, 4] } });
    expect(await accept()).toBe('403 50106');
    await show(playing, {}, 'invisible');
    expect(await accept()).toBe('403 40014');
    await playing.end();
    await expect.poll(accept).toBe('404 10020');
    const again = await play(host);
    expect(await guest.result('GET', secretOf(ada, again.sessionId, sent))).toBe('200');
    await host.call('PUT', `/users/@me/relationships/${grace}`, { type: 2 });
    expect(await guest.result('GET', secretOf(ada, again.sessionId, sent))).toBe('403 50106');
  });

  it('of strangers in the game is ephemeral, and found by its sender', async () => {
    const playing = await play(host);
    const reading = await connect(guest);
    const limited = await connect(await Player.of(service, 'grace', { scope: presenceScope }));
    const { id } = await invite(host, grace);
    const invited = await limited.dispatch<ActivityInvite>('ACTIVITY_INVITE_CREATE');
    expect(invited).toMatchObject({ message_id: id, channel_id: ada, activity: join });
    expect(await reading.dispatch('MESSAGE_CREATE')).toMatchObject({ id, channel_id: ada, channel_type: 18 });
    const accepted = secretOf(ada, playing.sessionId, { id, channel_id: invited.channel_id });
    expect(await guest.call('GET', accepted)).toMatchObject({ body: { secret: 'sesame' } });
  });

  it('may be sent with the scopes of presence, without anything else', async () => {
    await befriend(host, guest);
    await play(host);
    const limited = await Player.of(service, 'ada', { scope: presenceScope });
    const body = { content: 'Come!', metadata: { a: 'b' }, activity: join, application_id: games.starfall };
    const answer = await limited.call('POST', messagesTo(grace), body);
    expect(answer).toMatchObject({ status: 200, body: { content: '', activity: join } });
    expect(answer.body).not.toHaveProperty('metadata');
    expect(await limited.result('POST', messagesTo(grace), { content: 'Come!' })).toBe('403 50026');
  });

  it('is rejected without a party to join, and for applications of others', async () => {
    await befriend(host, guest);
    const post = (activity: object, application_id: string = games.starfall) =>
      host.result('POST', messagesTo(grace), { activity, application_id });
    expect(await post(join)).toBe('400 50039');
    const playing = await play(host);
    expect(await post({ ...join, party_id: 'another' })).toBe('400 50039');
    expect(await post(join, games.moonrise)).toBe('400 50035');
    expect(await post(join, '999')).toBe('400 50035');
    expect(await post({ ...join, type: 3 })).toBe('400 50035');
    expect(await post({ ...join, session_id: 'another' })).toBe('400 50039');
    await show(playing, { party: { id: 'party', size: [4, 4] } });
    expect(await post(join)).toBe('400 50039');
    await playing.end();
    await expect.poll(() => post(join)).toBe('400 50039');
  });
});

describe('a request to join', () => {
  it('is answered by an invite', async () => {
    await befriend(host, guest);
    const asking = await connect(guest);
    const ask = () => guest.call('POST', messagesTo(ada), { activity: { type: 5 }, application_id: games.starfall });
    expect(await ask()).toMatchObject({ status: 400, body: { code: 50039 } });
    const playing = await play(host);
    expect(await ask()).toMatchObject({ status: 200, body: { activity: { type: 5, party_id: 'party' } } });
    const asked = await playing.dispatch<DirectMessage>('MESSAGE_CREATE');
    expect(asked).toMatchObject({ author: { id: grace }, activity: { type: 5, session_id: playing.sessionId } });
    expect(await guest.result('GET', secretOf(ada, playing.sessionId, asked))).toBe('404 10008');
    const reply = await invite(host, asked.author.id);
    await asking.until(() => seen(asking, 'MESSAGE_CREATE').some(([, { id }]) => id === reply.id));
    expect(await guest.result('GET', secretOf(ada, playing.sessionId, reply))).toBe('200');
  });
});

describe('a subscription to the activity of an invite', () => {
  it('shows what a player hides to those who were invited, and not to those who were asked', async () => {
    await befriend(host, guest);
    const [playing, asking] = [await play(host), await play(guest)];
    const ask = { activity: { type: 5 }, application_id: games.starfall };
    const { body: asked } = await guest.call('POST', messagesTo(ada), ask);
    const sent = await invite(host, grace);
    const subscribe = (player: Player, user_id: string, { id, channel_id }: DirectMessage) =>
      player.result('POST', '/users/@me/activities/subscribe', {
        subscriptions: [{ user_id, application_id: games.starfall, party_id: 'party', message_id: id, channel_id }],
      });
    expect(await subscribe(host, grace, asked as DirectMessage)).toBe('204');
    expect(await subscribe(guest, ada, sent)).toBe('204');
    const hidden = (client: GatewayClient) =>
      seen(client, 'PRESENCE_UPDATE').filter(([, { hidden_activities = [] }]) => (hidden_activities as []).length > 0);
    await show(asking, {}, 'invisible');
    await show(playing, {}, 'invisible');
    await asking.until(() => hidden(asking).length > 0);
    await playing.beat();
    expect(hidden(playing)).toEqual([]);
  });
});

describe('a party that is open to friends', () => {
  it('is joined by friends without an invite', async () => {
    const stranger = await Player.of(service, 'edsger');
    await befriend(host, guest);
    const playing = await play(host, { party: { id: 'party', size: [1, 4], privacy: 1 } });
    const path = secretWithout(ada, playing.sessionId);
    expect(await guest.call('GET', path)).toMatchObject({ status: 200, body: { secret: 'sesame' } });
    expect(await stranger.result('GET', path)).toBe('403 50106');
    await stranger.call('PUT', `/users/@me/game-relationships/${ada}`, {});
    await host.call('PUT', `/users/@me/game-relationships/${edsger}`, { type: 1 });
    expect(await stranger.result('GET', path)).toBe('200');
    await host.call('PATCH', '/users/@me/settings', { status: 'invisible' });
    expect(await guest.result('GET', path)).toBe('403 40014');
  });

  it('is open to those who were invited alone while its player does not show games', async () => {
    await befriend(host, guest);
    const playing = await play(host, { party: { id: 'party', size: [1, 4], privacy: 1 } });
    const ask = { activity: { type: 5 }, application_id: games.starfall };
    expect(await guest.result('POST', messagesTo(ada), ask)).toBe('200');
    const own = { authorization: await sessionToken(service, ada), 'content-type': 'application/json' };
    await callApi(service, 'PATCH', '/users/@me/settings', { show_current_game: false }, own);
    expect(await guest.result('GET', secretWithout(ada, playing.sessionId))).toBe('403 40014');
    expect(await guest.result('POST', messagesTo(ada), ask)).toBe('400 50039');
    const sent = await invite(host, grace);
    expect(await guest.result('GET', secretOf(ada, playing.sessionId, sent))).toBe('200');
  });
});

describe('a subscription to the activity of an invite', () => {
  const subscribe = (player: Player, { id, channel_id }: { id: string; channel_id: string }, more: object = {}) => {
    const subscription = {
      user_id: ada,
      application_id: games.starfall,
      party_id: 'party',
      message_id: id,
      channel_id,
    };
    const body = { subscriptions: [{ ...subscription, ...more }] };
    return player.result('POST', '/users/@me/activities/subscribe', body);
  };
  /** What a session was told of Ada's presence since `from`: status and the states of both kinds of activities. */
  async function told(client: GatewayClient, from = 0): Promise<[string, number, number | undefined][]> {
    await client.beat();
    return seen(client, 'PRESENCE_UPDATE')
      .map(([, update]) => update as unknown as Presence)
      .filter(({ user }) => user.id === ada)
      .slice(from)
      .map(({ status, activities, hidden_activities: hidden }) => [status, activities.length, hidden?.length]);
  }

  it('shows a friend what is played while its user is invisible, and nobody else', async () => {
    const third = await Player.of(service, 'edsger');
    await befriend(host, guest);
    await befriend(host, third);
    const playing = await play(host);
    const sent = await invite(host, grace);
    const [watching, later, uninvited] = [await connect(guest), await connect(guest), await connect(third)];
    const elsewhere = await connect(await Player.of(service, 'grace', { game: games.moonrise }));
    expect(await subscribe(guest, sent)).toBe('204');
    expect(await subscribe(third, sent)).toBe('204');
    for (const wrong of [{ party_id: 'another' }, { message_id: '1' }, { application_id: games.moonrise }]) {
      expect(await subscribe(third, sent, wrong)).toBe('204');
    }
    expect(await told(watching)).toEqual([]);
    await show(playing, {}, 'invisible');
    for (const client of [watching, later]) {
      expect(await told(client)).toEqual([
        ['offline', 0, undefined],
        ['offline', 0, 1],
      ]);
    }
    for (const client of [uninvited, elsewhere]) expect(await told(client)).toEqual([['offline', 0, undefined]]);
    const frames = [watching, later, uninvited].flatMap(client => client.frames);
    expect(JSON.stringify(frames)).not.toContain('sesame');
    await show(playing, {}, 'online');
    expect(await told(watching, 2)).toEqual([
      ['online', 1, undefined],
      ['online', 1, 0],
    ]);
    await host.call('PUT', `/users/@me/relationships/${grace}`, { type: 2 });
    await show(playing, {}, 'invisible');
    expect((await told(watching, 4)).every(([, , hidden]) => hidden === undefined)).toBe(true);
  });

  it('shows a stranger in the game nothing but what is hidden, also if it is hidden already', async () => {
    const playing = await play(host);
    const watching = await connect(guest);
    const reading = await invite(host, grace);
    const sent = { id: reading.id, channel_id: ada };
    await show(playing, {}, 'invisible');
    expect(await subscribe(guest, sent)).toBe('204');
    expect(await told(watching)).toEqual([['offline', 0, 1]]);
    expect(await subscribe(guest, sent)).toBe('204');
    await show(playing, {}, 'dnd');
    expect(await told(watching)).toEqual([
      ['offline', 0, 1],
      ['offline', 0, 0],
    ]);
    await show(playing, {}, 'invisible');
    const last = seen(watching, 'PRESENCE_UPDATE').at(-1)?.[1] as unknown as Presence;
    expect(last.hidden_activities).toMatchObject([{ application_id: games.starfall, party: { id: 'party' } }]);
    await playing.end();
    await watching.until(() => seen(watching, 'PRESENCE_UPDATE').length === 4);
    expect((await told(watching)).at(-1)).toEqual(['offline', 0, 0]);
  });

  it('ends with the friendship of its users', async () => {
    await befriend(host, guest);
    const playing = await play(host);
    const sent = await invite(host, grace);
    const watching = await connect(guest);
    expect(await subscribe(guest, sent)).toBe('204');
    await guest.call('DELETE', `/users/@me/relationships/${ada}`);
    await show(playing, {}, 'invisible');
    expect(await told(watching)).toEqual([['offline', 0, undefined]]);
  });
});
