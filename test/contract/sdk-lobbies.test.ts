import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { limits } from '../../src/model/limits/limits.ts';
import type { OperationOptions, WaitSnapshot } from '../../src/sdk/call-options.ts';
import { Client } from '../../src/sdk/client.ts';
import type { ClientOptions } from '../../src/sdk/client-options.ts';
import type { LobbyMessages } from '../../src/sdk/lobby/snapshot.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { loadSystemSocket } from '../../src/wire/gateway/socket.ts';
import { browserOf, gone, lobbyOf, seen } from '../support/browser/player.ts';
import { Network } from '../support/gateway/network.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace, edsger] = starfall.users;
const [guild] = starfall.guilds;
const [channel] = guild.channels;

let service: Service;
let clients: Client[];

beforeEach(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
  clients = [];
});

afterEach(async () => {
  await Promise.all(clients.map(client => client.close()));
  await service.close();
});

async function clientOf(user: { readonly id: string }, options: Partial<ClientOptions> = {}): Promise<Client> {
  const client = new Client({
    applicationId: application.id,
    baseUrl: service.webBase,
    openBrowser: browserOf(service, user.id),
    ...options,
  });
  clients.push(client);
  client.updateToken(await playerToken(service, user.id));
  return client;
}

async function connected(user: { readonly id: string }, options?: Partial<ClientOptions>): Promise<Client> {
  const client = await clientOf(user, options);
  await client.connect();
  return client;
}

async function serverLobby(body: unknown): Promise<string> {
  const answer = await callApi(service, 'POST', '/lobbies', body);
  return (answer.body as { id: string }).id;
}

function heard(client: Client, id: string, fits: (messages: LobbyMessages) => boolean): Promise<LobbyMessages> {
  return firstValueFrom(client.lobbyMessages$(id).pipe(filter(fits)));
}

const contentOf = (messages: LobbyMessages) => messages.map(({ content }) => content);

describe('a lobby that players share by a secret', () => {
  it('is created by the first and joined by the second; both see it live', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const { id } = await hers.lobbies.join('raid', {
      lobbyMetadata: { map: 'harbour' },
      memberMetadata: { team: 'red' },
      idleTimeoutSeconds: limits.lobbyIdleTimeoutSecondsMax,
    });
    expect((await theirs.lobbies.join('raid', { memberMetadata: { team: 'blue' } })).id).toBe(id);
    for (const client of [hers, theirs]) {
      const lobby = await seen(client, id, ({ members }) => members.length === 2);
      expect(lobby).toMatchObject({
        metadata: { map: 'harbour' },
        members: [
          { id: ada.id, metadata: { team: 'red' }, connected: true, canLinkLobby: false, user: { displayName: 'Ada' } },
          { id: grace.id, metadata: { team: 'blue' }, connected: true, user: { displayName: 'Grace' } },
        ],
      });
      expect(isDeeplyFrozen(lobby)).toBe(true);
    }
  });

  it('keeps metadata that a later call does not mention, and replaces what it does', async () => {
    const client = await connected(ada);
    const { id } = await client.lobbies.join('raid', {
      lobbyMetadata: { map: 'harbour' },
      memberMetadata: { a: 'b' },
    });
    await client.lobbies.join('raid');
    expect(await seen(client, id)).toMatchObject({ metadata: { map: 'harbour' }, members: [{ metadata: { a: 'b' } }] });
    await client.lobbies.join('raid', { memberMetadata: { c: 'd' } });
    await seen(client, id, ({ members }) => members[0]?.metadata.c === 'd');
    expect(client.member(id, ada.id)?.metadata).toEqual({ c: 'd' });
  });

  it('is left, and found again by the secret', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const { id } = await hers.lobbies.join('raid');
    await theirs.lobbies.join('raid');
    const lobby = lobbyOf(theirs, id);
    await lobby.leave();
    expect([theirs.lobby(id), lobby.isJoined, theirs.lobbies.get(id)]).toEqual([undefined, false, undefined]);
    await seen(hers, id, ({ members }) => members.length === 1);
    await lobby.leave();
    expect((await theirs.lobbies.join('raid')).id).toBe(id);
  });

  it('cannot be left when a game server made it, or when it has ended', async () => {
    const client = await connected(ada);
    const id = await serverLobby({ members: [{ id: ada.id }] });
    await seen(client, id);
    const lobby = lobbyOf(client, id);
    await expect(lobby.leave()).rejects.toMatchObject({ name: 'ApiError', code: 'missing_access' });
    await callApi(service, 'DELETE', `/lobbies/${id}`);
    await gone(client, id);
    await expect(lobby.leave()).rejects.toMatchObject({ code: 'unknown_lobby' });
  });
});

describe('messages', () => {
  it('arrive at all members, with their metadata', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const { id } = await hers.lobbies.join('raid');
    await theirs.lobbies.join('raid');
    const sent = await lobbyOf(hers, id).send('To the harbour!', { metadata: { emote: 'wave' } });
    const [message] = await heard(theirs, id, messages => messages.length === 1);
    expect(message).toMatchObject({
      id: sent.id,
      lobbyId: id,
      content: 'To the harbour!',
      metadata: { emote: 'wave' },
      moderationMetadata: {},
      author: { id: ada.id, username: 'ada', globalName: 'Ada', displayName: 'Ada' },
      applicationId: application.id,
      editedAtMs: undefined,
    });
    expect(Math.abs((message?.sentAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(isDeeplyFrozen(message)).toBe(true);
    expect(await heard(hers, id, messages => messages.length === 1)).toEqual([message]);
  });

  it('to one lobby arrive in the order of the calls', async () => {
    const client = await connected(ada);
    const { id } = await client.lobbies.join('raid');
    const texts = Array.from({ length: 20 }, (_, i) => `line ${i}`);
    await Promise.all(texts.map(text => lobbyOf(client, id).send(text)));
    expect(contentOf(await heard(client, id, messages => messages.length === 20))).toEqual(texts);
    const other = await connected(grace);
    expect((await other.lobbies.join('raid')).messages.map(({ content }) => content)).toEqual(texts);
  });

  it('are kept up to 25, or up to 200 once there is a handle, which loads older ones', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const id = await serverLobby({ members: [{ id: ada.id }, { id: grace.id }] });
    await Promise.all([seen(hers, id), seen(theirs, id)]);
    const lobby = lobbyOf(hers, id);
    for (let i = 0; i < 60; i++) await lobby.send(`line ${i}`);
    const kept = await heard(theirs, id, messages => messages.at(-1)?.content === 'line 59');
    expect([kept.length, kept[0]?.content]).toEqual([25, 'line 35']);
    expect(await heard(hers, id, messages => messages.at(-1)?.content === 'line 59')).toHaveLength(60);

    const theirLobby = lobbyOf(theirs, id);
    expect([await theirLobby.loadOlder(), theirLobby.messages.length, theirLobby.hasOlder]).toEqual([true, 50, true]);
    expect([await theirLobby.loadOlder(), theirLobby.messages.length, theirLobby.hasOlder]).toEqual([false, 60, false]);
    // The keys are those of its own client.
    expect(theirLobby.messages).toEqual(lobby.messages.map(message => ({ ...message, key: message.id })));
    expect(theirs.lobbyMessages(id)).toBe(theirLobby.messages);
  });

  it('change when the game server moderates them', async () => {
    const client = await connected(ada);
    const { id } = await client.lobbies.join('raid');
    const { id: messageId } = await lobbyOf(client, id).send('hm', { metadata: { a: 'b' } });
    await callApi(service, 'PUT', `/lobbies/${id}/messages/${messageId}/moderation-metadata`, { verdict: 'fine' });
    const [message] = await heard(client, id, ([first]) => first?.moderationMetadata.verdict === 'fine');
    expect(message).toMatchObject({ content: 'hm', metadata: { a: 'b' } });
  });

  it('are rejected when the player is not in the lobby', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    await hers.lobbies.join('raid');
    const lobby = await theirs.lobbies.join('raid');
    await lobby.leave();
    const refused = { name: 'ApiError', code: 'not_a_lobby_member' };
    await expect(lobby.send('hello')).rejects.toMatchObject(refused);
    await expect(lobby.loadOlder()).rejects.toMatchObject(refused);
  });

  it.each([
    ['resumed', 1006],
    ['not resumed', closeCodes.SESSION_TIMED_OUT.code],
  ])(
    'sent while a connection was lost that is %s are there after it, once each, and none before an earlier one',
    async (_, code) => {
      const network = new Network(await loadSystemSocket());
      const [hers, theirs] = await Promise.all([connected(ada), connected(grace, { socket: network.socket })]);
      const { id } = await hers.lobbies.join('raid');
      await theirs.lobbies.join('raid');
      await lobbyOf(hers, id).send('before');
      await heard(theirs, id, messages => messages.length === 1);
      const shown: string[] = [];
      theirs.lobbyMessages$(id).subscribe(messages => shown.push(contentOf(messages).join()));

      network.cut(code);
      for (const text of ['between', 'still between']) await lobbyOf(hers, id).send(text);
      theirs.checkConnection();
      await firstValueFrom(theirs.status$.pipe(filter(({ status }) => status === 'ready')));
      await lobbyOf(hers, id).send('after');
      const all = ['before', 'between', 'still between', 'after'];
      expect(contentOf(await heard(theirs, id, messages => messages.at(-1)?.content === 'after'))).toEqual(all);
      for (const text of shown) expect(all.join()).toContain(text);
      expect(network.openMax).toBe(1);
    },
  );
});

describe('linking a channel', () => {
  it('is found by guild and channel, linked, invited to and unlinked', async () => {
    const [hers, stranger] = await Promise.all([connected(ada), connected(edsger)]);
    const id = await serverLobby({ members: [{ id: ada.id, flags: 1 }, { id: edsger.id }] });
    await seen(hers, id);
    expect(await hers.getUserGuilds()).toEqual([{ id: guild.id, name: guild.name }]);
    expect(await hers.getGuildChannels(guild.id)).toMatchObject([
      { id: channel.id, name: 'general', type: 0, isLinkable: true, linkedLobby: undefined },
    ]);
    await lobbyOf(hers, id).linkChannel(channel.id);
    const linked = await seen(hers, id, ({ linkedChannel }) => linkedChannel !== undefined);
    expect(linked.linkedChannel).toEqual({ id: channel.id, name: 'general', guildId: guild.id });
    expect(await hers.getGuildChannels(guild.id)).toMatchObject([
      { isLinkable: false, linkedLobby: { applicationId: application.id, lobbyId: id } },
    ]);

    const { code, url } = await lobbyOf(stranger, id).createInvite();
    expect(url).toBe(`${service.webBase}/invite/${code}`);
    await expect(lobbyOf(hers, id).createInvite()).rejects.toMatchObject({ code: 'already_in_guild' });

    await lobbyOf(hers, id).unlinkChannel();
    await seen(hers, id, ({ linkedChannel }) => linkedChannel === undefined);
    await expect(lobbyOf(stranger, id).createInvite()).rejects.toMatchObject({ code: 'lobby_not_linked' });
  });

  it('shows the page of an invite', async () => {
    const pages: string[] = [];
    const hers = await connected(ada);
    const theirs = await connected(edsger, { openBrowser: url => void pages.push(url) });
    const id = await serverLobby({ members: [{ id: ada.id, flags: 1 }, { id: edsger.id }] });
    await seen(hers, id);
    await lobbyOf(hers, id).linkChannel(channel.id);
    expect(pages).toEqual([await lobbyOf(theirs, id).joinLinkedGuild()]);
  });

  it('names the page of an invite when it cannot be shown, with a code and what the game’s own function threw', async () => {
    const hers = await connected(ada);
    const id = await serverLobby({ members: [{ id: ada.id, flags: 1 }, { id: edsger.id }] });
    await seen(hers, id);
    await lobbyOf(hers, id).linkChannel(channel.id);
    const cause = new TypeError('no window is open');
    const pages: string[] = [];
    for (const fail of [
      () => {
        throw cause;
      },
      () => Promise.reject(cause),
    ]) {
      const openBrowser = (url: string) => {
        pages.push(url);
        return fail();
      };
      const theirs = await connected(edsger, { openBrowser });
      const error = await lobbyOf(theirs, id)
        .joinLinkedGuild()
        .catch(caught => caught);
      expect(error).toMatchObject({ name: 'TransportError', code: 'browser_unavailable', cause });
      expect(error.message).toBe(`openBrowser could not show the page at ${pages.at(-1)}. See cause for its error.`);
    }
  });

  it('gives the address of an invite when its deadline passes while the browser is still being opened', async () => {
    const hers = await connected(ada);
    const id = await serverLobby({ members: [{ id: ada.id, flags: 1 }, { id: edsger.id }] });
    await seen(hers, id);
    await lobbyOf(hers, id).linkChannel(channel.id);
    const theirs = await connected(edsger, { openBrowser: () => new Promise(() => {}) });
    let address = 'deadline_exceeded';
    // A busy machine needs longer than that for the invite.
    for (let deadlineMs = 300; deadlineMs < 20_000 && address === 'deadline_exceeded'; deadlineMs *= 3) {
      const joining = lobbyOf(theirs, id).joinLinkedGuild({ deadlineMs });
      address = await joining.catch(error => error.code);
    }
    expect(address).toMatch(/^http/);
    const stop = new AbortController();
    const joining = lobbyOf(theirs, id).joinLinkedGuild({ signal: stop.signal });
    stop.abort();
    await expect(joining).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is rejected without the flag', async () => {
    const client = await connected(ada);
    const id = await serverLobby({ members: [{ id: ada.id }] });
    await seen(client, id);
    const refused = { code: 'lobby_link_refused' };
    await expect(lobbyOf(client, id).linkChannel(channel.id)).rejects.toMatchObject(refused);
    await expect(lobbyOf(client, id).unlinkChannel()).rejects.toMatchObject(refused);
  });
});

describe('operations', () => {
  it('say what is wrong with their arguments before anything is sent', async () => {
    const client = await connected(ada);
    const log = async () =>
      (
        (await (
          await fetch(`${service.controlBase}/log?after=0`, {
            headers: { authorization: `Bearer ${service.controlToken}` },
          })
        ).json()) as { entries: unknown[] }
      ).entries.length;
    const lobby = await client.lobbies.join('raid');
    const before = await log();
    const wrong: [Promise<unknown>, object][] = [
      [client.lobbies.join(''), { name: 'ValidationError', issues: [{ path: ['secret'] }] }],
      [client.lobbies.join('x'.repeat(limits.lobbySecretLengthMax + 1)), { issues: [{ path: ['secret'] }] }],
      [
        client.lobbies.join('s', { memberMetadata: { a: 'x'.repeat(1000) }, idleTimeoutSeconds: 4 }),
        { issues: [{ path: ['idle_timeout_seconds'] }, { path: ['member_metadata'] }] },
      ],
      [lobby.send('  '), { name: 'ArgumentError', code: 'empty_message' }],
      [lobby.send('x'.repeat(2001)), { issues: [{ path: ['content'] }] }],
      [lobby.loadOlder(0), { code: 'invalid_limit' }],
      [lobby.loadOlder(Number.NaN), { code: 'invalid_limit' }],
      [lobby.linkChannel('x'), { code: 'invalid_snowflake' }],
      [client.getGuildChannels('x'), { code: 'invalid_snowflake' }],
    ];
    for (const [call, error] of wrong) await expect(call).rejects.toMatchObject(error);
    expect(await log()).toBe(before);
  });

  it('fail immediately while the client is not ready, and wait for it on request', async () => {
    const client = await clientOf(ada);
    await expect(client.lobbies.join('raid')).rejects.toMatchObject({
      name: 'TransportError',
      code: 'client_not_ready',
    });
    const states: (readonly WaitSnapshot[])[] = [];
    client.waits$.subscribe(waits => states.push(waits));
    const waits: (WaitSnapshot | undefined)[] = [];
    const joining = client.lobbies.join('raid', { whenOffline: 'queue', onWait: wait => waits.push(wait) });
    expect(client.waits).toMatchObject([{ operation: 'join', reason: 'offline' }]);
    await client.connect();
    expect((await joining).snapshot).toMatchObject({ members: [{ id: ada.id }] });
    expect(waits).toMatchObject([{ operation: 'join', reason: 'offline', untilMs: undefined }, undefined]);
    expect(states.map(({ length }) => length)).toEqual([0, 1, 0]);
    expect(isDeeplyFrozen(states)).toBe(false);
    expect(states.every(isDeeplyFrozen)).toBe(true);
  });

  it('end by their deadline or their signal, however they wait', async () => {
    const client = await clientOf(ada, { whenOffline: 'queue' });
    const join = (options?: OperationOptions) => client.lobbies.join('raid', options);
    await expect(join({ deadlineMs: 20 })).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const abort = new AbortController();
    const call = join({ signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await expect(join({ signal: abort.signal })).rejects.toMatchObject({ code: 'aborted' });
    const left = join();
    await client.close();
    await expect(left).rejects.toMatchObject({ code: 'aborted' });
    await expect(join()).rejects.toMatchObject({ code: 'closed' });
    expect(client.waits).toEqual([]);
  });

  it('show that they wait for a limit, and until when', async () => {
    await service.close();
    const buckets = { 'lobby-join': { requests: 1, windowMs: 1000 } };
    service = await startService({ fixtures: starfall, limits: { ...limitProfiles.off, buckets } });
    const client = await connected(ada);
    await client.lobbies.join('one');
    const waits: (WaitSnapshot | undefined)[] = [];
    await client.lobbies.join('two', { onWait: wait => waits.push(wait) });
    expect(waits).toMatchObject([{ operation: 'join', reason: 'rate_limit' }, undefined]);
    expect((waits[0]?.untilMs ?? 0) - (waits[0]?.sinceMs ?? 0)).toBeLessThanOrEqual(1000);
    await expect(client.lobbies.join('three', { deadlineMs: 50 })).rejects.toMatchObject({
      name: 'RateLimitError',
      code: 'rate_limited',
    });
  });

  it('need a token whose player granted the scope for lobbies', async () => {
    const client = await clientOf(ada);
    client.updateToken(await playerToken(service, ada.id, 'identify gateway.connect'));
    await client.connect();
    await expect(client.lobbies.join('raid')).rejects.toMatchObject({ code: 'missing_scope' });
  });
});
