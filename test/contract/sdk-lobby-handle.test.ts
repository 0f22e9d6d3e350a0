import { filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeCodes } from '../../src/model/gateway.ts';
import type { StandardSchema } from '../../src/model/metadata-schema.ts';
import { Client } from '../../src/sdk/client.ts';
import type { ClientOptions } from '../../src/sdk/client-options.ts';
import type { LobbyHandle } from '../../src/sdk/lobby/lobby-handle.ts';
import type { ClientNewsEvent } from '../../src/sdk/lobby/lobby-news.ts';
import type { LobbyMessageEntry } from '../../src/sdk/lobby/snapshot.ts';
import { type Service, startService } from '../../src/service/service.ts';
import type { Fetch } from '../../src/wire/clock/ports.ts';
import { loadSystemSocket } from '../../src/wire/gateway/socket.ts';
import { gone, lobbyOf, seen } from '../support/browser/player.ts';
import { Network } from '../support/gateway/network.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace] = starfall.users;
const isHistory = (method: string, url: string) => method === 'GET' && url.includes('/messages');
const isSend = (method: string, url: string) => method === 'POST' && url.includes('/messages');
const isJoin = (method: string, url: string) => method === 'PUT' && url.endsWith('/lobbies');

/** Requests of a game, some of which a test stops before they leave or after they were answered. */
class Requests {
  before: ((method: string, url: string) => Promise<void> | undefined) | undefined;
  after: ((method: string, url: string) => Promise<void> | undefined) | undefined;
  readonly fetch: Fetch = async (url, init) => {
    const aborted = new Promise<void>(resolve =>
      init.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.before?.(init.method ?? 'GET', url), aborted]);
    const answer = await fetch(url, init);
    await this.after?.(init.method ?? 'GET', url);
    return answer;
  };
}

interface Game<Lobby = Readonly<Record<string, string>>> {
  readonly client: Client<Lobby>;
  readonly network: Network;
  readonly requests: Requests;
}

let service: Service;
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  closing = [];
  service = await startService({ fixtures: starfall, limits: 'off' });
});

afterEach(async () => {
  await Promise.all(closing.map(close => close()));
  await service.close();
});

async function game<Lobby = Readonly<Record<string, string>>>(
  { id }: { readonly id: string },
  options: Partial<ClientOptions<Lobby>> = {},
): Promise<Game<Lobby>> {
  const network = new Network(await loadSystemSocket());
  const requests = new Requests();
  const client = new Client<Lobby>({
    applicationId: application.id,
    baseUrl: service.webBase,
    socket: network.socket,
    fetch: requests.fetch,
    ...options,
  });
  closing.push(() => client.close());
  client.updateToken(await playerToken(service, id));
  await client.connect();
  return { client, network, requests };
}

async function serverLobby(body: unknown): Promise<string> {
  return ((await callApi(service, 'POST', '/lobbies', body)).body as { id: string }).id;
}

async function membersAtService(id: string): Promise<string[]> {
  const { body } = await callApi(service, 'GET', `/lobbies/${id}`);
  return (body as { members: { id: string }[] }).members.map(member => member.id);
}

const contents = (lobby: LobbyHandle) => lobby.messages.map(({ content }) => content);
const views = (lobby: LobbyHandle) => lobby.messages.map(({ content, status }) => `${content}: ${status}`);

function until(lobby: LobbyHandle, fits: (messages: readonly LobbyMessageEntry[]) => boolean) {
  return firstValueFrom(lobby.messages$.pipe(filter(fits)));
}

describe('lobbies.join()', () => {
  it('resolves with the state, the members and the newest 25 messages', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const hersIn = await hers.client.lobbies.join('raid', { lobbyMetadata: { map: 'reef' } });
    for (let i = 0; i < 27; i++) await hersIn.send(`line ${i}`);
    const lobby = await theirs.client.lobbies.join('raid');
    expect(lobby.snapshot).toMatchObject({ id: hersIn.id, metadata: { map: 'reef' } });
    expect(lobby.members.map(({ displayName }) => displayName).sort()).toEqual(['Ada', 'Grace']);
    expect([lobby.messages.length, contents(lobby)[0], lobby.hasOlder]).toEqual([25, 'line 2', true]);
    expect([lobby.isJoined, lobby.unreadCount]).toEqual([true, 0]);
    expect([theirs.client.lobbies.size, [...theirs.client.lobbies]]).toEqual([1, theirs.client.lobbies.snapshot]);
    expect(theirs.client.lobbies.get(lobby.id)).toBe(lobby);
    expect(await theirs.client.lobbies.join('raid')).toBe(lobby);
  });

  it('leaves again and says why when the gateway does not deliver the lobby in time', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const { id } = await hers.client.lobbies.join('raid');
    theirs.network.setFrozen(true);
    let failed: Error | undefined;
    // A busy machine needs longer than that for the request alone, which has another message.
    for (let deadlineMs = 300; deadlineMs < 20_000 && !failed?.message.includes(`lobby ${id}`); deadlineMs *= 3) {
      failed = await theirs.client.lobbies.join('raid', { deadlineMs }).catch(error => error);
      expect(failed).toMatchObject({ name: 'TransportError', code: 'deadline_exceeded' });
    }
    expect(failed?.message).toContain(`lobby ${id}`);
    theirs.network.setFrozen(false);
    await seen(hers.client, id, ({ members }) => members.length === 1);
    expect(await membersAtService(id)).toEqual([ada.id]);
    expect((await theirs.client.lobbies.join('raid')).members).toHaveLength(2);
  });

  it('leaves again when it is aborted after the service has accepted the player', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const { id } = await hers.client.lobbies.join('raid');
    const abort = new AbortController();
    theirs.requests.before = (...request) => {
      if (isHistory(...request)) abort.abort();
      return undefined;
    };
    await expect(theirs.client.lobbies.join('raid', { signal: abort.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    await gone(theirs.client, id);
    await seen(hers.client, id, ({ members }) => members.length === 1);
  });

  it('keeps a member in the lobby when it fails', async () => {
    const { client, requests } = await game(ada);
    const { id } = await client.lobbies.join('raid');
    const abort = new AbortController();
    requests.before = (...request) => {
      if (isHistory(...request)) abort.abort();
      return undefined;
    };
    const again = client.lobbies.join('raid', { signal: abort.signal });
    await expect(again).rejects.toMatchObject({ code: 'aborted' });
    requests.before = undefined;
    expect((await client.lobbies.join('raid')).id).toBe(id);
    await lobbyOf(client, id).send('still here');
    await until(lobbyOf(client, id), messages => messages.at(-1)?.status === 'sent');
  });

  it.each([
    ['the player leaves', async (client: Client, id: string) => lobbyOf(client, id).leave()],
    ['the lobby is deleted', async (_: Client, id: string) => callApi(service, 'DELETE', `/lobbies/${id}`)],
    [
      'the player is removed',
      async (_: Client, id: string) => callApi(service, 'DELETE', `/lobbies/${id}/members/${ada.id}`),
    ],
  ])('rejects with lobby_ended when %s meanwhile', async (_, end) => {
    const { client, requests } = await game(ada);
    requests.before = (...request) => {
      if (!isHistory(...request)) return undefined;
      return firstValueFrom(client.lobbies$.pipe(filter(({ length }) => length === 1))).then(async ([lobby]) => {
        await end(client, lobby?.id ?? '');
        await gone(client, lobby?.id ?? '');
      });
    };
    await expect(client.lobbies.join('raid')).rejects.toMatchObject({ name: 'TransportError', code: 'lobby_ended' });
    expect(client.lobbies.size).toBe(0);
    requests.before = undefined;
    expect((await client.lobbies.join('raid')).members).toHaveLength(1);
  });

  it('rejects with lobby_ended when the lobby came and went before the service had answered', async () => {
    const { client, requests } = await game(ada);
    requests.after = (...request) => {
      if (!isJoin(...request)) return undefined;
      return firstValueFrom(client.lobbies$.pipe(filter(({ length }) => length === 1))).then(async ([lobby]) => {
        await callApi(service, 'DELETE', `/lobbies/${lobby?.id}`);
        await gone(client, lobby?.id ?? '');
      });
    };
    await expect(client.lobbies.join('raid')).rejects.toMatchObject({ code: 'lobby_ended' });
  });

  it.each([
    ['before the service answered', isJoin],
    ['while the history is loaded', isHistory],
  ])('ends at once when the client is disconnected %s, and can be repeated', async (_, isStopped) => {
    const { client, requests } = await game(ada);
    const reached = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    requests.before = (method, url) => {
      if (!isStopped(method, url)) return undefined;
      reached.resolve();
      return going.promise;
    };
    const ended = expect(client.lobbies.join('raid')).rejects.toMatchObject({
      name: 'TransportError',
      code: 'client_not_ready',
      message: 'The client was disconnected before the player was in the lobby. Connect, then call join() again.',
    });
    await reached.promise;
    await client.disconnect();
    await ended;
    requests.before = undefined;
    going.resolve();
    await client.connect();
    expect((await client.lobbies.join('raid')).members).toHaveLength(1);
  });

  it('ends at once when the client is disconnected before the gateway delivered the lobby', async () => {
    const { client, network, requests } = await game(ada);
    network.setFrozen(true);
    const answered = Promise.withResolvers<void>();
    requests.after = async (...request) => {
      if (isJoin(...request)) answered.resolve();
    };
    const ended = expect(client.lobbies.join('raid')).rejects.toMatchObject({ code: 'client_not_ready' });
    await answered.promise;
    const disconnected = client.disconnect();
    await ended;
    network.setFrozen(false);
    await disconnected;
    await client.connect();
    const lobby = await client.lobbies.join('raid');
    expect(await membersAtService(lobby.id)).toEqual([ada.id]);
  });

  it('is aborted when the client is closed before the gateway delivered the lobby', async () => {
    const { client, network, requests } = await game(ada);
    network.setFrozen(true);
    const answered = Promise.withResolvers<void>();
    requests.after = async (...request) => {
      if (isJoin(...request)) answered.resolve();
    };
    const ended = expect(client.lobbies.join('raid')).rejects.toMatchObject({ code: 'aborted' });
    await answered.promise;
    const closed = client.close();
    await ended;
    network.setFrozen(false);
    await closed;
  });

  it('runs joins of one secret one after another: undoing one does not end the next', async () => {
    const { client, network } = await game(ada);
    network.setFrozen(true);
    const first = client.lobbies.join('raid', { deadlineMs: 200 });
    const second = client.lobbies.join('raid');
    await expect(first).rejects.toMatchObject({ code: 'deadline_exceeded' });
    network.setFrozen(false);
    const lobby = await second;
    await lobby.send('here');
    expect(await membersAtService(lobby.id)).toEqual([ada.id]);
    expect(lobby.isJoined).toBe(true);
  });

  it('continues through a lost connection', async () => {
    const { client, network, requests } = await game(ada);
    requests.after = (...request) => {
      if (isJoin(...request)) network.cut(closeCodes.SESSION_TIMED_OUT.code);
      return undefined;
    };
    const joining = client.lobbies.join('raid');
    await firstValueFrom(client.status$.pipe(filter(({ status }) => status === 'reconnecting')));
    client.checkConnection();
    expect((await joining).members).toHaveLength(1);
  });
});

describe('messages of a handle', () => {
  it('show what is being sent, and then the message in its place: never both', async () => {
    const { client } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    const shown: string[][] = [];
    lobby.messages$.subscribe(() => shown.push(views(lobby)));
    const sending = [lobby.send('one'), lobby.send('one'), lobby.send('two', { metadata: { emote: 'wave' } })];
    const firstKeys = lobby.messages.map(({ key }) => key);
    await Promise.all(sending);
    await until(lobby, messages => messages.length === 3 && messages.every(({ status }) => status === 'sent'));
    expect(shown[1]).toEqual(['one: pending']);
    for (const list of shown.slice(3)) expect(list.map(text => text.split(':')[0])).toEqual(['one', 'one', 'two']);
    const waved = lobby.messages.find(({ content }) => content === 'two');
    expect(waved).toMatchObject({ author: { displayName: 'Ada' }, metadata: { emote: 'wave' } });
    expect(isDeeplyFrozen(lobby.messages)).toBe(true);
    // Sent is what was answered; the event may come later.
    await firstValueFrom(client.lobbyMessages$(lobby.id).pipe(filter(messages => messages.length === 3)));
    const withIds = lobby.messages.map(message => ({ ...message, key: message.id }));
    expect(withIds).toEqual(client.lobbyMessages(lobby.id));
    expect(lobby.messages.map(({ key }) => key)).toEqual(firstKeys);
  });

  it('show a message that could not be sent, with its error, until it is sent again or discarded', async () => {
    const { client, network } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    network.setDown(true);
    await firstValueFrom(client.status$.pipe(filter(({ status }) => status !== 'ready')));
    await expect(lobby.send('lost')).rejects.toMatchObject({ code: 'client_not_ready' });
    await expect(lobby.send('also lost')).rejects.toMatchObject({ code: 'client_not_ready' });
    expect(views(lobby)).toEqual(['lost: failed', 'also lost: failed']);
    const [first, second] = lobby.messages;
    expect(first?.status === 'failed' && first.error).toMatchObject({ code: 'client_not_ready' });
    network.setDown(false);
    client.checkConnection();
    await firstValueFrom(client.status$.pipe(filter(({ status }) => status === 'ready')));
    expect([lobby.discard(second?.id ?? ''), lobby.discard(second?.id ?? '')]).toEqual([true, false]);
    expect(await lobby.resend(first?.id ?? '')).toMatchObject({ content: 'lost' });
    expect(await lobby.resend(first?.id ?? '')).toBeUndefined();
    await until(lobby, messages => messages.length === 1 && messages[0]?.status === 'sent');
    expect(views(lobby)).toEqual(['lost: sent']);
  });

  it('replace a message that seemed to be lost by the message when it arrives after all', async () => {
    const { client, requests } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    requests.after = (...request) => (isSend(...request) ? Promise.reject(new Error('the cable was cut')) : undefined);
    await expect(lobby.send('hello')).rejects.toMatchObject({ code: 'connection_lost' });
    await until(lobby, messages => messages.length === 1 && messages[0]?.status === 'sent');
    requests.after = undefined;
    await lobby.send('hello');
    await until(lobby, messages => messages.length === 2 && messages.every(({ status }) => status === 'sent'));
  });

  it('keep a message of this player that another device sent meanwhile', async () => {
    const [here, there] = await Promise.all([game(ada), game(ada)]);
    const [lobby, other] = [await here.client.lobbies.join('raid'), await there.client.lobbies.join('raid')];
    here.requests.before = (...request) => (isSend(...request) ? other.send('hello').then(() => {}) : undefined);
    await lobby.send('hello');
    await until(lobby, messages => messages.length === 2 && messages.every(({ status }) => status === 'sent'));
    expect(contents(lobby)).toEqual(['hello', 'hello']);
  });

  it.each([
    ['resumed', 1006],
    ['begun anew', closeCodes.SESSION_TIMED_OUT.code],
  ])('have no gap and no duplicate after a session that was %s, also of more than 25 messages', async (_, code) => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const hersIn = await hers.client.lobbies.join('raid');
    for (let i = 0; i < 5; i++) await hersIn.send(`line ${i}`);
    const lobby = await theirs.client.lobbies.join('raid');
    await lobby.send('line 5');
    theirs.network.cut(code);
    for (let i = 6; i < 40; i++) await hersIn.send(`line ${i}`);
    theirs.client.checkConnection();
    await until(lobby, messages => messages.at(-1)?.content === 'line 39');
    expect(contents(lobby)).toEqual(Array.from({ length: 40 }, (_, i) => `line ${i}`));
    expect(lobby.unreadCount).toBe(34);
  });
});

describe('unread messages', () => {
  it('are those of others since they were marked as read', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const hersIn = await hers.client.lobbies.join('raid');
    await hersIn.send('before');
    const lobby = await theirs.client.lobbies.join('raid');
    const counts: number[] = [];
    lobby.unreadCount$.subscribe(count => counts.push(count));
    await lobby.send('mine');
    await hersIn.send('one');
    await hersIn.send('two');
    await until(lobby, messages => messages.at(-1)?.content === 'two');
    lobby.markRead();
    await hersIn.send('three');
    await until(lobby, messages => messages.at(-1)?.content === 'three');
    expect(counts).toEqual([0, 1, 2, 0, 1]);
    expect((await theirs.client.lobbies.join('raid')).unreadCount).toBe(1);
    expect(counts).toEqual([0, 1, 2, 0, 1]);
  });

  it('of a lobby without a join are counted from when the client knows it, and older ones are not', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const id = await serverLobby({ members: [{ id: ada.id }] });
    await seen(hers.client, id);
    await lobbyOf(hers.client, id).send('before');
    await callApi(service, 'PUT', `/lobbies/${id}/members/${grace.id}`, {});
    await seen(theirs.client, id);
    await lobbyOf(hers.client, id).send('after');
    await firstValueFrom(theirs.client.lobbyMessages$(id).pipe(filter(({ length }) => length === 1)));
    const lobby = lobbyOf(theirs.client, id);
    expect(lobby.unreadCount).toBe(1);
    await lobby.loadOlder();
    expect([lobby.unreadCount, contents(lobby)]).toEqual([1, ['before', 'after']]);
  });
});

describe('lobbies.arrival()', () => {
  const put = (id: string, user: { readonly id: string }) =>
    callApi(service, 'PUT', `/lobbies/${id}/members/${user.id}`, {});

  it('lobbies.arrival() resolves with the handle when the game server puts the player into the lobby', async () => {
    const { client } = await game(ada);
    const id = await serverLobby({ metadata: { map: 'reef' }, members: [{ id: grace.id }] });
    const arrival = client.lobbies.arrival(id);
    expect(client.lobbies.has(id)).toBe(false);
    await put(id, ada);
    const lobby = await arrival;
    expect(lobby).toBe(client.lobbies.get(id));
    expect(lobby.members.map(member => member.id)).toEqual([ada.id, grace.id]);
    expect(lobby.metadata).toEqual({ map: 'reef' });
    await lobby.send('here');
  });

  it('lobbies.arrival() resolves immediately for a lobby that the player is in, even with a deadline that is about to pass', async () => {
    const { client } = await game(ada);
    const { id } = await client.lobbies.join('raid');
    expect((await client.lobbies.arrival(id, { deadlineMs: 1_000 })).id).toBe(id);
  });

  it('lobbies.arrival() rejects at its deadline, and names the lobby and what the game server has to do', async () => {
    const { client } = await game(ada);
    const id = await serverLobby({});
    await expect(client.lobbies.arrival(id, { deadlineMs: 20 })).rejects.toMatchObject({
      name: 'TransportError',
      code: 'deadline_exceeded',
      message: `The game's server has not put the player into lobby ${id} in time: it does so by backend.lobbies.putMember().`,
    });
  });

  it('lobbies.arrival() is aborted by its signal', async () => {
    const { client } = await game(ada);
    const giveUp = new AbortController();
    const arrival = client.lobbies.arrival('5', { signal: giveUp.signal });
    giveUp.abort();
    await expect(arrival).rejects.toMatchObject({ code: 'aborted' });
  });

  it('lobbies.arrival() waits through a lost connection', async () => {
    const { client, network } = await game(ada);
    const id = await serverLobby({});
    const arrival = client.lobbies.arrival(id);
    network.cut();
    await put(id, ada);
    expect((await arrival).id).toBe(id);
  });

  it('lobbies.arrival() rejects with client_not_ready when the client is not connected, and when it is disconnected meanwhile', async () => {
    const { client } = await game(ada);
    const cut = expect(client.lobbies.arrival('5')).rejects.toMatchObject({
      code: 'client_not_ready',
      message: 'The client was disconnected before the player was in the lobby. Connect, then call arrival() again.',
    });
    await client.disconnect();
    await cut;
    await expect(client.lobbies.arrival('5')).rejects.toMatchObject({ code: 'client_not_ready' });
  });

  it('lobbies.arrival() is aborted when the client is closed', async () => {
    const { client } = await game(ada);
    const cut = expect(client.lobbies.arrival('5')).rejects.toMatchObject({ code: 'aborted' });
    await client.close();
    await cut;
  });

  it.each(['', 'raid', '-1'])('rejects the id %j with invalid_snowflake', async id => {
    const { client } = await game(ada);
    await expect(client.lobbies.arrival(id)).rejects.toMatchObject({ code: 'invalid_snowflake' });
  });
});

describe('setMetadata()', () => {
  it('replaces what is given, in a lobby that was joined by its secret', async () => {
    const { client } = await game(ada);
    const lobby = await client.lobbies.join('raid', { lobbyMetadata: { map: 'reef' }, memberMetadata: { a: 'b' } });
    await lobby.setMetadata({ member: { team: 'red' } });
    await seen(client, lobby.id, ({ members }) => members[0]?.metadata.team === 'red');
    expect([lobby.metadata, lobby.memberMetadata(ada.id)]).toEqual([{ map: 'reef' }, { team: 'red' }]);
    const id = await serverLobby({ members: [{ id: ada.id }] });
    await seen(client, id);
    await expect(lobbyOf(client, id).setMetadata({})).rejects.toMatchObject({ code: 'missing_secret' });
  });

  it('says in a lobby of a game server that the server changes metadata, and how', async () => {
    const { client } = await game(ada);
    const id = await serverLobby({ members: [{ id: ada.id }] });
    const lobby = await client.lobbies.arrival(id);
    await expect(lobby.setMetadata({ member: { ready: 'yes' } })).rejects.toMatchObject({
      code: 'missing_secret',
      message: expect.stringContaining('backend.lobbies.putMember()'),
    });
    await callApi(service, 'PUT', `/lobbies/${id}/members/${ada.id}`, { metadata: { ready: 'yes' } });
    await seen(client, id, ({ members }) => members[0]?.metadata.ready === 'yes');
  });

  it('is rejected without an object, as is a change of the call', async () => {
    const { client } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    for (const wrong of [undefined, null, 'x'] as never[]) {
      const refused = { name: 'ArgumentError', code: 'invalid_argument' };
      await expect(lobby.setMetadata(wrong)).rejects.toMatchObject(refused);
      await expect(lobby.call.update(wrong)).rejects.toMatchObject(refused);
    }
  });

  it('creates no lobby in place of one that has ended', async () => {
    const { client, requests } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    requests.before = (...request) =>
      isJoin(...request) ? callApi(service, 'DELETE', `/lobbies/${lobby.id}`).then(() => {}) : undefined;
    await expect(lobby.setMetadata({ lobby: { map: 'reef' } })).rejects.toMatchObject({ code: 'lobby_ended' });
    await firstValueFrom(client.lobbies$.pipe(filter(({ length }) => length === 0)));
    await expect(lobby.setMetadata({ lobby: { map: 'reef' } })).rejects.toMatchObject({ code: 'lobby_ended' });
  });

  it('stays in none when it is aborted then, either, nor ends a join that follows', async () => {
    const { client, requests } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    const controller = new AbortController();
    requests.before = (...request) => {
      if (isJoin(...request)) return callApi(service, 'DELETE', `/lobbies/${lobby.id}`).then(() => {});
      controller.abort();
      return undefined;
    };
    const change = { lobby: { map: 'reef' } };
    await expect(lobby.setMetadata(change, { signal: controller.signal })).rejects.toMatchObject({
      code: 'lobby_ended',
    });
    requests.before = undefined;
    const again = await client.lobbies.join('raid');
    await firstValueFrom(client.lobbies$.pipe(filter(({ length }) => length === 1)));
    expect([...client.lobbies].map(({ id }) => id)).toEqual([again.id]);
  });
});

interface Round {
  readonly round: number;
}

/** What a validation library makes of `object({ round: coerce.number() })`. */
const roundSchema: StandardSchema<Round> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: value => {
      const round = Number((value as { round?: string }).round);
      return Number.isNaN(round)
        ? { issues: [{ message: 'Expected a number.', path: ['round'] }] }
        : { value: { round } };
    },
  },
};

describe('a handle after disconnect() and connect()', () => {
  it('is the same, knows the secret, and keeps and finds up to 200 messages as before', async () => {
    const { client } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    for (let i = 0; i < 27; i++) await lobby.send(`line ${i}`);
    expect(await lobby.loadOlder(50)).toBe(false);
    expect(lobby.hasOlder).toBe(false);
    await client.disconnect();
    expect(client.lobbies.get(lobby.id)).toBeUndefined();
    await client.connect();
    expect(client.lobbies.get(lobby.id)).toBe(lobby);
    expect([lobby.messages.length, lobby.hasOlder]).toEqual([0, true]);
    await lobby.loadOlder(50);
    expect(contents(lobby)).toEqual(Array.from({ length: 27 }, (_, i) => `line ${i}`));
    await lobby.setMetadata({ member: { team: 'red' } });
    await seen(client, lobby.id, ({ members }) => members[0]?.metadata.team === 'red');
    expect(lobby.memberMetadata(ada.id)).toEqual({ team: 'red' });
  });

  it('is another one when the player was not in the lobby meanwhile', async () => {
    const { client } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    await client.disconnect();
    await callApi(service, 'DELETE', `/lobbies/${lobby.id}/members/${ada.id}`);
    await client.connect();
    expect(client.lobbies.get(lobby.id)).toBeUndefined();
    await callApi(service, 'PUT', `/lobbies/${lobby.id}/members/${ada.id}`, {});
    await seen(client, lobby.id);
    const other = lobbyOf(client, lobby.id);
    expect(other).not.toBe(lobby);
    await expect(other.setMetadata({})).rejects.toMatchObject({ code: 'missing_secret' });
  });

  it('is another one for another player, who sees no failed message of the first', async () => {
    const { client } = await game(ada);
    const lobby = await client.lobbies.join('raid');
    await callApi(service, 'PUT', `/lobbies/${lobby.id}/members/${grace.id}`, {});
    await client.disconnect();
    await expect(lobby.send('secret plan')).rejects.toMatchObject({ code: 'client_not_ready' });
    client.updateToken(await playerToken(service, grace.id));
    await client.connect();
    const other = lobbyOf(client, lobby.id);
    expect([other === lobby, views(other)]).toEqual([false, []]);
    await expect(other.setMetadata({})).rejects.toMatchObject({ code: 'missing_secret' });
  });
});

describe('metadata with a schema', () => {
  it('is a value of the schema’s type, or undefined where it does not fit', async () => {
    const [hers, theirs] = await Promise.all([game<Round>(ada, { schemas: { lobby: roundSchema } }), game(grace)]);
    const lobby = await hers.client.lobbies.join('raid', { lobbyMetadata: { round: '3' } });
    const rounds: (Round | undefined)[] = [];
    lobby.metadata$.subscribe(metadata => rounds.push(metadata));
    expect(lobby.metadata).toEqual({ round: 3 });
    expect(lobby.metadata).toBe(lobby.metadata);
    const other = await theirs.client.lobbies.join('raid');
    await other.setMetadata({ lobby: { round: 'none' } });
    await seen(theirs.client, lobby.id, ({ metadata }) => metadata.round === 'none');
    await other.setMetadata({ lobby: { round: '4' } });
    await firstValueFrom(lobby.metadata$.pipe(filter(metadata => metadata?.round === 4)));
    expect(rounds).toEqual([{ round: 3 }, undefined, { round: 4 }]);
  });

  it('does not fit where parsing throws, or changes what it is given, and the state shows it', async () => {
    const parsing: StandardSchema<Round> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        // As arktype does, and as a transform of zod with JSON.parse does.
        validate: value => {
          const fields = value as { round: unknown };
          fields.round = JSON.parse(fields.round as string);
          return { value: fields as Round };
        },
      },
    };
    const { client } = await game<Round>(ada, { schemas: { lobby: parsing } });
    const lobby = await client.lobbies.join('raid', { lobbyMetadata: { round: '3' } });
    expect([lobby.metadata, lobby.snapshot?.metadata]).toEqual([{ round: 3 }, { round: '3' }]);
    const issue = { path: ['lobbyMetadata'], code: 'SCHEMA', message: expect.stringContaining('JSON') };
    await expect(lobby.setMetadata({ lobby: { round: '{' } })).rejects.toMatchObject({ issues: [issue] });
    const { client: other } = await game(grace);
    await (await other.lobbies.join('raid')).setMetadata({ lobby: { round: '{' } });
    await firstValueFrom(lobby.snapshot$.pipe(filter(snapshot => snapshot?.metadata.round === '{')));
    expect(lobby.metadata).toBeUndefined();
  });

  it('needs a Standard Schema', () => {
    const schema = { type: 'object' } as unknown as StandardSchema<Round>;
    expect(() => new Client({ baseUrl: service.webBase, schemas: { lobby: schema } })).toThrow(
      expect.objectContaining({ code: 'invalid_schema' }),
    );
  });

  it('is checked before it is written', async () => {
    const { client } = await game<Round>(ada, { schemas: { lobby: roundSchema } });
    const issues = [{ path: ['lobbyMetadata', 'round'], code: 'SCHEMA', message: 'Expected a number.' }];
    const refused = { name: 'ValidationError', issues };
    await expect(client.lobbies.join('raid', { lobbyMetadata: { round: 'x' } })).rejects.toMatchObject(refused);
    const lobby = await client.lobbies.join('raid', { lobbyMetadata: { round: '1' } });
    await expect(lobby.setMetadata({ lobby: { round: 'x' } })).rejects.toMatchObject(refused);
    expect(lobby.metadata).toEqual({ round: 1 });
  });
});

describe('events$', () => {
  const lineOf = (event: ClientNewsEvent): string => {
    if ('message' in event) return `${event.type} ${event.message.content}`;
    return 'member' in event ? `${event.type} ${event.member.displayName}` : event.type;
  };

  it('says what happened in the lobbies, once the state shows it', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const events: string[] = [];
    const members: number[] = [];
    hers.client.events$.subscribe(event => {
      events.push(lineOf(event));
      if ('lobbyId' in event) members.push(hers.client.members(event.lobbyId).length);
    });
    const lobby = await hers.client.lobbies.join('raid');
    const other = await theirs.client.lobbies.join('raid', { memberMetadata: { team: 'red' } });
    await other.setMetadata({ lobby: { map: 'reef' }, member: { team: 'blue' } });
    const { id } = await other.send('Ahoy!');
    await callApi(service, 'PUT', `/lobbies/${lobby.id}/messages/${id}/moderation-metadata`, { verdict: 'fine' });
    await other.leave();
    await callApi(service, 'DELETE', `/lobbies/${lobby.id}/members/${ada.id}`);
    await gone(hers.client, lobby.id);
    expect(events).toEqual([
      'lobbyJoined',
      'memberJoined Grace',
      ...['memberUpdated Grace', 'lobbyUpdated'].sort((a, b) => events.indexOf(a) - events.indexOf(b)),
      'messageReceived Ahoy!',
      'messageUpdated Ahoy!',
      'memberLeft Grace',
      'removed',
    ]);
    expect(members.slice(0, 2)).toEqual([1, 2]);
    expect(members.at(-1)).toBe(0);
  });

  it('names the end of a lobby: left, deleted, or gone with the last session', async () => {
    const { client, network } = await game(ada);
    const ends: string[] = [];
    client.events$.subscribe(event => {
      if (event.type === 'lobbyEnded') ends.push(`${event.type} ${event.reason}`);
      else if (event.type !== 'lobbyJoined') ends.push(event.type);
    });
    await (await client.lobbies.join('one')).leave();
    const two = await client.lobbies.join('two');
    await callApi(service, 'DELETE', `/lobbies/${two.id}`);
    await gone(client, two.id);
    const three = await client.lobbies.join('three');
    network.setDown(true);
    await callApi(service, 'DELETE', `/lobbies/${three.id}`);
    network.cut(closeCodes.SESSION_TIMED_OUT.code);
    network.setDown(false);
    client.checkConnection();
    await gone(client, three.id);
    expect(ends.slice(0, 2)).toEqual(['lobbyLeft', 'lobbyEnded deleted']);
    expect(ends[2]).toMatch(/^lobbyEnded/);
    expect(ends).toHaveLength(3);
  });

  it('says what happened during a lost session once, as the difference between before and after', async () => {
    const [hers, theirs] = await Promise.all([game(ada), game(grace)]);
    const id = await serverLobby({ members: [{ id: ada.id }, { id: grace.id }] });
    await Promise.all([seen(hers.client, id), seen(theirs.client, id)]);
    const lobby = lobbyOf(hers.client, id);
    await lobby.send('before');
    await until(lobbyOf(theirs.client, id), ({ length }) => length === 1);
    const events: string[] = [];
    theirs.client.events$.subscribe(event => events.push(lineOf(event)));
    theirs.network.cut(closeCodes.SESSION_TIMED_OUT.code);
    await callApi(service, 'PATCH', `/lobbies/${id}`, { metadata: { map: 'reef' } });
    await callApi(service, 'PUT', `/lobbies/${id}/members/${ada.id}`, { metadata: { team: 'red' } });
    await lobby.send('between');
    theirs.client.checkConnection();
    await until(lobbyOf(theirs.client, id), ({ length }) => length === 2);
    await lobby.send('after');
    await until(lobbyOf(theirs.client, id), ({ length }) => length === 3);
    expect(events).toEqual(['lobbyUpdated', 'memberUpdated Ada', 'messageReceived between', 'messageReceived after']);
  });

  it('are emitted in order, also those that a subscriber causes', async () => {
    const { client } = await game(ada);
    const id = await serverLobby({ members: [{ id: ada.id }] });
    await seen(client, id);
    const [first, second]: [string[], string[]] = [[], []];
    client.events$.subscribe(event => {
      first.push(lineOf(event));
      if (first.length === 1) void client.disconnect();
    });
    client.events$.subscribe(event => second.push(lineOf(event)));
    await callApi(service, 'PATCH', `/lobbies/${id}`, { metadata: { map: 'reef' } });
    await firstValueFrom(client.status$.pipe(filter(({ status }) => status === 'disconnected')));
    expect([first, second]).toEqual([['lobbyUpdated'], ['lobbyUpdated']]);
  });
});
