import { describe, expect, it, onTestFinished } from 'vitest';
import { AuthorizationArgs } from '../../../src/sdk/auth/authorization-args.ts';
import { Client } from '../../../src/sdk/client.ts';
import { listenForRedirects } from '../../../src/sdk/redirect/listen.ts';
import { startService } from '../../../src/service/index.ts';
import { decide } from '../../support/browser/player.ts';
import { starfall } from '../../support/service/starfall.ts';
import { forward, shortFolder } from './games.ts';

const [application] = starfall.applications;
const [, grace] = starfall.users;
const scheme = `discord-${application.id}`;

/** A service, and windows of one game whose browser hands the redirect to the game's socket. */
async function world() {
  const service = await startService({ fixtures: starfall, limits: 'off' });
  onTestFinished(() => service.close());
  const folder = shortFolder();
  const path = `${folder}/${scheme}.sock`;
  const window = async ({ argv = [] }: { argv?: string[] } = {}) => {
    const pages: string[] = [];
    const openBrowser = async (url: string) => void pages.push(url);
    const client = new Client({
      applicationId: application.id,
      baseUrl: service.webBase,
      openBrowser,
    });
    const receiver = await listenForRedirects({ client, scheme, folder, argv });
    onTestFinished(() => receiver.close());
    return { client, receiver, pages };
  };
  return { service, path, window, redirectOf: (page: string) => decide(service, page, grace.id) };
}

type Window = Awaited<ReturnType<Awaited<ReturnType<typeof world>>['window']>>;

/** Asks, and is closed before the player comes back; gives the page that was opened. */
async function askAndClose({ client, receiver, pages }: Window, args: AuthorizationArgs): Promise<string> {
  const closing = new AbortController();
  const asked = client.authorize(args, { redirect: 'custom-scheme', signal: closing.signal });
  const page = await pageOf(pages);
  closing.abort();
  await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  receiver.close();
  return page;
}

async function pageOf(pages: readonly string[]): Promise<string> {
  while (pages[0] === undefined) await new Promise(resolve => setImmediate(resolve));
  return pages[0];
}

describe('signing in through the socket', () => {
  it('gives tokens, and rejects the same redirect a second time', async () => {
    const { path, window, redirectOf } = await world();
    const { client, receiver, pages } = await window();
    const { challenge, verifier } = client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs().setCodeChallenge(challenge);
    const granted = client.authorize(args, { redirect: 'custom-scheme' });
    const redirect = await redirectOf(await pageOf(pages));
    expect(redirect.startsWith(`${receiver.redirectUri}?`)).toBe(true);
    const [first, second] = await Promise.all([forward(path, redirect), forward(path, redirect)]);
    expect([first, second].sort()).toEqual(['accepted', 'refused']);
    const tokens = await client.getToken({ ...(await granted), verifier });
    expect(tokens.accessToken).not.toBe('');
    expect(await forward(path, redirect)).toBe('refused');
  });

  it('delivers to each of two windows its own redirect when both sign in at the same time', async () => {
    const { path, window, redirectOf } = await world();
    const windows = [await window(), await window()];
    expect(windows.map(({ receiver }) => receiver.isFirstInstance)).toEqual([true, false]);
    const grants = windows.map(({ client }) => {
      const { challenge } = client.createAuthorizationCodeVerifier();
      return client.authorize(new AuthorizationArgs().setCodeChallenge(challenge), { redirect: 'custom-scheme' });
    });
    for (const { pages } of windows.toReversed()) {
      expect(await forward(path, await redirectOf(await pageOf(pages)))).toBe('accepted');
    }
    const codes = (await Promise.all(grants)).map(({ code }) => code);
    expect(new Set(codes).size).toBe(2);
  });

  it('is finished by the next process when the game was killed', async () => {
    const { window, redirectOf } = await world();
    const before = await window();
    const { challenge, verifier } = before.client.createAuthorizationCodeVerifier();
    const state = 'kept-by-the-game';
    const args = new AuthorizationArgs({ state, codeChallenge: challenge });
    const redirect = await redirectOf(await askAndClose(before, args));

    const { client, receiver } = await window({ argv: ['/game', redirect] });
    expect(receiver).toMatchObject({ isFirstInstance: true, startAddress: redirect });
    const answer = receiver.startAddress;
    await expect(
      client.authorize(new AuthorizationArgs({ codeChallenge: challenge }), { answer }),
    ).rejects.toMatchObject({ code: 'missing_state' });
    const other = new AuthorizationArgs({ state: 'another', codeChallenge: challenge });
    await expect(client.authorize(other, { answer })).rejects.toMatchObject({ code: 'foreign_redirect' });
    const grant = await client.authorize(args, { answer });
    expect((await client.getToken({ ...grant, verifier })).accessToken).not.toBe('');
  });

  it('also reports a decline to the next process', async () => {
    const { service, window } = await world();
    const before = await window();
    const { challenge } = before.client.createAuthorizationCodeVerifier();
    const args = new AuthorizationArgs({ state: 'kept', codeChallenge: challenge });
    const answer = await decide(service, await askAndClose(before, args), grace.id, 'deny');
    const { client } = await window({ argv: [answer] });
    await expect(client.authorize(args, { answer })).rejects.toMatchObject({
      name: 'OAuthError',
      code: 'access_denied',
    });
  });

  it('a window that waits gets the address of a copy that the system started in the moment between', async () => {
    const { window, redirectOf, path } = await world();
    const first = await window();
    const waiting = await window();
    const { challenge } = waiting.client.createAuthorizationCodeVerifier();
    const granted = waiting.client.authorize(new AuthorizationArgs().setCodeChallenge(challenge), {
      redirect: 'custom-scheme',
    });
    const redirect = await redirectOf(await pageOf(waiting.pages));
    // The first ends. The copy that is started now or the window that waits takes over, and the other one joins it.
    first.receiver.close();
    const started = await window({ argv: [redirect] });
    expect((await granted).code).not.toBe('');
    while (started.receiver.startAddress !== undefined) await new Promise(resolve => setImmediate(resolve));
    expect(await forward(path, redirect)).toBe('refused');
  });
});
