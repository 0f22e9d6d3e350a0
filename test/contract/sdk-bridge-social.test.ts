import { filter, firstValueFrom, type Observable } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveWindows } from '../../src/sdk/bridge/main.ts';
import { exposeRallypoint } from '../../src/sdk/bridge/preload.ts';
import { openClient, type WindowClient } from '../../src/sdk/bridge/window-client.ts';
import type { Client } from '../../src/sdk/index.ts';
import { createWorld, type World } from '../../src/testing/index.ts';
import { WindowStandIn } from '../support/electron/window-stand-in.ts';
import { isDeeplyFrozen } from '../support/runs/frozen.ts';

let world: World;
let ada: Client;
let page: WindowClient;
let close: () => Promise<unknown>;

beforeAll(async () => {
  world = await createWorld({ users: ['ada', 'grace'] });
  [ada] = await Promise.all([world.player('ada')]);
  const grace = await world.player('grace');
  const standIn = new WindowStandIn();
  const server = serveWindows({ pages: ['game://app/'], ipcMain: standIn.ipcMain, client: grace });
  page = standIn.open(
    () => exposeRallypoint(standIn.contextBridge, standIn.ipcRenderer),
    () => openClient(),
  );
  await page.opened;
  close = async () => {
    await page.close();
    await server.close();
  };
});

afterAll(async () => {
  await close();
  await world.close();
});

const idOf = (name: string) => world.user(name).id;
const until = <Value>(stream: Observable<Value>, fits: (value: Value) => boolean) =>
  firstValueFrom(stream.pipe(filter(fits)));

it('a window shows friends, presences, invites and conversations, and acts for the player', async () => {
  expect(page.friends.friends.unavailable).toEqual({ reason: 'not_connected' });
  await ada.friends.addByUsername('grace', { note: 'Hello' });
  const { incoming } = await until(page.friends.requests$, requests => requests.incoming.length > 0);
  expect(incoming).toMatchObject([{ username: 'ada', relationship: { note: 'Hello' } }]);
  await page.friends.accept(idOf('ada'));
  const lobby = await ada.lobbies.join('the harbour');
  await ada.presence.set({ state: 'Here', party: { id: lobby.id, size: [1, 4] }, joinSecret: 'the harbour' });
  const friends = await until(page.friends.friends$, one => one.onlinePlayingGame.length > 0);
  expect([isDeeplyFrozen(friends), page.friends.friends]).toEqual([true, friends]);
  expect(page.users.user(idOf('ada'))?.activity?.state).toBe('Here');
  expect((await until(page.presence.presence$(idOf('ada')), one => one.activity !== undefined)).status).toBe('online');
  expect(page.friends.search('ad')).toHaveLength(1);
  expect(page.friends.relationship(idOf('ada')).type).toBe('friend');
  expect(page.friends.relationship('5').type).toBe('none');
  expect(page.users.avatarUrl(idOf('ada'), 'webp', 'jpeg')).toMatch(/embed\/avatars\/\d\.png$/);
  expect(page.users.current).toBeUndefined();
  await until(page.users.user$(idOf('grace')), user => user !== undefined);
  expect(page.users.current?.username).toBe('grace');

  await page.presence.set({ details: 'On the way' });
  await until(page.presence.own$, one => one.activity?.details === 'On the way');
  await page.presence.setStatus('idle');
  expect(page.presence.own.status).toBe('idle');
  await page.presence.clear();

  await ada.invites.send(idOf('grace'), { content: 'Come!' });
  const [invite] = await until(page.invites.invites$, invites => invites.length > 0);
  expect(page.invites.invites).toMatchObject([{ content: 'Come!', isValid: true }]);
  const joined = await page.invites.join(invite?.id ?? '');
  expect(joined.members).toHaveLength(2);
  await until(page.invites.invites$, invites => invites.length === 0);

  const conversation = await page.messages.open(idOf('ada'));
  const sent = await conversation.send('Ahoy!');
  await until(conversation.messages$, messages => messages.some(({ status }) => status === 'sent'));
  expect(conversation.message(sent.id)?.content).toBe('Ahoy!');
  expect(conversation.disclosure).toBe('stored');
  await conversation.edit(sent.id, 'Ahoy, Ada!');
  await until(conversation.messages$, messages => messages[0]?.content === 'Ahoy, Ada!');
  await ada.messages.get(idOf('grace')).send('Welcome!');
  await until(page.messages.conversations$, () => page.messages.unreadCount === 1);
  expect(conversation.snapshot?.lastMessage?.content).toBe('Welcome!');
  conversation.markRead();
  await until(page.messages.conversations$, () => page.messages.unreadCount === 0);
  expect(await page.messages.summaries()).toHaveLength(1);
});

it('a window gets the errors of the main process, and arguments are checked there', async () => {
  await expect(page.friends.accept('5')).rejects.toMatchObject({ name: 'ArgumentError', code: 'wrong_relationship' });
  await expect(page.presence.set({ state: 'x' })).rejects.toMatchObject({ name: 'ValidationError' });
  await expect(page.friends.add(5 as never)).rejects.toMatchObject({ code: 'invalid_call_arguments' });
  await expect(page.presence.set('here' as never)).rejects.toMatchObject({ code: 'invalid_call_arguments' });
  await expect(page.invites.joinLaunch()).rejects.toMatchObject({ code: 'unknown_invite' });
  expect([page.invites.launch, page.invites.dismiss('5'), page.messages.get('5').discard('x')]).toEqual([
    undefined,
    false,
    false,
  ]);
});
