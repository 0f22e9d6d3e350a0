import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BehaviorSubject, filter, firstValueFrom, lastValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ArgumentError, KeychainError } from '../../src/model/errors/errors.ts';
import type { StandardSchema } from '../../src/model/metadata-schema.ts';
import { type GameWindowServer, type ServeWindowsOptions, serveWindows } from '../../src/sdk/bridge/main.ts';
import { exposeRallypoint } from '../../src/sdk/bridge/preload.ts';
import { openClient, type WindowClient, type WindowClientOptions } from '../../src/sdk/bridge/window-client.ts';
import { Client } from '../../src/sdk/client.ts';
import type { Credentials } from '../../src/sdk/credentials/credentials.ts';
import { openCredentials } from '../../src/sdk/credentials/open-credentials.ts';
import { openKeychain } from '../../src/sdk/keychain/open-keychain.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { browserOf, decide } from '../support/browser/player.ts';
import { WindowStandIn } from '../support/electron/window-stand-in.ts';
import { recordingLog } from '../support/recording-log.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { playerToken } from '../support/service/tokens.ts';

const [application] = starfall.applications;
const [ada, grace] = starfall.users;

let service: Service;
let cleanUp: (() => unknown)[];

beforeEach(async () => {
  service = await startService({ fixtures: starfall, limits: 'off' });
  cleanUp = [];
});
afterEach(async () => {
  for (const step of cleanUp.reverse()) await step();
  await service.close();
});

function newClient(user: { readonly id: string }): Client {
  const openBrowser = browserOf(service, user.id);
  const client = new Client({ applicationId: application.id, baseUrl: service.webBase, openBrowser });
  cleanUp.push(() => client.close());
  return client;
}

async function connected(user: { readonly id: string }): Promise<Client> {
  const client = newClient(user);
  client.updateToken(await playerToken(service, user.id));
  await client.connect();
  return client;
}

interface Window<LobbyMetadata, MemberMetadata> {
  readonly page: WindowClient<LobbyMetadata, MemberMetadata>;
  readonly standIn: WindowStandIn;
  readonly server: GameWindowServer;
}

/** A window of the game, whose main process has the client. */
function openWindow<
  LobbyMetadata = Readonly<Record<string, string>>,
  MemberMetadata = Readonly<Record<string, string>>,
>(
  client: Client,
  {
    credentials,
    signInOptions,
    game,
    ...options
  }: WindowClientOptions<LobbyMetadata, MemberMetadata> &
    Pick<ServeWindowsOptions, 'credentials' | 'signInOptions' | 'game'> = {},
): Window<LobbyMetadata, MemberMetadata> {
  const standIn = new WindowStandIn();
  const server = serveWindows({
    pages: ['game://app/'],
    ipcMain: standIn.ipcMain,
    client,
    credentials,
    signInOptions,
    game,
  });
  const page = standIn.open(
    () => exposeRallypoint(standIn.contextBridge, standIn.ipcRenderer),
    () => openClient(options),
  );
  cleanUp.push(async () => {
    await page.close();
    await server.close();
    standIn.close();
  });
  return { page, standIn, server };
}

function until<Value>(stream: Observable<Value>, fits: (value: Value) => boolean): Promise<Value> {
  return firstValueFrom(stream.pipe(filter(fits)));
}

describe('a window', () => {
  it('shows the states of the client in the main process, frozen, and follows them', async () => {
    const client = await connected(ada);
    const { page } = openWindow(client);
    await page.opened;
    expect(page.status).toEqual(client.status);
    const lobby = await client.lobbies.join('raid', { lobbyMetadata: { map: 'harbour' } });
    await until(page.lobbies$, lobbies => lobbies.length === 1);
    expect([...page.lobbies]).toEqual([...client.lobbies]);
    expect(page.lobby(lobby.id)).toEqual(client.lobby(lobby.id));
    expect(page.members(lobby.id)).toEqual(client.members(lobby.id));
    expect(isDeeplyFrozen(page.lobbies.snapshot)).toBe(true);
    await client.disconnect();
    await until(page.status$, ({ status }) => status === 'disconnected');
    expect(page.lobbies.size).toBe(0);
  });

  it('joins a lobby that is there when the promise resolves: state, members, newest messages', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const first = await theirs.lobbies.join('raid', { memberMetadata: { ship: 'sloop' } });
    for (const text of ['one', 'two']) await first.send(text);
    const { page } = openWindow(hers);
    const lobby = await page.lobbies.join('raid');
    expect(lobby.id).toBe(first.id);
    expect(lobby.members.map(({ id }) => id)).toEqual([ada.id, grace.id]);
    expect(lobby.messages.map(({ content, status }) => [content, status])).toEqual([
      ['one', 'sent'],
      ['two', 'sent'],
    ]);
    expect(page.lobbies.get(lobby.id)).toBe(lobby);
  });

  it('waits for a lobby into which the game server puts the player, until its deadline', async () => {
    const { page } = openWindow(await connected(ada));
    const { body } = await callApi(service, 'POST', '/lobbies', {});
    const { id } = body as { id: string };
    const late = page.lobbies.arrival(id, { deadlineMs: 20 });
    await expect(late).rejects.toMatchObject({ name: 'TransportError', code: 'deadline_exceeded' });
    const arrival = page.lobbies.arrival(id);
    await callApi(service, 'PUT', `/lobbies/${id}/members/${ada.id}`, {});
    const lobby = await arrival;
    expect(lobby.members.map(member => member.id)).toEqual([ada.id]);
    expect(page.lobbies.get(id)).toBe(lobby);
    await expect(lobby.setMetadata({ member: { ready: 'yes' } })).rejects.toMatchObject({ code: 'missing_secret' });
  });

  it('sends, and shows the message as pending, then as sent; others get it', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const other = await theirs.lobbies.join('raid');
    const { page } = openWindow(hers);
    const lobby = await page.lobbies.join('raid');
    const shown: string[] = [];
    lobby.messages$.subscribe(messages => void shown.push(messages.map(({ status }) => status).join()));
    const message = await lobby.send('Ahoy!', { metadata: { tone: 'loud' } });
    expect(message).toMatchObject({ content: 'Ahoy!', author: { id: ada.id } });
    expect(shown).toEqual(['', 'pending', 'sent']);
    expect(await until(other.messages$, ([first]) => first?.content === 'Ahoy!')).toMatchObject([
      { metadata: { tone: 'loud' } },
    ]);
  });

  it('counts messages of others until they were read, equally in all windows', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const windows = [openWindow(hers), openWindow(hers)];
    const lobbies = await Promise.all(windows.map(({ page }) => page.lobbies.join('raid')));
    await (await theirs.lobbies.join('raid')).send('Ahoy!');
    for (const lobby of lobbies) await until(lobby.unreadCount$, count => count === 1);
    lobbies[0]?.markRead();
    for (const lobby of lobbies) await until(lobby.unreadCount$, count => count === 0);
    expect(lobbies.map(({ unreadCount }) => unreadCount)).toEqual([0, 0]);
  });

  it('gets the events of the main process', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const { page } = openWindow(hers);
    const { id } = await page.lobbies.join('raid');
    const joined = until(page.events$, ({ type }) => type === 'memberJoined');
    // The subscription is there before the other player is.
    await page.checkConnection();
    await theirs.lobbies.join('raid');
    expect(await joined).toMatchObject({ lobbyId: id, member: { id: grace.id } });
  });

  it('leaves, and shows the lobby no more', async () => {
    const client = await connected(ada);
    const { page } = openWindow(client);
    const lobby = await page.lobbies.join('raid');
    await lobby.leave();
    expect([lobby.isJoined, lobby.messages, page.lobbies.size, client.lobbies.size]).toEqual([false, [], 0, 0]);
    await lobby.leave();
    await expect(lobby.send('late')).rejects.toMatchObject({ code: 'lobby_ended' });
  });

  it('rejects with the errors of the main process', async () => {
    const { page } = openWindow(await connected(ada));
    await expect(page.lobbies.join('')).rejects.toMatchObject({
      name: 'ValidationError',
      code: 'invalid_form_body',
      issues: [{ path: ['secret'] }],
    });
    await expect(page.getGuildChannels('1')).rejects.toMatchObject({ name: 'ApiError', code: 'unknown_guild' });
    const deadline = { deadlineMs: 0 };
    await expect(page.lobbies.join('raid', deadline)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    await expect(page.lobbies.join(7 as unknown as string)).rejects.toMatchObject({ code: 'invalid_call_arguments' });
  });

  it('is in a call, and gets the address of the voice server without the token', async () => {
    const client = await connected(ada);
    const { page, standIn } = openWindow(client);
    const lobby = await page.lobbies.join('raid');
    const inCall = until(lobby.call.snapshot$, ({ status, server }) => status === 'signaling_connected' && !!server);
    await lobby.call.join({ selfMute: true });
    expect(await inCall).toMatchObject({ own: { selfMute: true }, server: { endpoint: null } });
    const token = client.lobbies.get(lobby.id)?.call.snapshot.server?.token ?? '';
    expect(token).not.toBe('');
    expect(JSON.stringify(standIn.crossed)).not.toContain(token);
    await lobby.call.leave();
  });

  it('reads metadata by the schema of the game', async () => {
    const schema: StandardSchema<{ readonly level: number }> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: value => {
          const level = Number((value as { level?: string }).level);
          const issues = [{ message: 'Expected a number.', path: ['level'] }];
          return Number.isNaN(level) ? { issues } : { value: { level } };
        },
      },
    };
    const { page } = openWindow(await connected(ada), { schemas: { member: schema } });
    const lobby = await page.lobbies.join('raid', { memberMetadata: { level: '7' } });
    expect(lobby.memberMetadata(ada.id)).toEqual({ level: 7 });
    // The path is that of the same error in the main process.
    const issues = [{ path: ['memberMetadata', 'level'], code: 'SCHEMA', message: 'Expected a number.' }];
    const wrong = { name: 'ValidationError', code: 'invalid_form_body', issues };
    await expect(lobby.setMetadata({ member: { level: 'x' } })).rejects.toMatchObject(wrong);
    await expect(page.lobbies.join('raid', { memberMetadata: { level: 'x' } })).rejects.toMatchObject(wrong);
  });

  it('shows the commands of a place', async () => {
    const { page } = openWindow(await connected(ada));
    expect(page.commands('bot_dm')).toMatchObject({ status: 'loading' });
    expect(await until(page.commands$('bot_dm'), ({ status }) => status === 'current')).toMatchObject({
      commands: [{ name: 'Launch' }],
    });
  });
});

describe('signing in from a window', () => {
  it('connects the player, and neither token, code, verifier nor address crosses', async () => {
    const seen: string[] = [];
    const openBrowser = browserOf(service, ada.id);
    const client = new Client({
      applicationId: application.id,
      baseUrl: service.webBase,
      openBrowser: async url => {
        seen.push(url, ...new URL(url).searchParams.values());
        await openBrowser(url);
      },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (String(input).endsWith('/token')) {
          seen.push(...new URLSearchParams(String(init?.body)).values());
          const { access_token, refresh_token } = (await response.clone().json()) as Record<string, string>;
          seen.push(access_token ?? '', refresh_token ?? '');
        }
        return response;
      },
    });
    cleanUp.push(() => client.close());
    const { page, standIn } = openWindow(client);
    await page.signIn();
    await page.connect();
    await until(page.status$, ({ status }) => status === 'ready');
    expect(page.status).toMatchObject({ userId: ada.id });
    await page.lobbies.join('raid');
    const crossed = JSON.stringify(standIn.crossed);
    const secrets = seen.filter(text => text.length > 20);
    expect(secrets.length).toBeGreaterThan(5);
    for (const secret of secrets) expect(crossed).not.toContain(secret);
    await page.signOut();
    await until(page.status$, ({ status }) => status === 'disconnected');
  });

  it('with credentials keeps the player signed in, and shows how', async () => {
    const client = newClient(ada);
    const keychain = await openKeychain({ service: 'bridge', allow: ['memory'] });
    const credentials = await openCredentials({ client, keychain });
    cleanUp.push(() => credentials.close());
    const { page } = openWindow(client, { credentials });
    await until(page.credentials$, snapshot => snapshot?.status === 'signed-out');
    await page.signIn({ redirect: 'loopback' });
    await page.connect();
    expect(page.credentials).toMatchObject({ status: 'signed-in', tier: 'memory' });
    await page.signOut();
    expect(page.credentials).toMatchObject({ status: 'signed-out', reason: 'signed-out' });
  });

  it('reports a browser that cannot be opened without the address of the page', async () => {
    const client = new Client({
      applicationId: application.id,
      baseUrl: service.webBase,
      openBrowser: () => Promise.reject(new Error('no browser')),
    });
    cleanUp.push(() => client.close());
    const { page, standIn } = openWindow(client);
    await expect(page.signIn()).rejects.toMatchObject({ code: 'browser_unavailable' });
    expect(JSON.stringify(standIn.crossed)).not.toContain('oauth2');
  });
});

describe('credentials that are opened while windows are there', () => {
  const openMemory = async (client: Client) => {
    const keychain = await openKeychain({ service: 'bridge', allow: ['memory'] });
    return openCredentials({ client, keychain });
  };
  const statuses = (page: WindowClient) => {
    const seen: (string | undefined)[] = [];
    page.credentials$.subscribe(snapshot => seen.push(snapshot?.status));
    return seen;
  };

  it('show as opening, then as they are; signing in and out shows, too', async () => {
    const client = newClient(ada);
    const unlocked = Promise.withResolvers<void>();
    const { page } = openWindow(client, { credentials: () => unlocked.promise.then(() => openMemory(client)) });
    const seen = statuses(page);
    await page.opened;
    expect(page.credentials).toEqual({ status: 'opening' });
    unlocked.resolve();
    await until(page.credentials$, snapshot => snapshot?.status === 'signed-out');
    await page.signIn();
    await page.connect();
    expect(await page.fetchCurrentUser()).toMatchObject({ id: ada.id, username: ada.username });
    await page.signOut();
    await page.checkConnection();
    expect(seen).toEqual(['opening', 'signed-out', 'signing-in', 'signed-in', 'signing-out', 'signed-out']);
  });

  it('may be a promise', async () => {
    const client = newClient(ada);
    const { page, server } = openWindow(client, { credentials: openMemory(client) });
    await until(page.credentials$, snapshot => snapshot?.status === 'signed-out');
    const { credentials } = server;
    expect(credentials?.state).toMatchObject({ tier: 'memory' });
    cleanUp.unshift(() => credentials?.close());
  });

  it('that cannot be opened say why; the player tries again, or signs in for this run', async () => {
    const client = newClient(ada);
    const asked: boolean[] = [];
    const credentials = async ({ forThisRun }: { readonly forThisRun: boolean }) => {
      asked.push(forThisRun);
      if (!forThisRun) throw new KeychainError('keychain_locked', 'The keychain is locked.');
      return openMemory(client);
    };
    const { page } = openWindow(client, { credentials });
    const snapshot = await until(page.credentials$, value => value?.status === 'unavailable');
    expect(snapshot?.error).toBeInstanceOf(KeychainError);
    expect(snapshot?.error).toMatchObject({ code: 'keychain_locked' });
    await expect(page.signIn()).rejects.toMatchObject({ code: 'keychain_locked' });
    await page.signIn({ forThisRun: true });
    expect(page.credentials).toMatchObject({ status: 'signed-in', tier: 'memory' });
    expect(asked).toEqual([false, false, true]);
  });

  it('that fail for another reason say no more in windows, and the log of the main process does', async () => {
    const { log, lines } = recordingLog();
    const standIn = new WindowStandIn();
    const server = serveWindows({
      pages: ['game://app/'],
      ipcMain: standIn.ipcMain,
      client: newClient(ada),
      logger: log,
      credentials: () => Promise.reject(new Error('the password is abc')),
    });
    const snapshot = await firstValueFrom(server.credentials$.pipe(filter(value => value?.error !== undefined)));
    expect(snapshot).toMatchObject({ status: 'unavailable', error: { code: 'main_process_failed' } });
    expect(snapshot?.error?.message).not.toContain('abc');
    expect(lines).toMatchObject([{ level: 'error', error: { message: 'the password is abc' } }]);
    await server.close();
  });

  it('whose keychain is locked do not keep the game from ending, and are closed when they open', async () => {
    const client = newClient(ada);
    const unlocked = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<Credentials>();
    const { server } = openWindow(client, {
      credentials: async () => {
        await unlocked.promise;
        const credentials = await openMemory(client);
        opened.resolve(credentials);
        return credentials;
      },
    });
    await server.close();
    unlocked.resolve();
    const credentials = await opened.promise;
    await lastValueFrom(credentials.state$);
    await expect(credentials.accessToken()).rejects.toMatchObject({ code: 'closed' });
  });

  it('are signed in and out by the main process as by a window', async () => {
    const client = newClient(ada);
    const { page, server } = openWindow(client, { credentials: () => openMemory(client) });
    await server.signIn();
    expect(server.credentials?.state).toMatchObject({ status: 'signed-in' });
    await until(page.credentials$, snapshot => snapshot?.status === 'signed-in');
    await server.signOut();
    await until(page.credentials$, snapshot => snapshot?.status === 'signed-out');
    const alone = openWindow(newClient(grace));
    await alone.server.signIn();
    expect((await alone.page.fetchCurrentUser()).id).toBe(grace.id);
    await alone.server.signOut();
    await expect(alone.page.fetchCurrentUser()).rejects.toMatchObject({ code: 'missing_access_token' });
  });

  it('that the game has opened cannot be chosen by a window', async () => {
    const client = newClient(ada);
    const credentials = await openMemory(client);
    cleanUp.push(() => credentials.close());
    const { page } = openWindow(client, { credentials });
    await page.opened;
    expect(page.credentials).toEqual(credentials.state);
    await page.signIn();
    await page.signOut();
    await expect(page.signIn({ forThisRun: true })).rejects.toMatchObject({ code: 'invalid_call_arguments' });
  });

  it('take the options of a sign-in from the main process', async () => {
    const opened: URL[] = [];
    const openBrowser = async (url: string) => void opened.push(new URL(url));
    const client = new Client({ applicationId: application.id, baseUrl: service.webBase, openBrowser });
    cleanUp.push(() => client.close());
    const scheme = `discord-${application.id}`;
    const { page } = openWindow(client, {
      credentials: () => openMemory(client),
      signInOptions: async () => ({ scheme }),
    });
    const signIn = page.signIn({ scopes: ['openid'] }).catch((reason: unknown) => reason);
    await expect.poll(() => opened.length).toBe(1);
    expect(opened[0]?.searchParams.get('scope')).toBe('openid');
    expect(opened[0]?.searchParams.get('redirect_uri')).toBe(`${scheme}:/authorize/callback`);
    await page.cancelSignIn();
    expect(await signIn).toMatchObject({ code: 'aborted' });
    // The caller that cancelled knows it.
    expect(page.credentials).toMatchObject({ status: 'signed-out' });
    expect(page.credentials).not.toHaveProperty('error');
  });

  it('go on with a sign-in whose window is gone, and show another window why it failed', async () => {
    const client = new Client({
      applicationId: application.id,
      baseUrl: service.webBase,
      openBrowser: async url => void opened.resolve(url),
    });
    const opened = Promise.withResolvers<string>();
    cleanUp.push(() => client.close());
    const { page, standIn } = openWindow(client, { credentials: () => openMemory(client) });
    const signIn = page.signIn().catch((reason: unknown) => reason);
    const url = new URL(await opened.promise);
    await expect(page.signIn()).rejects.toMatchObject({ code: 'authorization_in_progress' });
    standIn.drop();
    expect(await signIn).toMatchObject({ code: 'connection_lost' });
    await page.checkConnection();
    expect(page.credentials).toMatchObject({ status: 'signing-in' });
    const declined = new URL(url.searchParams.get('redirect_uri') ?? '');
    declined.searchParams.set('error', 'access_denied');
    declined.searchParams.set('state', url.searchParams.get('state') ?? '');
    await fetch(declined);
    const snapshot = await until(page.credentials$, value => value?.error !== undefined);
    expect(snapshot).toMatchObject({ status: 'signed-out', error: { name: 'OAuthError', code: 'access_denied' } });
  });

  it('finish what an earlier run began, without showing the player as signed out before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bridge-'));
    cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
    const scheme = `discord-${application.id}`;
    const opened = Promise.withResolvers<string>();
    let openings = 0;
    const openFile = async (client: Client) => {
      openings++;
      const keychain = await openKeychain({ service: 'bridge', allow: ['encrypted-file'], folder });
      return openCredentials({ client, keychain, folder });
    };
    const run = () => {
      const openBrowser = async (url: string) => opened.resolve(url);
      const client = new Client({ applicationId: application.id, baseUrl: service.webBase, openBrowser });
      cleanUp.push(() => client.close());
      return openWindow(client, { credentials: () => openFile(client), signInOptions: () => ({ scheme }) });
    };
    const first = run();
    first.page.signIn().catch(() => {});
    const answer = await decide(service, await opened.promise, ada.id);
    await first.server.close();

    const second = run();
    const seen = statuses(second.page);
    const finished = second.server.continueSignIn(answer);
    await until(second.page.credentials$, snapshot => snapshot?.status === 'signed-in');
    await finished;
    expect(seen.filter(status => status !== 'opening')).toEqual(['signed-in']);
    expect(openings).toBe(2);
    await expect(second.server.continueSignIn(answer)).rejects.toMatchObject({ code: 'foreign_redirect' });
    expect(second.page.credentials).not.toHaveProperty('error');
    await second.page.signOut();
  });
});

describe('a window that loses its port', () => {
  it('shows the same as the main process again, and works as before', async () => {
    const [hers, theirs] = await Promise.all([connected(ada), connected(grace)]);
    const { page, standIn, server } = openWindow(hers);
    const lobby = await page.lobbies.join('raid');
    const events: string[] = [];
    page.events$.subscribe(({ type }) => void events.push(type));
    await page.checkConnection();
    for (let drops = 1; drops <= 3; drops++) {
      standIn.drop();
      await (await theirs.lobbies.join('raid')).send(`While you were away ${drops}`);
      await until(lobby.messages$, messages => messages.length === drops);
      expect(page.lobbies.get(lobby.id)).toBe(lobby);
      expect(lobby.messages).toEqual(hers.lobbies.get(lobby.id)?.messages);
      expect(page.lobbies.snapshot).toEqual(hers.lobbies.snapshot);
      expect(lobby.unreadCount).toBe(hers.lobbies.get(lobby.id)?.unreadCount);
    }
    expect(events.filter(type => type === 'eventsMissed')).toHaveLength(3);
    expect(server.connections).toBe(1);
    expect(await lobby.send('Back')).toMatchObject({ content: 'Back' });
  });

  it('shows a call as ended whose lobby is gone meanwhile', async () => {
    const client = await connected(ada);
    const { page, standIn } = openWindow(client);
    const lobby = await page.lobbies.join('raid');
    const statuses: string[] = [];
    lobby.call.snapshot$.subscribe(({ status }) => void statuses.push(status));
    await lobby.call.join();
    await until(lobby.call.snapshot$, ({ status }) => status === 'signaling_connected');
    standIn.drop();
    await client.lobbies.get(lobby.id)?.leave();
    await until(lobby.call.snapshot$, ({ status }) => status === 'disconnected');
    await page.checkConnection();
    expect([lobby.isJoined, lobby.call.snapshot.participants, statuses.at(-1)]).toEqual([false, [], 'disconnected']);
  });

  it('finds windows that are served anew by the game', async () => {
    const client = await connected(ada);
    const { page, standIn, server } = openWindow(client);
    await page.opened;
    await server.close();
    const again = serveWindows({ pages: ['game://app/'], ipcMain: standIn.ipcMain, client });
    cleanUp.push(() => again.close());
    await client.lobbies.join('raid');
    await until(page.lobbies$, lobbies => lobbies.length === 1);
    expect(again.connections).toBe(1);
  });
});

describe('what a game shares beside the client', () => {
  it('is called and watched by its names, with the types of the main process', async () => {
    const score = new BehaviorSubject({ points: 0 });
    const calls = {
      add: async (points: number) => score.next({ points: score.value.points + points }),
      fail: () => {
        throw new ArgumentError('invalid_call_arguments', 'points must be a number.');
      },
    };
    const { page } = openWindow(newClient(ada), { game: { calls, states: { score } } });
    const game = page.gameCalls<typeof calls>();
    const seen: number[] = [];
    page.gameState$<{ points: number }>('score').subscribe(({ points }) => void seen.push(points));
    await page.opened;
    await game.add(3);
    expect(seen).toEqual([0, 3]);
    await expect(game.fail()).rejects.toMatchObject({ name: 'ArgumentError', code: 'invalid_call_arguments' });
    await expect(page.gameCalls<{ none(): void }>().none()).rejects.toMatchObject({ code: 'unknown_call' });
    // Names of the client's own calls are not the game's.
    await expect(page.gameCalls<{ signIn(): void }>().signIn()).rejects.toMatchObject({ code: 'unknown_call' });
  });
});
