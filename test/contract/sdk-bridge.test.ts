import { filter, firstValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StandardSchema } from '../../src/model/metadata-schema.ts';
import { serveWindows } from '../../src/sdk/bridge/main.ts';
import { exposeRallypoint } from '../../src/sdk/bridge/preload.ts';
import { openClient, type WindowClient, type WindowClientOptions } from '../../src/sdk/bridge/window-client.ts';
import { Client } from '../../src/sdk/client.ts';
import type { Credentials } from '../../src/sdk/credentials/credentials.ts';
import { openCredentials } from '../../src/sdk/credentials/open-credentials.ts';
import { openKeychain } from '../../src/sdk/keychain/open-keychain.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { browserOf } from '../support/browser/player.ts';
import { WindowStandIn } from '../support/electron/window-stand-in.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';
import { starfall } from '../support/service/starfall.ts';
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
}

/** A window of the game, whose main process has the client. */
function openWindow<
  LobbyMetadata = Readonly<Record<string, string>>,
  MemberMetadata = Readonly<Record<string, string>>,
>(
  client: Client,
  {
    credentials,
    ...options
  }: WindowClientOptions<LobbyMetadata, MemberMetadata> & { readonly credentials?: Credentials } = {},
): Window<LobbyMetadata, MemberMetadata> {
  const standIn = new WindowStandIn();
  const server = serveWindows({ ipcMain: standIn.ipcMain, client, credentials });
  const page = standIn.open(
    () => exposeRallypoint(standIn.contextBridge, standIn.ipcRenderer),
    () => openClient(options),
  );
  cleanUp.push(async () => {
    await page.close();
    await server.close();
    standIn.close();
  });
  return { page, standIn };
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
        validate: value => ({ value: { level: Number((value as { level?: string }).level) } }),
      },
    };
    const { page } = openWindow(await connected(ada), { schemas: { member: schema } });
    const lobby = await page.lobbies.join('raid', { memberMetadata: { level: '7' } });
    expect(lobby.memberMetadata(ada.id)).toEqual({ level: 7 });
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
