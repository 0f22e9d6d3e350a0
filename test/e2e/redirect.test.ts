import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AuthorizationArgs, Client, listenForRedirects } from '@rallypoint/sdk';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildSample } from '../../samples/electron-lobby/build.ts';
import { variables } from '../../samples/electron-lobby/main/options.ts';
import { applicationId, friend } from '../../samples/electron-lobby/starfall.ts';
import { picturesFolder } from '../support/browser/chromium.ts';
import { Desktop, type DesktopBrowser, desktopParts } from '../support/browser/desktop.ts';
import { patiently, type Shell, Stage, type StageParts, scheme } from '../support/browser/desktop-sample.ts';
import { startKeyring } from '../support/keychain/real-keyring.ts';
import { type Needs, needs } from '../support/runs/parts.ts';
import { agreeAs, openFriend } from '../support/sample/sample-app.ts';
import { playSample } from '../support/sample/sample-scenario.ts';

/**
 * The whole way with nothing played: the game's window, its browser, `xdg-open`, the handler that the addon registered,
 * the forwarder, its socket, the token exchange with the service's process, the keychain's daemon, the lobby on screen.
 */
const needed = await needs(...desktopParts);
const pictures = picturesFolder('redirect');
const built = join(pictures, 'built');
const run = promisify(execFile);

const shells: readonly (readonly [Shell, Needs])[] = [
  ['stand-in', await needs()],
  ['electron', await needs('electron')],
];

let parts: StageParts;
let stage: Stage;

describe.skipIf(needed.missing)(`signing in on a desktop${needed.note}`, { timeout: 120_000 }, () => {
  let desktop: Desktop;
  let windows: DesktopBrowser;

  beforeAll(async () => {
    rmSync(pictures, { recursive: true, force: true });
    desktop = await Desktop.open();
    windows = await desktop.openBrowser('windows');
    // Inside the package: in Electron the main process asks for it by its name.
    parts = { desktop, windows, files: await buildSample(built) };
  }, 60_000);
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await shootAll();
    await stage?.close();
  }, 60_000);
  afterAll(async () => {
    await windows?.close();
    await desktop?.close();
    rmSync(built, { recursive: true, force: true });
  }, 60_000);

  for (const [shell, { missing, note }] of shells) {
    it.skipIf(missing)(`leads by the browser into a lobby, with the windows of ${shell}${note}`, async () => {
      stage = await Stage.open(parts);
      const { window } = await stage.startGame(shell);
      await window.getByText('The browser opens the game again by itself.').waitFor();
      await window.getByText('System keychain (keytar).').waitFor();
      const other = await openFriend({ service: stage.service.ready });
      onTestFinished(() => other.close());
      const picture = (name: string) => shoot(window, shell, name);
      await playSample({ window, nextPage: () => stage.signInPage(), friend: other, picture });
    });
  }

  it('continues after the game was killed meanwhile: the answer starts it, and it is signed in', async () => {
    stage = await Stage.open(parts);
    const first = await stage.startGame();
    const page = await askToSignIn(first.window);
    process.kill(first.pid, 'SIGKILL');
    await expect.poll(() => stage.games, patiently).toEqual([]);
    await shoot(page, 'cold-start', 'consent-without-a-game');
    await agreeAs('ada', page);
    const next = await stage.gameThatStarts();
    await isSignedIn(next.window, 'Ada');
    await shoot(page, 'cold-start', 'browser-afterwards');
    await shoot(next.window, 'cold-start', 'signed-in');
    expect(stage.games).toEqual([next.pid]);
  });

  it('continues in a game that the player has started again meanwhile', async () => {
    stage = await Stage.open(parts);
    const first = await stage.startGame();
    const page = await askToSignIn(first.window);
    await first.close();
    const next = await stage.startGame();
    await next.window.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await openAddress(`${scheme}:/authorize/callback?code=stolen&state=guessed`);
    await agreeAs('ada', page);
    await isSignedIn(next.window, 'Ada');
    expect(stage.games).toEqual([next.pid]);
  });

  it('says so when an address starts the game that answers nothing it asked', async () => {
    stage = await Stage.open(parts);
    await (await stage.startGame()).close();
    await openAddress(`${scheme}:/authorize/callback?code=stolen&state=guessed`);
    const { window } = await stage.gameThatStarts();
    await window.getByText('a sign-in that has ended').waitFor();
    await shoot(window, 'forged', 'late');
    await agreeAs('ada', await askToSignIn(window));
    await isSignedIn(window, 'Ada');
  });

  it('is not disturbed by a second copy of the game, which exits immediately', async () => {
    stage = await Stage.open(parts);
    const { window, pid } = await stage.startGame();
    const page = await askToSignIn(window);
    for (const args of [[], [`${scheme}:/authorize/callback?code=stolen&state=guessed`]]) {
      expect(await once(stage.startCopy(...args), 'exit')).toEqual([0, null]);
    }
    await isWaiting(window);
    await shoot(window, 'second-copy', 'still-waiting');
    await agreeAs('ada', page);
    await isSignedIn(window, 'Ada');
    expect(stage.games).toEqual([pid]);
  });

  it('ends with plain words when the player says no, and can be begun again', async () => {
    stage = await Stage.open(parts);
    const { window } = await stage.startGame();
    const page = await askToSignIn(window);
    await page.getByRole('button', { name: '@ada' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await window.getByRole('alert').waitFor();
    expect(await window.getByRole('alert').textContent()).toBe(
      'You said no in the browser.Sign in again if you change your mind.',
    );
    await shoot(window, 'declined', 'plain-words');
    const again = await askToSignIn(window);
    await again.getByRole('button', { name: 'Authorize' }).click();
    await isSignedIn(window, 'Ada');
  });

  it('waits on when the browser is closed without an answer, and can be cancelled and begun again', async () => {
    stage = await Stage.open(parts);
    const { window } = await stage.startGame();
    await askToSignIn(window);
    await stage.browser.close();
    await isWaiting(window);
    await stage.reopenBrowser();
    await window.getByRole('button', { name: 'Cancel' }).click();
    await window.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await window.getByRole('alert').isVisible()).toBe(false);
    await shoot(window, 'browser-closed', 'cancelled');
    await agreeAs('ada', await askToSignIn(window));
    await isSignedIn(window, 'Ada');
  });

  it('brings each of two windows that ask concurrently its own answer', async () => {
    stage = await Stage.open(parts);
    const { window } = await stage.startGame();
    const page = await askToSignIn(window);
    const other = await openOtherWindow();
    const answered = other.signIn();
    const otherPage = await stage.signInPage();
    await agreeAs(friend.username, otherPage);
    expect(await answered).toBe(friend.username);
    await isWaiting(window);
    await page.reload();
    await shoot(page, 'two-windows', 'the-other-player-is-signed-in');
    await page.getByRole('button', { name: 'Not you?' }).click();
    await agreeAs('ada', page);
    await isSignedIn(window, 'Ada');
    await shoot(window, 'two-windows', 'signed-in');
  });

  it('outlives a service that is killed between the player’s yes and the tokens', async () => {
    stage = await Stage.open(parts);
    const { window, pid } = await stage.startGame();
    const page = await askToSignIn(window);
    await page.getByRole('button', { name: '@ada' }).click();
    // The game hears nothing until the service is there again.
    process.kill(pid, 'SIGSTOP');
    const sentBack = page.waitForRequest(({ url }) => url().startsWith(`${scheme}:`)).catch(() => {});
    await page.getByRole('button', { name: 'Authorize' }).click();
    await sentBack;
    await stage.service.end('SIGKILL');
    await stage.service.start();
    process.kill(pid, 'SIGCONT');
    await isSignedIn(window, 'Ada');
    await shoot(window, 'service-killed', 'signed-in');
  });

  it('lasts while the service is started again, and for the next start of the game', async () => {
    stage = await Stage.open(parts);
    const { window, close } = await stage.startGame();
    await agreeAs('ada', await askToSignIn(window));
    await isSignedIn(window, 'Ada');
    await window.getByLabel('Create a lobby').fill('Night watch');
    await window.getByRole('button', { name: 'Create', exact: true }).click();
    await window.getByRole('heading', { name: 'Night watch' }).waitFor();
    await stage.service.end('SIGTERM');
    await window.getByText('Reconnecting', { exact: true }).waitFor();
    await shoot(window, 'service-restarted', 'connection-lost');
    await stage.service.start();
    await window.getByText('Live', { exact: true }).waitFor();
    await window.getByRole('heading', { name: 'Night watch' }).waitFor();
    await shoot(window, 'service-restarted', 'live-again');
    await close();

    const next = await stage.startGame();
    await isSignedIn(next.window, 'Ada');
    await next.window.getByText('Still signed in from last time.').first().waitFor({ state: 'attached' });
    await next.window.locator('.lobby-list').getByText('Night watch').waitFor();
    await shoot(next.window, 'service-restarted', 'next-start');
  });

  it('is for this run only where the keychain is locked, and only if the player says so', async () => {
    const keyring = await startKeyring();
    onTestFinished(() => keyring.stop());
    await keyring.lock();
    stage = await Stage.open(parts, keyring.env);
    const first = await stage.startGame();
    await first.window.getByRole('alert').waitFor();
    await shoot(first.window, 'keychain-locked', 'message');
    expect(await first.window.getByRole('button', { name: 'Sign in', exact: true }).count()).toBe(0);
    await first.window.getByRole('button', { name: 'Sign in for this run only' }).click();
    await agreeAs('ada', await stage.signInPage());
    await isSignedIn(first.window, 'Ada');
    expect(await keptIn(first.window)).toContain('This run only');
    await shoot(first.window, 'keychain-locked', 'this-run-only');
    await first.close();
    const next = await stage.startGame();
    await next.window.getByRole('button', { name: 'Sign in for this run only' }).waitFor();
  });

  it('is kept in an encrypted file where there is no keychain and the game allows that, and says so', async () => {
    stage = await Stage.open(parts, {
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
      [variables.keychain]: 'system,encrypted-file',
    });
    const first = await stage.startGame();
    await first.window.getByText('Encrypted file (file).').waitFor();
    await shoot(first.window, 'keychain-missing', 'stated');
    await agreeAs('ada', await askToSignIn(first.window));
    await isSignedIn(first.window, 'Ada');
    expect(await keptIn(first.window)).toContain('Encrypted file');
    await first.close();
    const next = await stage.startGame();
    await isSignedIn(next.window, 'Ada');
  });
});

const counts = new Map<string, number>();

/** Keeps a picture of what a person sees now, numbered within its story. */
async function shoot(page: Page, story: string, name: string): Promise<void> {
  const count = (counts.get(story) ?? 0) + 1;
  counts.set(story, count);
  await page.screenshot({ path: join(pictures, `${story}-${count}-${name}.png`) });
}

/** What was to be seen when something went wrong. */
async function shootAll(): Promise<void> {
  const pages = [parts.windows, stage.browser].flatMap(({ context }) => context.pages());
  for (const page of pages) await shoot(page, 'failed', 'then').catch(() => {});
}

/** @returns the page that the game opens */
async function askToSignIn(window: Page): Promise<Page> {
  await window.getByRole('button', { name: 'Sign in', exact: true }).click();
  await isWaiting(window);
  return stage.signInPage();
}

function isWaiting(window: Page): Promise<void> {
  return window.getByText('Waiting for your browser').waitFor();
}

async function isSignedIn(window: Page, name: string): Promise<void> {
  await window.getByText('Live', { exact: true }).waitFor();
  await expect.poll(() => window.getByRole('button', { name: `Account of ${name}` }).count(), patiently).toBe(1);
}

/** Where the game says it keeps the sign-in. */
async function keptIn(window: Page): Promise<string> {
  await window.getByRole('navigation').getByRole('button', { name: 'Account' }).click();
  return (await window.locator('.tiers [aria-current=true]').textContent()) ?? '';
}

/** As a browser does with an address of the scheme. */
async function openAddress(address: string): Promise<void> {
  await run('xdg-open', [address], { env: { ...parts.desktop.environment, ...stage.environment } });
}

/** Another window of the game, in this very process: it listens beside the first, and shows nothing. */
async function openOtherWindow(): Promise<{ signIn(): Promise<string> }> {
  const { webBase: baseUrl } = stage.service.ready;
  const client = new Client({ applicationId, baseUrl, openBrowser: openAddress });
  const { XDG_RUNTIME_DIR = '' } = parts.desktop.environment;
  const folder = join(XDG_RUNTIME_DIR, `rallypoint-${process.getuid?.()}`);
  const receiver = await listenForRedirects({ client, scheme, folder, argv: [] });
  onTestFinished(async () => {
    receiver.close();
    await client.close();
  });
  expect(receiver.isFirstInstance).toBe(false);
  return {
    async signIn() {
      const { challenge, verifier } = client.createAuthorizationCodeVerifier();
      const args = new AuthorizationArgs().setCustomSchemeParam(scheme).setCodeChallenge(challenge);
      const { accessToken } = await client.getToken({ ...(await client.authorize(args)), verifier });
      client.updateToken(accessToken);
      return (await client.fetchCurrentUser()).username;
    },
  };
}
