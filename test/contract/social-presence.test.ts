import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { opcodes, type Ready, type ReadySupplemental } from '../../src/model/gateway.ts';
import type { Activity, OwnSession, Presence } from '../../src/model/presence.ts';
import { type Service, startService } from '../../src/service/index.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { temporaryFolder } from '../support/runs/folder.ts';
import { RestartingService } from '../support/service/restarting-service.ts';
import { games, Player, seen, socialWorld, userIds } from '../support/service/social.ts';
import { callApi } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const { ada, grace } = userIds;
const relationships = '/users/@me/relationships';
const gameRelationships = '/users/@me/game-relationships';
const headless = '/users/@me/headless-sessions';
const settings = '/users/@me/settings';

let service: Service;
let alone: Player;
let other: Player;

beforeAll(async () => {
  service = await startService({ fixtures: socialWorld, clock: 'virtual', limits: 'off' });
});
afterAll(() => service.close());

beforeEach(async () => {
  await service.reset();
  alone = await Player.of(service, 'ada');
  other = await Player.of(service, 'grace');
});

/** Makes ada and grace friends, everywhere or in ada's game. */
async function befriend(path = relationships): Promise<void> {
  expect(await alone.result('PUT', `${path}/${grace}`)).toBe('204');
  expect(await other.result('PUT', `${path}/${ada}`, { type: 1 })).toBe('204');
}

function show(client: GatewayClient, activity?: object, status = 'online'): void {
  const activities = activity ? [{ application_id: games.starfall, type: 0, ...activity }] : [];
  client.send({ op: opcodes.PRESENCE_UPDATE, d: { since: null, afk: false, status, activities } });
}

/** What a session was told of somebody's presence so far, in order. */
async function presencesOf(client: GatewayClient, userId: string): Promise<Presence[]> {
  await client.beat();
  const presences = seen(client, 'PRESENCE_UPDATE').map(([, presence]) => presence as unknown as Presence);
  return presences.filter(({ user }) => user.id === userId);
}

/** The last of them, once it is what is expected. */
async function sees(client: GatewayClient, userId: string, expected: object): Promise<Presence> {
  await client.until(() => {
    const last = seen(client, 'PRESENCE_UPDATE').findLast(([, { user }]) => (user as Presence['user']).id === userId);
    if (!last) return false;
    try {
      expect(last[1]).toMatchObject(expected);
      return true;
    } catch {
      return false;
    }
  });
  return (await presencesOf(client, userId)).at(-1) as Presence;
}

/** Lets time pass, in which the clients send heartbeats. */
async function pass(ms: number, ...clients: readonly GatewayClient[]): Promise<void> {
  const stepMs = 40_000;
  for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
    await service.clock.advance(Math.min(leftMs, stepMs));
    for (const client of clients) await client.beat();
  }
}

async function ownSessions(client: GatewayClient): Promise<OwnSession[]> {
  await client.beat();
  return (seen(client, 'SESSIONS_REPLACE').at(-1)?.[1] ?? []) as unknown as OwnSession[];
}

/** Waits until the own sessions that a session was told of contain a text. */
async function lists(client: GatewayClient, text: string): Promise<void> {
  await client.until(() => JSON.stringify(seen(client, 'SESSIONS_REPLACE').at(-1) ?? '').includes(text));
}

function readyOf(client: GatewayClient): Ready {
  return client.frames.find(({ t }) => t === 'READY')?.d as Ready;
}

describe('the presence of a friend', () => {
  it('begins with the first session and ends with the last one', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    await sees(watching, grace, { status: 'online', activities: [], client_status: { desktop: 'online' } });
    const second = await other.connect();
    shown.socket.close(1000);
    await shown.closed;
    second.socket.close(1000);
    await sees(watching, grace, { status: 'offline', activities: [], client_status: {} });
    expect((await presencesOf(watching, grace)).map(({ status }) => status)).toEqual(['online', 'offline']);
  });

  it('outlives a lost connection until the session can no longer be resumed', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    await sees(watching, grace, { status: 'online' });
    shown.socket.terminate();
    await shown.closed;
    await pass(170_000, watching);
    expect((await presencesOf(watching, grace)).map(({ status }) => status)).toEqual(['online']);
    await pass(20_000, watching);
    await sees(watching, grace, { status: 'offline' });
  });

  it('shows an activity without what is only ever sent', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    show(shown, {
      name: 'Starfall',
      state: 'In a lobby',
      details: 'Deathmatch',
      party: { id: 'party', size: [1, 4], privacy: 1 },
      secrets: { join: 'the secret' },
      assets: { large_image: 'map', large_text: 'A map' },
      timestamps: { start: 1_700_000_000_000 },
      buttons: [{ label: 'Watch', url: 'https://example.com/watch' }],
      supported_platforms: ['desktop', 'ios'],
      metadata: { anything: 'the secret' },
      secret_field: 'the secret',
    });
    const { activities } = await sees(watching, grace, { activities: [{ state: 'In a lobby' }] });
    expect(activities).toEqual([
      {
        id: expect.any(String),
        ...{ name: 'Starfall', type: 0, application_id: games.starfall, state: 'In a lobby', details: 'Deathmatch' },
        ...{ session_id: shown.sessionId, created_at: expect.any(Number), flags: 2 | 64 | 128 },
        party: { id: 'party', size: [1, 4] },
        assets: { large_image: 'map', large_text: 'A map' },
        timestamps: { start: 1_700_000_000_000 },
        buttons: ['Watch'],
        supported_platforms: ['desktop', 'ios'],
      },
    ]);
    const path = `/users/${grace}/sessions/${shown.sessionId}/activities/${games.starfall}/metadata`;
    expect(await alone.call('GET', path)).toMatchObject({
      status: 200,
      body: { button_urls: ['https://example.com/watch'] },
    });
    const stranger = await Player.of(service, 'edsger');
    expect(await stranger.result('GET', path)).toBe('404 10020');
    show(shown, { name: 'Starfall' });
    await sees(watching, grace, { activities: [{ name: 'Starfall' }] });
    expect(JSON.stringify([watching.frames, shown.frames])).not.toContain('the secret');
  });

  it('shows the id of an emoji as text, however it was sent', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    show(shown, { name: 'Starfall', emoji: { name: 'star', id: 5, animated: true } });
    const { activities } = await sees(watching, grace, { activities: [{ name: 'Starfall' }] });
    expect(activities[0]?.emoji).toEqual({ name: 'star', id: '5', animated: true });
    const custom_status = { emoji_name: 'moon', emoji_id: 6 };
    expect((await other.call('PATCH', settings, { custom_status })).body).toMatchObject({
      custom_status: { emoji_name: 'moon', emoji_id: '6' },
    });
    await sees(watching, grace, { activities: [{ emoji: { name: 'moon', id: '6' } }, { name: 'Starfall' }] });
  });

  it('can be joined while the party has a place left', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    for (const [size, flags] of [
      [[3, 4], 2],
      [[4, 4], 0],
      [[9, 0], 2],
    ] as const) {
      show(shown, { name: 'Starfall', flags: 2, party: { id: 'party', size }, secrets: { join: 'the secret' } });
      await sees(watching, grace, { activities: [{ party: { size }, ...(flags > 0 && { flags }) }] });
      const last = (await presencesOf(watching, grace)).at(-1);
      expect(last?.activities[0]?.flags ?? 0).toBe(flags);
    }
  });

  it('shows each game only to its own sessions, and everything to own clients', async () => {
    await befriend();
    const inStarfall = await alone.connect();
    const inMoonrise = await (await Player.of(service, 'ada', { game: games.moonrise })).connect();
    const own = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada) });
    const shown = await other.connect();
    for (const client of [inStarfall, inMoonrise, own]) await sees(client, grace, { status: 'online', activities: [] });
    show(shown, { name: 'Starfall', application_id: games.moonrise });
    await sees(inStarfall, grace, { activities: [{ name: 'Starfall', application_id: games.starfall }] });
    await sees(own, grace, { activities: [{ name: 'Starfall' }] });
    show(shown, { name: 'Mood', type: 4, state: 'busy' });
    for (const client of [inStarfall, inMoonrise, own]) await sees(client, grace, { activities: [{ state: 'busy' }] });
    show(shown);
    for (const client of [inStarfall, inMoonrise, own]) await sees(client, grace, { status: 'online', activities: [] });
    expect((await presencesOf(inMoonrise, grace)).length).toBe(3);
  });

  it('is shared by the games of a publisher', async () => {
    await befriend();
    const watching = await (await Player.of(service, 'ada', { game: games.first })).connect();
    const shown = await (await Player.of(service, 'grace', { game: games.second })).connect();
    show(shown, { name: 'Second' });
    await sees(watching, grace, {
      activities: [{ name: 'Second', application_id: games.second, parent_application_id: games.publisher }],
    });
  });

  it('is offline for everybody else while a session is invisible', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    show(shown, { name: 'Starfall' });
    await sees(watching, grace, { status: 'online', activities: [{ name: 'Starfall' }] });
    show(shown, { name: 'Starfall' }, 'invisible');
    await sees(watching, grace, { status: 'offline', activities: [], client_status: {} });
    const count = (await presencesOf(watching, grace)).length;
    const second = await other.connect();
    show(second, { name: 'Hidden' });
    await second.until(() => JSON.stringify(seen(second, 'SESSIONS_REPLACE')).includes('Hidden'));
    expect((await ownSessions(second))[0]).toMatchObject({
      ...{ session_id: 'all', status: 'invisible', activities: [] },
      hidden_activities: [{ name: 'Hidden' }],
    });
    second.socket.close(1000);
    // The invisible session ends last: without it the other one would be seen.
    await shown.until(() => !JSON.stringify(seen(shown, 'SESSIONS_REPLACE').at(-1)).includes('Hidden'));
    shown.socket.close(1000);
    await shown.closed;
    expect(await presencesOf(watching, grace)).toHaveLength(count);
    const late = await alone.connect();
    expect(readyOf(late).presences).toEqual([]);
  });

  it('is not shown to strangers, to those with a request, or after a block', async () => {
    const watching = await alone.connect();
    const shown = await other.connect();
    show(shown, { name: 'Starfall' });
    await alone.call('PUT', `${relationships}/${grace}`);
    await shown.beat();
    expect(await presencesOf(watching, grace)).toEqual([]);
    await other.call('PUT', `${relationships}/${ada}`);
    await sees(watching, grace, { status: 'online', activities: [{ name: 'Starfall' }] });
    expect(await other.result('PUT', `${relationships}/${ada}`, { type: 2 })).toBe('204');
    await sees(watching, grace, { status: 'offline', activities: [] });
    const count = (await presencesOf(watching, grace)).length;
    show(shown, { name: 'Elsewhere' });
    await shown.beat();
    expect(await presencesOf(watching, grace)).toHaveLength(count);
    expect(readyOf(await alone.connect()).presences).toEqual([]);
  });

  it('needs a scope to be seen and a scope to be set', async () => {
    await befriend();
    const watching = await (await Player.of(service, 'ada', { scope: 'openid identify gateway.connect' })).connect();
    expect(
      await (await Player.of(service, 'ada', { scope: 'openid identify gateway.connect' })).result('GET', '/presences'),
    ).toBe('403 50026');
    const seeing = await alone.connect();
    const shown = await (await Player.of(service, 'grace', { scope: 'openid identify gateway.connect' })).connect();
    show(shown, { name: 'Starfall' });
    const set = await other.connect();
    show(set, { name: 'By right' });
    await sees(seeing, grace, { activities: [{ name: 'By right' }] });
    expect(await presencesOf(watching, grace)).toEqual([]);
    expect((await presencesOf(seeing, grace)).flatMap(({ activities }) => activities.map(({ name }) => name))).toEqual([
      'By right',
    ]);
  });

  it('ends when the user’s tokens are revoked', async () => {
    await befriend();
    const watching = await alone.connect();
    await other.connect();
    await other.call('POST', headless, {
      activities: [{ name: 'Starfall', type: 0, application_id: games.starfall, platform: 'ps5' }],
    });
    await sees(watching, grace, { status: 'online', client_status: { embedded: 'online' } });
    await fetch(`${service.controlBase}/users/${grace}/tokens`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${service.controlToken}` },
    });
    await sees(watching, grace, { status: 'offline' });
  });
});

describe('the presence of a friend in a game', () => {
  it('is shown only in that game, and only while the friend is in it', async () => {
    await befriend(gameRelationships);
    const watching = await alone.connect();
    const elsewhere = await (await Player.of(service, 'ada', { game: games.moonrise })).connect();
    const away = await (await Player.of(service, 'grace', { game: games.moonrise })).connect();
    show(away, { name: 'Moonrise' });
    await away.beat();
    expect(await presencesOf(watching, grace)).toEqual([]);
    const shown = await other.connect();
    show(shown, { name: 'Starfall' });
    await sees(watching, grace, { status: 'online', activities: [{ name: 'Starfall' }] });
    expect(readyOf(await alone.connect()).presences).toMatchObject([
      { user: { id: grace }, activities: [{ name: 'Starfall' }] },
    ]);
    shown.socket.close(1000);
    await sees(watching, grace, { status: 'offline', activities: [] });
    expect(await presencesOf(elsewhere, grace)).toEqual([]);
    const all = JSON.stringify(await presencesOf(watching, grace));
    expect(all).not.toContain('Moonrise');
  });
});

describe('a restart on a data folder', () => {
  it('keeps presences for sessions that are resumed, and ends them with those that are not', async () => {
    const folder = await temporaryFolder();
    const options = { fixtures: socialWorld, limits: 'off', clock: 'virtual', data: folder.path } as const;
    const first = await startService(options);
    alone = await Player.of(first, 'ada');
    other = await Player.of(first, 'grace');
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    show(shown, { name: 'Starfall', secrets: { join: 'the secret' } }, 'dnd');
    await sees(watching, grace, { status: 'dnd', activities: [{ name: 'Starfall' }] });
    await first.close();

    const again = await startService(options);
    const late = await new Player(again, ada, alone.token).connect();
    expect(readyOf(late).presences).toMatchObject([
      { user: { id: grace }, status: 'dnd', activities: [{ name: 'Starfall' }] },
    ]);
    const back = await GatewayClient.resumed(again.gateway, `Bearer ${alone.token}`, watching);
    await back.dispatch('RESUMED');
    for (let n = 0; n < 5; n++) {
      await again.clock.advance(40_000);
      await Promise.all([late.beat(), back.beat()]);
    }
    for (const client of [late, back]) await sees(client, grace, { status: 'offline' });
    await again.close();
    await folder.remove();
  });
});

describe('READY', () => {
  it('lists friends who are not offline, in both forms, and is followed by READY_SUPPLEMENTAL', async () => {
    await befriend();
    const shown = await other.connect();
    show(shown, { name: 'Starfall' }, 'dnd');
    await ownSessions(shown);
    const presence = { status: 'dnd', activities: [{ name: 'Starfall' }], client_status: { desktop: 'dnd' } };
    const plain = await alone.connect({ bits: 0 });
    expect(readyOf(plain).presences).toMatchObject([{ user: { id: grace }, ...presence }]);
    const supplemental = await plain.dispatch<ReadySupplemental>('READY_SUPPLEMENTAL');
    expect(supplemental.merged_presences).toMatchObject({ friends: [{ user_id: grace, ...presence }], guilds: [] });
    const apart = await alone.connect({ apart: true });
    expect(readyOf(apart).presences).toBeUndefined();
    const listed = await apart.dispatch<ReadySupplemental>('READY_SUPPLEMENTAL');
    expect(listed.merged_presences.friends).toMatchObject([{ user_id: grace, ...presence }]);
    expect(listed.merged_presences.friends[0]).not.toHaveProperty('user');
    const { body } = await alone.call('GET', '/presences');
    expect(body).toMatchObject({ presences: [{ user: { id: grace }, ...presence }] });
  });

  it('has the user’s own sessions and settings', async () => {
    const first = await alone.connect();
    expect(readyOf(first)).toMatchObject({
      sessions: [{ session_id: first.sessionId, status: 'online', client_info: { client: 'desktop' }, activities: [] }],
      user_settings: {
        ...{ status: 'online', custom_status: null, show_current_game: true, slayer_sdk_receive_dms_in_game: 0 },
        ...{ allow_activity_party_privacy_friends: true, allow_activity_party_privacy_voice_channel: true },
      },
    });
    const second = await alone.connect();
    expect(readyOf(second).sessions?.map(({ session_id }) => session_id)).toEqual([
      'all',
      first.sessionId,
      second.sessionId,
    ]);
    expect((await ownSessions(first)).map(({ session_id }) => session_id)).toEqual([
      'all',
      first.sessionId,
      second.sessionId,
    ]);
    expect(await ownSessions(second)).toEqual([]);
  });
});

describe('several sessions of a user', () => {
  it('are merged into one presence', async () => {
    await befriend();
    const watching = await alone.connect();
    const first = await other.connect();
    show(first, { name: 'First' }, 'idle');
    await sees(watching, grace, { status: 'idle', activities: [{ name: 'First' }] });
    const second = await other.connect();
    await sees(watching, grace, { status: 'online', activities: [{ name: 'First' }] });
    show(second, { name: 'Second' }, 'dnd');
    await sees(watching, grace, { status: 'dnd', activities: [{ name: 'Second' }], client_status: { desktop: 'dnd' } });
    second.socket.close(1000);
    await sees(watching, grace, { status: 'idle', activities: [{ name: 'First' }] });
    expect(await ownSessions(first)).toMatchObject([{ session_id: first.sessionId, status: 'idle' }]);
    expect(await presencesOf(first, grace)).toEqual([]);
  });

  it('are shown to a game without those of other games and what they show, and to own clients all', async () => {
    const inStarfall = await alone.connect();
    const own = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada) });
    const elsewhere = await Player.of(service, 'ada', { game: games.moonrise });
    const secret = { name: 'Moonrise', state: 'private state', party: { id: 'private party' } };
    show(inStarfall, { name: 'Starfall', state: 'public state' });
    show(own, { name: 'Mood', type: 4, state: 'busy' });
    await lists(inStarfall, 'busy');
    const count = seen(inStarfall, 'SESSIONS_REPLACE').length;
    const inMoonrise = await elsewhere.connect();
    show(inMoonrise, secret);
    await lists(own, 'private party');
    expect(await ownSessions(inStarfall)).toMatchObject([
      { session_id: 'all', activities: [{ state: 'public state' }, { state: 'busy' }] },
      { session_id: inStarfall.sessionId, activities: [{ state: 'public state' }] },
      { session_id: own.sessionId, activities: [{ state: 'busy' }] },
    ]);
    expect(JSON.stringify(inStarfall.frames)).not.toContain('private party');
    expect(seen(inStarfall, 'SESSIONS_REPLACE')).toHaveLength(count);
    show(inMoonrise, { ...secret, state: 'another private state' }, 'dnd');
    await lists(inStarfall, 'dnd');
    expect((await ownSessions(own)).map(({ session_id }) => session_id)).toEqual([
      ...['all', inStarfall.sessionId, own.sessionId, inMoonrise.sessionId],
    ]);
    const late = readyOf(await alone.connect()).sessions ?? [];
    expect(late[0]).toMatchObject({ session_id: 'all', status: 'dnd' });
    expect(late.map(({ session_id }) => session_id)).not.toContain(inMoonrise.sessionId);
    expect(JSON.stringify(late)).not.toContain('private party');
  });

  it('show each other what they hide by the same rule, and the games of one publisher share it', async () => {
    const first = await (await Player.of(service, 'ada', { game: games.first })).connect();
    const second = await (await Player.of(service, 'ada', { game: games.second })).connect();
    const inMoonrise = await (await Player.of(service, 'ada', { game: games.moonrise })).connect();
    show(first, { name: 'First' }, 'invisible');
    show(inMoonrise, { name: 'Moonrise' });
    await lists(inMoonrise, 'Moonrise');
    const [all] = await ownSessions(second);
    expect(all).toMatchObject({ status: 'invisible', activities: [], hidden_activities: [{ name: 'First' }] });
    expect((await ownSessions(second)).map(({ session_id }) => session_id)).toContain(first.sessionId);
    expect(JSON.stringify(second.frames)).not.toContain('Moonrise');
  });

  it('show the addresses of their buttons to no other game', async () => {
    const elsewhere = await Player.of(service, 'ada', { game: games.moonrise });
    const inMoonrise = await elsewhere.connect();
    show(inMoonrise, { name: 'Moonrise', buttons: [{ label: 'Watch', url: 'https://example.com/watch' }] });
    await lists(inMoonrise, 'Watch');
    const path = `/users/${ada}/sessions/${inMoonrise.sessionId}/activities/${games.moonrise}/metadata`;
    expect(await elsewhere.result('GET', path)).toBe('200');
    expect(await alone.result('GET', path)).toBe('404 10020');
  });
});

describe('settings', () => {
  it('set the status of all sessions, and hide the user from everybody', async () => {
    await befriend();
    const watching = await alone.connect();
    const first = await other.connect();
    show(first, { name: 'Starfall' }, 'idle');
    await sees(watching, grace, { status: 'idle' });
    expect(await other.call('PATCH', settings, { status: 'dnd', other: 1 })).toEqual(
      expect.objectContaining({
        status: 200,
        body: { status: 'dnd', custom_status: null, slayer_sdk_receive_dms_in_game: 0 },
      }),
    );
    await sees(watching, grace, { status: 'dnd' });
    await other.call('PATCH', settings, { status: 'invisible' });
    await sees(watching, grace, { status: 'offline' });
    show(first, { name: 'Starfall' }, 'online');
    const second = await other.connect();
    expect(readyOf(second).sessions?.map(({ status }) => status)).toEqual(['invisible', 'invisible', 'invisible']);
    expect((await presencesOf(watching, grace)).at(-1)?.status).toBe('offline');
    await other.call('PATCH', settings, { status: 'online', custom_status: { text: 'hello' } });
    await sees(watching, grace, { status: 'online', activities: [{ type: 4, state: 'hello' }, { name: 'Starfall' }] });
    await other.call('PATCH', settings, { custom_status: null });
    await sees(watching, grace, { activities: [{ name: 'Starfall' }] });
  });

  it('end a custom status when its time is over, and tell everybody who sees it', async () => {
    await befriend();
    const [watching, playing] = [await alone.connect(), await other.connect()];
    const second = await other.connect();
    const until = (ms: number) => new Date(service.clock.now() + ms).toISOString();
    const ofMerged = async () => (await ownSessions(playing))[0]?.activities.map(({ state }) => state);
    await other.call('PATCH', settings, { custom_status: { text: 'lunch', expires_at: until(60_000) } });
    await sees(watching, grace, { activities: [{ type: 4, state: 'lunch' }] });
    expect(await ofMerged()).toEqual(['lunch']);
    await pass(30_000, watching, playing, second);
    // A later end takes the place of the earlier one.
    await other.call('PATCH', settings, { custom_status: { text: 'lunch', expires_at: until(40_000) } });
    await pass(39_999, watching, playing, second);
    expect((await presencesOf(watching, grace)).at(-1)?.activities).toHaveLength(1);
    await pass(1, watching, playing, second);
    await sees(watching, grace, { status: 'online', activities: [] });
    expect(await ofMerged()).toEqual([]);
    expect(readyOf(await other.connect()).user_settings).toMatchObject({ custom_status: null });
    await other.call('PATCH', settings, { custom_status: { text: 'soon', expires_at: until(1_000) } });
    await other.call('PATCH', settings, { custom_status: { text: 'always' } });
    await pass(1_000, watching, playing, second);
    expect((await presencesOf(watching, grace)).at(-1)).toMatchObject({ activities: [{ state: 'always' }] });
  });

  it('make a custom status that was created when it was set, and not again when it is the same', async () => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    const setAt = service.clock.now();
    await other.call('PATCH', settings, { custom_status: { text: 'hello' } });
    await sees(watching, grace, { activities: [{ type: 4, state: 'hello', created_at: setAt }] });
    const count = (await presencesOf(watching, grace)).length;
    await pass(1_000, watching, shown);
    await other.call('PATCH', settings, { custom_status: { text: 'hello' } });
    expect(await presencesOf(watching, grace)).toHaveLength(count);
    await other.call('PATCH', settings, { custom_status: { text: 'goodbye' } });
    await sees(watching, grace, { activities: [{ state: 'goodbye', created_at: setAt + 1_000 }] });
    expect(readyOf(await other.connect()).user_settings).not.toHaveProperty('custom_status_set_at_ms');
  });

  it('are checked', async () => {
    for (const body of [
      { status: 'offline' },
      { status: null },
      { custom_status: { text: 'x'.repeat(129) } },
      { custom_status: 'x' },
      { custom_status: { expires_at: 'soon' } },
      { slayer_sdk_receive_dms_in_game: 4 },
    ])
      expect(await alone.result('PATCH', settings, body)).toBe('400 50035');
    const reader = await Player.of(service, 'ada', { scope: 'openid activities.read' });
    expect(await reader.result('PATCH', settings, {})).toBe('403 50026');
  });

  it('keep nothing of a custom status but its fields', async () => {
    const end = 'Sun, 1 Jan 2040 00:00:00 GMT (a comment)';
    const custom_status = { text: 'hello', secret: { deep: 1 }, emoji_name: '🔥', expires_at: end };
    const { body } = await other.call('PATCH', settings, { custom_status });
    const kept = { text: 'hello', emoji_name: '🔥', expires_at: '2040-01-01T00:00:00.000000+00:00' };
    expect(body).toHaveProperty('custom_status', kept);
    expect(readyOf(await other.connect()).user_settings).toHaveProperty('custom_status', kept);
    const { body: empty } = await other.call('PATCH', settings, { custom_status: {} });
    expect(empty).toHaveProperty('custom_status', { text: null });
  });

  it('are all changed by the user’s own client, and the switches by no game', async () => {
    await befriend();
    const token = await sessionToken(service, grace);
    const set = async (body: object) => (await callApi(service, 'PATCH', settings, body, own(token))).body;
    const [watching, playing] = [await alone.connect(), await other.connect()];
    const party = { id: 'party', size: [1, 4], privacy: 1 };
    show(playing, { name: 'Starfall', party, secrets: { join: 'secret' } });
    await sees(watching, grace, { activities: [{ flags: 2 | 64 | 128 }] });

    await other.call('PATCH', settings, { show_current_game: false, allow_activity_party_privacy_friends: false });
    expect(await set({ allow_activity_party_privacy_friends: false })).toEqual({
      ...{ status: 'online', custom_status: null, show_current_game: true, slayer_sdk_receive_dms_in_game: 0 },
      ...{ allow_activity_party_privacy_friends: false, allow_activity_party_privacy_voice_channel: true },
      ...{ allow_game_friend_dms_in_discord: true, accept_friend_requests: true },
    });
    await sees(watching, grace, { activities: [{ flags: 2 | 128 }] });
    await set({ show_current_game: false });
    await sees(watching, grace, { status: 'online', activities: [] });
    await set({ show_current_game: true, accept_friend_requests: false });
    await sees(watching, grace, { activities: [{ name: 'Starfall' }] });

    const stranger = await Player.of(service, 'edsger');
    expect(await stranger.result('PUT', `${relationships}/${grace}`)).toBe('400 80000');
    await set({ accept_friend_requests: true });
    expect(await stranger.result('PUT', `${relationships}/${grace}`)).toBe('204');

    expect((await callApi(service, 'PATCH', settings, { show_current_game: null }, own(token))).status).toBe(400);
    expect(await set({ accept_friend_requests: 'no' })).toMatchObject({
      ...{ code: 50035, errors: { accept_friend_requests: { _errors: [{ code: 'BOOLEAN_TYPE_CONVERT' }] } } },
    });
  });

  it('keep game friends’ messages away from a user who is not in the game', async () => {
    await befriend(gameRelationships);
    const token = await sessionToken(service, grace);
    await callApi(service, 'PATCH', settings, { allow_game_friend_dms_in_discord: false }, own(token));
    expect(await alone.result('POST', `/users/${grace}/messages`, { content: 'hello' })).toBe('403 50251');
    await other.connect();
    expect(await alone.result('POST', `/users/${grace}/messages`, { content: 'hello' })).toBe('200');
  });
});

function own(token: string) {
  return { authorization: token, 'content-type': 'application/json' };
}

describe('op 3', () => {
  it('shows five updates within 20 s, and then the newest one', async () => {
    await using service = await startService({ fixtures: socialWorld, clock: 'virtual' });
    alone = await Player.of(service, 'ada');
    other = await Player.of(service, 'grace');
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    for (const name of ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th', '8th']) show(shown, { name });
    await sees(watching, grace, { activities: [{ name: '5th' }] });
    await service.clock.advance(19_000);
    const names = async () =>
      (await presencesOf(watching, grace)).flatMap(({ activities }) => activities.map(({ name }) => name));
    expect(await names()).toEqual(['1st', '2nd', '3rd', '4th', '5th']);
    await service.clock.advance(1_100);
    await sees(watching, grace, { activities: [{ name: '8th' }] });
    expect(await names()).toEqual(['1st', '2nd', '3rd', '4th', '5th', '8th']);
  });

  it('is not lost while it waits for its turn and the service is restarted', async () => {
    const restarting = await RestartingService.start({ fixtures: socialWorld });
    alone = await Player.of(restarting.now, 'ada');
    other = await Player.of(restarting.now, 'grace');
    await befriend();
    const shown = await other.connect();
    for (const name of ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th']) show(shown, { name });
    await shown.until(() => JSON.stringify(seen(shown, 'SESSIONS_REPLACE')).includes('5th'));
    await shown.beat();
    const again = await restarting.restart('clean');
    const watching = await new Player(again, ada, alone.token).connect();
    const back = await GatewayClient.resumed(again.gateway, `Bearer ${other.token}`, shown);
    await back.dispatch('RESUMED');
    await again.clock.advance(20_000);
    await sees(watching, grace, { activities: [{ name: '7th' }] });
    await restarting.close();
  });

  it.each<[string, object]>([
    ['a name of 129 characters', { name: 'x'.repeat(129) }],
    ['a type that does not exist', { name: 'x', type: 6 }],
    ['a state of one character', { name: 'x', state: 'x' }],
    ['details of 129 characters', { name: 'x', details: 'x'.repeat(129) }],
    ['a party id of one character', { name: 'x', party: { id: 'x' } }],
    ['an empty party', { name: 'x', party: { id: 'xx', size: [0, 4] } }],
    ['an image of 301 characters', { name: 'x', assets: { large_image: 'x'.repeat(301) } }],
    ['a join secret of 129 characters', { name: 'x', secrets: { join: 'x'.repeat(129) } }],
    ['three buttons', { name: 'x', buttons: ['a', 'b', 'c'] }],
    ['a label of 33 characters', { name: 'x', buttons: [{ label: 'x'.repeat(33), url: 'https://x.example' }] }],
    ['an unknown platform', { name: 'x', supported_platforms: ['fridge'] }],
  ])('with %s closes the connection with 4001, and nothing is shown', async (_, activity) => {
    await befriend();
    const watching = await alone.connect();
    const shown = await other.connect();
    show(shown, activity);
    expect((await shown.closed).code).toBe(4001);
    expect((await presencesOf(watching, grace)).map(({ status, activities }) => [status, activities])).toEqual([
      ['online', []],
    ]);
  });
});

describe('a session without a connection', () => {
  const activity = { name: 'Starfall', type: 0, application_id: games.starfall, platform: 'ps5' } satisfies Activity;

  it('makes its user visible for 20 minutes, from its last update', async () => {
    await befriend();
    const watching = await alone.connect();
    const { status, body } = await other.call('POST', headless, { activities: [{ ...activity, state: 'Menu' }] });
    const { token, activities } = body as { token: string; activities: Activity[] };
    expect([status, activities]).toMatchObject([200, [{ state: 'Menu', session_id: expect.stringMatching(/^h:/) }]]);
    await sees(watching, grace, { status: 'online', activities: [{ state: 'Menu', platform: 'ps5' }] });
    await pass(15 * 60_000, watching);
    expect(await other.result('POST', headless, { token, activities: [{ ...activity, state: 'Match' }] })).toBe('200');
    await sees(watching, grace, { activities: [{ state: 'Match' }] });
    await pass(19 * 60_000, watching);
    expect((await presencesOf(watching, grace)).at(-1)?.status).toBe('online');
    await pass(61_000, watching);
    await sees(watching, grace, { status: 'offline' });
    expect(await other.result('POST', headless, { token, activities: [activity] })).toBe('404 10020');
  });

  it('ends by its token, and bodies are checked', async () => {
    await befriend();
    const watching = await alone.connect();
    const { body } = await other.call('POST', headless, { activities: [activity] });
    await sees(watching, grace, { status: 'online' });
    const { token } = body as { token: string };
    expect(await alone.result('POST', `${headless}/delete`, { token })).toBe('204');
    expect((await presencesOf(watching, grace)).at(-1)?.status).toBe('online');
    expect(await other.result('POST', `${headless}/delete`, { token })).toBe('204');
    await sees(watching, grace, { status: 'offline' });
    expect(await other.result('POST', `${headless}/delete`, { token })).toBe('204');
    for (const wrong of [
      {},
      { activities: [] },
      { activities: [activity, activity] },
      { activities: [{ ...activity, platform: undefined }] },
      { activities: [{ ...activity, application_id: games.moonrise }] },
      { activities: [{ ...activity, state: 'x' }] },
    ])
      expect(await other.result('POST', headless, wrong)).toBe('400 50035');
    expect(await other.result('POST', `${headless}/delete`, {})).toBe('400 50035');
    expect(await other.result('POST', '/users/@me/activities/subscribe', { subscriptions: [] })).toBe('400 50035');
  });
});
