import { AssertionError } from 'node:assert';
import { expect, it } from 'vitest';
import * as fleet from '../../src/backend/fleet/index.ts';
import type { ReceivedInteraction } from '../../src/backend/index.ts';
import * as backendModule from '../../src/backend/index.ts';
import { serveWindows } from '../../src/sdk/bridge/main.ts';
import { exposeRallypoint } from '../../src/sdk/bridge/preload.ts';
import { openClient } from '../../src/sdk/bridge/window-client.ts';
import * as sdk from '../../src/sdk/index.ts';
import { memoryKeychain } from '../../src/sdk/keychain/opened-keychain.ts';
import * as testing from '../../src/testing/index.ts';
import { WindowStandIn } from '../support/electron/window-stand-in.ts';
import { temporaryFolder } from '../support/runs/folder.ts';

/** What programs without types pass by mistake. */
const mistakes = { null: null, undefined: undefined, number: 7, string: 'text', array: [], function: () => {} };

/** Arguments that fit one function or another, so that each gets as far as to look at the mistake. */
const fitting: readonly (readonly unknown[])[] = [
  ['3', '4', {}, {}],
  ['3', {}, {}, {}],
  [{}, {}, {}, {}],
  [() => {}, {}, {}, {}],
];

/** Functions that are left out, by name. */
const skipped = new RegExp(
  [
    // They end what is tested.
    'close|disconnect|settled|snapshot|restore|reset',
    // They are internal, or called by a framework.
    'constructor|attach|receive|began|forget|disconnected|forgotten|opened|open|post|recordBy|onConnection|onRequest',
    'fetch|handleRequest|fastify|handleAddress',
    // They reach beyond the process: a browser, the keychain, the desktop, a file, another service.
    'signIn|authorize|createWorld|openKeychain|registerScheme|unregisterScheme|doctor|save',
    // The model's functions take what was checked before.
    'invokingUser|allChannelsId|everyoneId',
    // RxJS reports what the selector throws, and the random source is a port of tests.
    'select\\$|createAuthorizationCodeVerifier',
  ]
    .map(names => `^(${names})$`)
    .join('|'),
);

/** The methods of an object and of its classes, and of a module its functions that are no classes. */
function functionsOf(object: object): Map<string, (...given: unknown[]) => unknown> {
  const found = new Map<string, (...given: unknown[]) => unknown>();
  for (let part = object; part && part !== Object.prototype; part = Object.getPrototypeOf(part)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(part))) {
      const isClass = /^class\b/.test(String(value));
      if (typeof value === 'function' && !isClass && !new RegExp(`^${skipped.source}`).test(name))
        found.set(name, value);
    }
  }
  return found;
}

it('no mistake in an argument of a public function comes back as anything but an error with a code', async () => {
  const world = await testing.createWorld();
  const { backend } = world;
  const ada = await world.player('ada');
  const lobby = await ada.lobbies.join('the harbour');
  const received = Promise.withResolvers<ReceivedInteraction>();
  await backend.commands.create({ name: 'rally', description: 'Calls your party together' });
  await backend.interactions.listen(interaction => received.resolve(interaction));
  const unanswered = world.user('ada').use('rally');
  unanswered.catch(() => {});

  const folder = await temporaryFolder();
  const { path } = folder;
  const credentials = await sdk.openCredentials({ client: ada, keychain: memoryKeychain(), folder: path });
  const standIn = new WindowStandIn();
  const windows = serveWindows({ pages: ['game://app/'], ipcMain: standIn.ipcMain, client: ada, credentials });
  const page = standIn.open(() => exposeRallypoint(standIn.contextBridge, standIn.ipcRenderer), openClient);
  await page.opened;

  const objects = {
    backend: backendModule,
    fleet,
    sdk,
    testing,
    lobbies: backend.lobbies,
    commands: backend.commands,
    guildCommands: backend.commands.inGuild('2'),
    overwrites: backend.overwrites,
    accounts: backend.provisionalAccounts,
    interactions: backend.interactions,
    moderation: backend.directMessages,
    players: backend.players,
    profiles: backend.profiles,
    managed: fleet.manageLobbies(backend),
    openLobbies: fleet.openLobbies(backend),
    interaction: await received.promise,
    client: ada,
    joined: ada.lobbies,
    lobby,
    call: lobby.call,
    friends: ada.friends,
    presence: ada.presence,
    invites: ada.invites,
    messages: ada.messages,
    conversation: ada.messages.get('3'),
    users: ada.users,
    credentials,
    page,
    pageLobbies: page.lobbies,
    pageLobby: page.lobbies.get(lobby.id) ?? {},
    pageFriends: page.friends,
    pagePresence: page.presence,
    pageInvites: page.invites,
    pageMessages: page.messages,
    args: new sdk.AuthorizationArgs(),
    world,
    user: world.user('ada'),
    faults: world.faults,
    traffic: world.traffic,
    recorder: testing.record(),
  };
  const wrong = new Set<string>();
  const underWay: Promise<unknown>[] = [];
  let calls = 0;
  for (const [of, object] of Object.entries(objects)) {
    for (const [name, call] of functionsOf(object)) {
      for (const given of fitting) {
        for (const at of given.keys()) {
          for (const [mistake, value] of Object.entries(mistakes)) {
            const note = (error: unknown) => {
              const isMeant = backendModule.isRallypointError(error) || error instanceof AssertionError;
              if (!isMeant) wrong.add(`${of}.${name} with ${mistake} as argument ${at + 1}: ${error}`);
            };
            calls++;
            try {
              underWay.push(Promise.resolve(call.apply(object, given.with(at, value))).catch(note));
            } catch (error) {
              note(error);
            }
          }
        }
      }
      await new Promise(setImmediate);
    }
  }
  await page.close();
  await windows.close();
  standIn.close();
  // Chat clients and deadlines come to their ends; what was opened on the way need not be closed by itself.
  await world.advance('1 min');
  await world.close().catch(() => {});
  await Promise.all(underWay);
  await folder.remove();
  expect([...wrong]).toEqual([]);
  expect(calls).toBeGreaterThan(10_000);
});
