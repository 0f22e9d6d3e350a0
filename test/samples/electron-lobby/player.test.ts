import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@rallypoint/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeJoinCode } from '../../../samples/electron-lobby/main/join-code.ts';
import type { OpenRedirects } from '../../../samples/electron-lobby/main/redirects.ts';
import { type AppState, entriesOf } from '../../../samples/electron-lobby/renderer/model.ts';
import { nameOf, titleOf } from '../../../samples/electron-lobby/shared/names.ts';
import { applicationId, friend, owner } from '../../../samples/electron-lobby/starfall.ts';
import { decide } from '../../support/browser/player.ts';
import { needs } from '../../support/runs/parts.ts';
import {
  openFriend,
  openInNode,
  openSampleWorld,
  type SampleInNode,
  type SampleWorld,
  tapped,
} from '../../support/sample/sample-app.ts';

const linux = await needs('linux');
const addon = await needs('addon');

let world: SampleWorld;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  world = await openSampleWorld();
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  vi.unstubAllEnvs();
});

afterAll(() => world.close());

async function openApp(...args: Parameters<typeof openInNode> extends [unknown, ...infer Rest] ? Rest : never) {
  const sample = await openInNode(world, ...args);
  open.push(sample);
  return sample;
}

async function openGrace(): Promise<Client> {
  const client = await openFriend(world);
  open.push(client);
  return client;
}

/** Signed in, connected, and known by name. */
async function signedIn(player: string = owner.username): Promise<SampleInNode> {
  const sample = await openApp({ player });
  expect(await sample.window.call('signIn', false)).toEqual({ ok: true });
  await sample.window.sees(isThere);
  return sample;
}

const isThere = ({ signIn, player, connection, entryPoint }: AppState) =>
  signIn.status === 'signed-in' &&
  player !== undefined &&
  connection.status === 'ready' &&
  entryPoint.status === 'ready';

const isSignedOut = ({ signIn }: AppState) => signIn.status === 'signed-out';

const texts = ({ log }: AppState) => log.map(({ text }) => text).join('\n');

describe('signing in', () => {
  it('goes by the browser, and then the player has a name, a connection and the entry point', async () => {
    const { window, pages } = await signedIn();
    expect(pages).toHaveLength(1);
    expect(window.state).toMatchObject({
      player: { id: owner.id, username: 'ada', displayName: 'Ada' },
      connection: { status: 'ready' },
      signIn: { status: 'signed-in', tier: 'memory', backend: 'memory', scopes: 'openid sdk.social_layer' },
      entryPoint: { status: 'ready', mayEdit: true, entryPoint: { name: 'Launch' } },
      redirect: { way: 'loopback' },
    });
  });

  it('can be cancelled while the browser waits, and started again', async () => {
    const { window, pages } = await openApp();
    const first = window.call('signIn', false);
    await window.sees(({ signIn }) => signIn.status === 'signing-in');
    expect(await window.call('signIn', false)).toMatchObject({
      ok: false,
      problem: { code: 'authorization_in_progress' },
    });
    await expect.poll(() => pages.length).toBe(1);
    await window.call('reopenPage');
    expect(pages).toEqual([pages[0], pages[0]]);
    await window.call('cancelSignIn');
    expect(await first).toMatchObject({ ok: false, problem: { code: 'aborted' } });
    expect((await window.sees(isSignedOut)).signInProblem).toBeUndefined();
    await window.call('reopenPage');
    expect(pages).toHaveLength(2);
  });

  it('says so when the player declines', async () => {
    const { window, pages } = await openApp();
    const signIn = window.call('signIn', false);
    await expect.poll(() => pages.length).toBe(1);
    const declined = new URL(new URL(pages[0] ?? '').searchParams.get('redirect_uri') ?? '');
    declined.searchParams.set('error', 'access_denied');
    declined.searchParams.set('state', new URL(pages[0] ?? '').searchParams.get('state') ?? '');
    await fetch(declined);
    expect(await signIn).toMatchObject({ ok: false, problem: { code: 'access_denied', remedy: expect.any(String) } });
    // The service's own words are for developers.
    const problem = { code: 'access_denied', message: 'You said no in the browser.' };
    expect(window.state).toMatchObject({ signIn: { status: 'signed-out' }, signInProblem: problem });
  });

  describe('goes on where the last run was ended', () => {
    let stranded: string;
    let unclaimed: (address: string) => void;
    const scheme = `discord-${applicationId}`;

    /** A run whose redirects are the test's. */
    const openRun = (startAddress?: string) => {
      const openRedirects: OpenRedirects = async ({ onUnclaimed }) => {
        unclaimed = onUnclaimed;
        const view = Promise.resolve({ way: 'custom-scheme', scheme } as const);
        return { isFirstInstance: true, startAddress, view, close() {} };
      };
      return openApp({ options: { keychain: ['encrypted-file'] }, seams: { openRedirects } });
    };

    beforeEach(async () => {
      const { window, pages, close } = await openRun();
      void window.call('signIn', false);
      await expect.poll(() => pages.length).toBe(1);
      stranded = pages[0] ?? '';
      await close();
    });

    it('when the answer starts it', async () => {
      const { window, pages } = await openRun(await decide(world.service, stranded, owner.id));
      await window.sees(isThere);
      expect(pages).toEqual([]);
      await window.call('signOut');
    });

    it('when the answer comes to the next run, among others that are nobody’s', async () => {
      const { window } = await openRun();
      await window.sees(isSignedOut);
      unclaimed(`${scheme}:/authorize/callback?code=stolen&state=guessed`);
      unclaimed(await decide(world.service, stranded, owner.id));
      expect((await window.sees(isThere)).player?.id).toBe(owner.id);
      await window.call('signOut');
    });

    it('and says so when the player declined meanwhile', async () => {
      const { window } = await openRun(await decide(world.service, stranded, owner.id, 'deny'));
      const { signInProblem } = await window.sees(state => isSignedOut(state) && state.signInProblem !== undefined);
      expect({ problem: signInProblem }).toMatchObject({ problem: { code: 'access_denied' } });
    });

    it('and says so when the answer is to something else', async () => {
      const { window } = await openRun(`${scheme}:/authorize/callback?code=stolen&state=guessed`);
      const { signInProblem } = await window.sees(state => isSignedOut(state) && state.signInProblem !== undefined);
      expect({ problem: signInProblem }).toMatchObject({
        problem: { code: 'late_redirect', remedy: expect.any(String) },
      });
    });
  });

  it('is kept for the next run, and forgotten by signing out, here and at the service', async () => {
    const options = { keychain: ['encrypted-file'] } as const;
    const first = await openApp({ player: 'ada', options });
    await first.window.call('signIn', false);
    await first.window.sees(isThere);
    await first.window.call('createLobby', 'Kept');
    const { lobbyId } = await lobbyWith(first.window);
    await first.window.call('say', lobbyId, 'Until tomorrow');
    await first.close();

    const second = await openApp({ options });
    await second.window.sees(isThere);
    await second.window.call('showLobby', lobbyId);
    const lobby = await lobbyWith(second.window, ({ entries }) => entries.length > 0);
    expect(lobby.entries).toMatchObject([{ author: { id: owner.id }, content: 'Until tomorrow' }]);
    // It lets anybody in, so it is written down nowhere.
    expect(lobby.code).toBeUndefined();
    expect(second.pages).toEqual([]);
    expect(texts(second.window.state)).toContain('Still signed in from last time.');
    expect(await second.window.call('signOut')).toEqual({ ok: true });
    await second.window.sees(state => isSignedOut(state) && state.connection.status === 'disconnected');
    await second.close();

    const third = await openApp({ options });
    await third.window.sees(isSignedOut);
  });

  it('ends, saying why, when the service takes neither its token nor a refresh any more', async () => {
    const options = { keychain: ['encrypted-file'] } as const;
    const first = await openApp({ player: 'ada', options });
    await first.window.call('signIn', false);
    await first.window.sees(isThere);
    await first.close();
    await world.service.reset();
    const second = await openApp({ options });
    const { signInProblem } = await second.window.sees(
      state => isSignedOut(state) && state.signInProblem !== undefined,
    );
    expect({ problem: signInProblem }).toMatchObject({ problem: { code: 'revoked', remedy: 'Sign in again.' } });
  });

  it('is one for all windows of the game: who signs out in one is signed out in the others', async () => {
    const options = { keychain: ['encrypted-file'] } as const;
    const first = await openApp({ player: 'ada', options });
    await first.window.call('signIn', false);
    await first.window.sees(isThere);
    const second = await openApp({ options });
    await second.window.sees(isThere);
    expect(second.pages).toEqual([]);
    await first.window.call('signOut');
    const { signInProblem } = await second.window.sees(isSignedOut);
    expect({ problem: signInProblem }).toMatchObject({
      problem: { code: 'signed_out_elsewhere', message: 'You signed out in another window.' },
    });
  });

  it.skipIf(linux.missing)(
    `goes on without a keychain only if the player says so, for this run${linux.note}`,
    async () => {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere');
      const { window, pages } = await openApp({ player: 'ada', options: { keychain: ['system'] } });
      const { signInProblem: problem } = await window.sees(({ signIn }) => signIn.status === 'unavailable');
      expect(problem).toMatchObject({ code: expect.stringMatching(/^keychain_/) });
      expect(texts(window.state)).toContain('Your sign-in cannot be kept');
      expect(await window.call('signIn', false)).toMatchObject({ ok: false, problem });
      expect(pages).toEqual([]);
      expect(await window.call('signIn', true)).toEqual({ ok: true });
      expect(await window.sees(isThere)).toMatchObject({ signIn: { tier: 'memory', backend: 'memory' } });
    },
  );

  it('ends with everything that the player saw', async () => {
    const { window } = await signedIn();
    await window.call('createLobby', 'Crew');
    expect(await window.call('signOut')).toEqual({ ok: true });
    const { openLobby, lobbies, codes, player, entryPoint } = await window.sees(isSignedOut);
    expect({ openLobby, lobbies, codes, player, entryPoint }).toEqual({
      openLobby: undefined,
      lobbies: [],
      codes: {},
      player: undefined,
      entryPoint: { status: 'idle', entryPoint: null, players: [], mayEdit: false },
    });
  });
});

describe('the profile', () => {
  // Without the addon the lock between processes is a file that stays: deleting it would be a race.
  it.skipIf(addon.missing)(`of a player who never signed in is not left behind${addon.note}`, async () => {
    const profile = join(mkdtempSync(join(tmpdir(), 'starfall-profile-')), 'player');
    const sample = await openApp({ options: { profile } });
    await sample.window.sees(isSignedOut);
    await sample.close();
    expect(existsSync(profile)).toBe(false);
    rmdirSync(join(profile, '..'));
  });
});

describe('a lobby', () => {
  it('is made with a secret that lets a friend in, who is seen to come, talk and leave', async () => {
    const { window } = await signedIn();
    const grace = await openGrace();
    await window.call('createLobby', ' Friday crew ');
    const made = await lobbyWith(window);
    expect(made).toMatchObject({ title: 'Friday crew', members: ['Ada'] });

    const { id: lobbyId } = await grace.lobbies.join(made.code ?? '');
    const joined = await lobbyWith(window, ({ members, entries }) => members.length === 2 && entries.length > 0);
    expect(joined.members).toEqual(['Ada', 'Grace']);
    expect(joined.entries).toMatchObject([{ news: { memberId: friend.id, isJoin: true } }]);

    await grace.lobbies.get(lobbyId)?.send('Hello!');
    expect(await window.call('say', lobbyId, 'Hi Grace')).toEqual({ ok: true });
    const talked = await lobbyWith(window, ({ entries }) => entries.filter(entry => 'content' in entry).length === 2);
    expect(talked.entries).toMatchObject([
      { news: { text: 'Grace joined' } },
      { author: { id: friend.id, displayName: 'Grace' }, content: 'Hello!' },
      { author: { id: owner.id, displayName: 'Ada' }, content: 'Hi Grace' },
    ]);

    await grace.lobbies.get(lobbyId)?.leave();
    const left = await lobbyWith(window, ({ members, entries }) => members.length === 1 && entries.length === 4);
    expect(left.entries.at(-1)).toMatchObject({ news: { text: 'Grace left' } });
    await window.sees(state => texts(state).includes('Friday crew: Grace left.'));
  });

  it('is joined with a code, with what was said before; then its code can be copied', async () => {
    const grace = await openGrace();
    const code = makeJoinCode();
    const { id: lobbyId } = await grace.lobbies.join(code, { memberMetadata: { name: 'Grace H.' } });
    await grace.lobbies.get(lobbyId)?.send('Is anybody there?');
    const { window } = await signedIn();
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `;
    expect(await window.call('joinLobby', typed, false)).toMatchObject({ ok: true });
    const lobby = await lobbyWith(window, ({ entries, members }) => members.length === 2 && entries.length > 0);
    expect(lobby.entries[0]).toMatchObject({ content: 'Is anybody there?' });
    expect(lobby.members).toContain('Grace');
    await window.call('copyCode', lobbyId);
    await expect.poll(() => window.copied).toBe(code);
  });

  it('is not created by a mistyped code: that is found before anything is sent', async () => {
    const calls: string[] = [];
    const spy = (url: string | URL | Request, init?: RequestInit) => {
      calls.push(`${init?.method} ${new URL(String(url)).pathname}`);
      return fetch(url, init);
    };
    const { window } = await openApp({ player: 'ada', seams: { client: { fetch: spy } } });
    await window.call('signIn', false);
    await window.sees(isThere);
    const code = makeJoinCode();
    const wrong = code.slice(0, -1) + (code.endsWith('7') ? '8' : '7');
    for (const typed of [wrong, 'a secret', 'a'.repeat(251)]) {
      const outcome = await window.call('joinLobby', typed, true);
      expect(outcome).toMatchObject({ ok: false, problem: { code: 'mistyped_code', remedy: expect.any(String) } });
    }
    expect(calls).toContain('GET /api/v10/users/@me');
    expect(calls.filter(call => call.startsWith('PUT'))).toEqual([]);
  });

  it('that nobody has any more is left again, until the player says to create it', async () => {
    const { window } = await signedIn();
    const code = makeJoinCode();
    const before = window.state.lobbies;
    const outcome = await window.call('joinLobby', code, false);
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'no_such_lobby' } });
    expect(window.state.lobbies).toEqual(before);
    expect(window.state.openLobby).toBeUndefined();
    expect(await window.call('joinLobby', code, true)).toMatchObject({ ok: true });
    const lobby = await lobbyWith(window, ({ members }) => members.length === 1);
    expect(lobby).toMatchObject({ title: 'Ada’s lobby', code });
    // From now on others join it, and a second try does not leave it.
    expect(await window.call('joinLobby', code, false)).toMatchObject({ ok: true });
  });

  it('counts what others say while it is not shown', async () => {
    const { window } = await signedIn();
    const grace = await openGrace();
    await window.call('createLobby', 'Crew');
    const { code } = await lobbyWith(window);
    const { id: lobbyId } = await grace.lobbies.join(code ?? '');
    await window.call('showLobby', null);
    await grace.lobbies.get(lobbyId)?.send('One');
    await grace.lobbies.get(lobbyId)?.send('Two');
    await window.sees(({ unreadOf }) => unreadOf(lobbyId) === 2);
    await window.call('showLobby', lobbyId);
    await window.sees(({ openLobby }) => openLobby?.handle.unreadCount === 0);
    const { entries } = await lobbyWith(window);
    expect(entries.flatMap(entry => ('content' in entry ? [entry.content] : []))).toEqual(['One', 'Two']);
  });

  it('goes when it is left, and another one can be left as well as nothing', async () => {
    const { window } = await signedIn();
    await window.call('createLobby', 'Short');
    const { lobbyId } = await lobbyWith(window);
    expect(await window.call('leaveLobby', lobbyId)).toEqual({ ok: true });
    await window.sees(state => state.openLobby === undefined && !state.lobbies.some(({ id }) => id === lobbyId));
    await window.sees(state => texts(state).includes('You left Short.'));
    const gone = await window.call('say', lobbyId, 'Hello?');
    expect(gone).toMatchObject({ ok: false, problem: { code: expect.any(String), message: expect.any(String) } });
  });

  it('rejects a message that is too long, in words', async () => {
    const { window } = await signedIn();
    await window.call('createLobby', 'Crew');
    const { lobbyId } = await lobbyWith(window);
    expect(await window.call('say', lobbyId, 'a'.repeat(2_001))).toMatchObject({
      ok: false,
      problem: { code: 'invalid_form_body', message: expect.stringContaining('2000') },
    });
  });
});

describe('the entry point', () => {
  it('is edited by the owner, by way of the game’s server', async () => {
    const { window } = await signedIn();
    const draft = { name: 'Set sail', description: 'Opens Starfall', handler: 1 } as const;
    expect(await window.call('saveEntryPoint', draft)).toEqual({ ok: true });
    await window.sees(({ entryPoint }) => entryPoint.entryPoint?.name === 'Set sail');
    expect(texts(window.state)).toContain('The entry point was changed.');
    expect(await window.call('saveEntryPoint', draft)).toEqual({ ok: true });
    expect(texts(await window.sees(state => texts(state).includes('nothing was different')))).toContain('is unchanged');
  });

  it('names the faults of a draft field by field', async () => {
    const { window } = await signedIn();
    const outcome = await window.call('saveEntryPoint', { name: '', description: 'a'.repeat(101), handler: 2 });
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'invalid_command' } });
    expect(outcome.ok ? [] : outcome.problem.issues?.map(({ path }) => path[0])).toEqual(['name', 'description']);
  });

  it('is looked at by others, who may not change it', async () => {
    const { window } = await signedIn(friend.username);
    expect(window.state.entryPoint).toMatchObject({ status: 'ready', mayEdit: false });
    const outcome = await window.call('saveEntryPoint', { name: 'Mine', description: 'Mine now', handler: 1 });
    expect(outcome).toMatchObject({ ok: false, problem: { code: 'not_the_owner', remedy: expect.any(String) } });
  });

  it('shows others what is saved, and who comes and goes', async () => {
    const ada = await signedIn();
    const names = ({ entryPoint }: AppState) => entryPoint.players.map(({ displayName }) => displayName).sort();
    await ada.window.sees(state => names(state).join() === 'Ada');
    const grace = await signedIn(friend.username);
    expect(names(grace.window.state)).toEqual(['Ada', 'Grace']);
    await ada.window.sees(state => names(state).join() === 'Ada,Grace');
    const draft = { name: 'Cast off', description: 'Opens Starfall', handler: 2 } as const;
    expect(await ada.window.call('saveEntryPoint', draft)).toEqual({ ok: true });
    await grace.window.sees(({ entryPoint }) => entryPoint.entryPoint?.name === 'Cast off');
    await grace.window.call('signOut');
    await ada.window.sees(state => names(state).join() === 'Ada');
  });

  it('says so when the game’s server is away, while lobbies go on', async () => {
    const sample = await openApp({ player: 'ada', options: { backendBase: 'http://127.0.0.1:9' } });
    await sample.window.call('signIn', false);
    const { entryPoint } = await sample.window.sees(state => state.entryPoint.status === 'failed');
    expect(entryPoint.problem).toMatchObject({ code: 'backend_unreachable', remedy: expect.any(String) });
    await sample.window.sees(({ connection }) => connection.status === 'ready');
    expect(await sample.window.call('createLobby', 'Crew')).toMatchObject({ ok: true });
  });
});

describe('what crosses the bridge', () => {
  it('never carries a token, a code, a verifier or an address with a state', async () => {
    const tokens: string[] = [];
    const sample = await openApp({ player: 'ada', seams: { client: { fetch: tapped(tokens) } } });
    const { window, pages } = sample;
    await window.call('signIn', false);
    await window.sees(isThere);
    await window.call('createLobby', 'Crew');
    await window.call('saveEntryPoint', { name: 'Launch', description: 'Opens it', handler: 2 });
    await window.call('signOut');
    const address = new URL(pages[0] ?? '');
    const secrets = [
      ...tokens,
      address.searchParams.get('state') ?? '',
      address.searchParams.get('code_challenge') ?? '',
    ];
    // Access, refresh and ID token, code and verifier, state and challenge.
    expect(secrets.length).toBeGreaterThanOrEqual(7);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      for (const heard of window.heard) expect(heard).not.toContain(secret);
    }
    expect(window.heard.join('')).not.toMatch(/access_token|refresh_token|Bearer |botToken|code_verifier/i);
  });
});

/** The lobby that the window shows, in a few words. */
interface ShownLobby {
  readonly lobbyId: string;
  readonly title: string;
  readonly code: string | undefined;
  readonly members: readonly string[];
  readonly entries: ReturnType<typeof entriesOf>;
}

async function lobbyWith(
  window: SampleInNode['window'],
  fits: (lobby: ShownLobby) => boolean = () => true,
): Promise<ShownLobby> {
  const shown = (state: AppState): ShownLobby | undefined => {
    const { lobby } = state.openLobby ?? {};
    if (!lobby) return undefined;
    const { id: lobbyId } = lobby;
    const code = state.codes[lobbyId];
    return { lobbyId, title: titleOf(lobby), code, members: lobby.members.map(nameOf), entries: entriesOf(state) };
  };
  const state = await window.sees(now => {
    const lobby = shown(now);
    return lobby !== undefined && fits(lobby);
  });
  return shown(state) as ShownLobby;
}
