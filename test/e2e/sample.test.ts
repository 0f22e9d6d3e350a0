import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, _electron as electron, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findElectron } from '../../samples/electron-lobby/host/find-program.ts';
import { makeJoinCode } from '../../samples/electron-lobby/main/join-code.ts';
import { variables } from '../../samples/electron-lobby/main/options.ts';
import { faintTexts, heapOf, isWiderThanWindow, unnamedControls } from '../support/browser/page-checks.ts';
import { needs } from '../support/runs/parts.ts';
import {
  agreeAs,
  launchChromium,
  openFriend,
  openInChromium,
  openSampleWorld,
  picturesFolder,
  type SampleInChromium,
  type SampleWorld,
  tapped,
} from '../support/sample/sample-app.ts';
import { playSample } from '../support/sample/sample-scenario.ts';

const run = promisify(execFile);
const schemes = ['light', 'dark'] as const;
const chromium = await needs('browser');
const linux = await needs('linux');
const realElectron = await needs('electron', 'browser');

let world: SampleWorld;
let browser: Browser;
const open: { close(): Promise<void> }[] = [];

function boxOf(window: Page, selector: string): Promise<DOMRect> {
  return window.locator(selector).evaluate(element => element.getBoundingClientRect().toJSON());
}

function picture(window: Page, name: string): Promise<void> {
  return window.screenshot({ path: join(picturesFolder, `${name}.png`) }).then(() => {});
}

async function openApp(
  ...args: Parameters<typeof openInChromium> extends [unknown, unknown, ...infer Rest] ? Rest : never
) {
  const sample = await openInChromium(world, browser, ...args);
  open.push(sample);
  return sample;
}

async function signedIn(sample: SampleInChromium, player = 'ada'): Promise<void> {
  await sample.window.getByRole('button', { name: 'Sign in', exact: true }).click();
  await agreeAs(player, await sample.nextPage());
  await sample.window.getByText('Live', { exact: true }).waitFor();
}

describe.skipIf(chromium.missing)(`the sample in Chromium${chromium.note}`, () => {
  beforeAll(async () => {
    mkdirSync(picturesFolder, { recursive: true });
    world = await openSampleWorld();
    browser = await launchChromium();
  });

  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    await world.service.reset();
  });

  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('signs in by the service’s pages, edits the command, meets a friend in a lobby, signs out', async () => {
    const sample = await openApp();
    const friend = await openFriend(world);
    open.push(friend);
    await playSample({ ...sample, friend, picture: name => picture(sample.window, name) });
  }, 60_000);

  it.skipIf(linux.missing)(
    `offers this run only where there is no keychain, and again after signing out${linux.note}`,
    async () => {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere');
      onTestFinished(() => void vi.unstubAllEnvs());
      const { window, nextPage } = await openApp({ options: { keychain: ['system'] } });
      await window.getByRole('alert').waitFor();
      await window.locator('button.primary', { hasText: 'Sign in for this run only' }).click();
      await agreeAs('ada', await nextPage());
      await window.getByText('Live', { exact: true }).waitFor();
      await window.getByRole('button', { name: 'Account of Ada' }).click();
      await window.getByRole('button', { name: 'Sign out' }).click();
      await window.getByRole('button', { name: 'Sign in', exact: true }).click();
      // The browser still knows the player.
      await (await nextPage()).getByRole('button', { name: 'Authorize' }).click();
      await window.getByText('Live', { exact: true }).waitFor();
      expect(await window.getByRole('alert').count()).toBe(0);
    },
    60_000,
  );

  it('shows the same lobby after a reload, with its code and what happened in it', async () => {
    const sample = await openApp();
    const { window } = sample;
    await signedIn(sample);
    await window.getByLabel('Create a lobby').fill('Harbour');
    await window.getByRole('button', { name: 'Create', exact: true }).click();
    await window.getByRole('heading', { name: 'Harbour' }).waitFor();
    const code = (await window.locator('.join-code').textContent()) ?? '';
    const friend = await openFriend(world);
    open.push(friend);
    await (await friend.lobbies.join(code)).send('Ahoy');
    await window.getByText('Ahoy').waitFor();
    await window.reload();
    await window.getByRole('heading', { name: 'Harbour' }).waitFor();
    await window.getByText('Ahoy').waitFor();
    await window.locator('.event').getByText('Grace joined').waitFor();
    expect(await window.locator('.join-code').textContent()).toBe(code);
  }, 60_000);

  it('does all of it by keyboard alone', async () => {
    const { window, nextPage } = await openApp();
    const { keyboard } = window;
    const focused = () => window.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
    await expect.poll(focused).toBe('Sign in');
    await keyboard.press('Enter');
    await agreeAs('ada', await nextPage());
    await expect.poll(focused).toBe('Lobbies');

    await keyboard.press('Control+/');
    await window.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(focused).toBe('Lobbies');

    await keyboard.press('F6');
    await tabTo(window, '#title');
    await keyboard.type('By keys');
    await keyboard.press('Enter');
    await window.getByRole('heading', { name: 'By keys' }).waitFor();
    await keyboard.press('Control+j');
    await keyboard.type('one line');
    await keyboard.press('Shift+Enter');
    await keyboard.type('and another');
    await keyboard.press('Enter');
    await expect.poll(() => window.locator('.message.own p').textContent()).toBe('one line\nand another');
    await picture(window, 'by-keyboard');

    await keyboard.press('Control+k');
    expect(await focused()).toBe('code');
    const code = makeJoinCode();
    await keyboard.type(`${code}2`);
    await keyboard.press('Enter');
    await window.getByText('This is not a code of a lobby.').waitFor();
    await keyboard.press('Backspace');
    await keyboard.press('Enter');
    await window.getByText('No lobby has this code any more.').waitFor();
    await picture(window, 'no-such-lobby');
    await tabTo(window, 'text=Create it again');
    await keyboard.press('Enter');
    await window.getByRole('heading', { name: 'Ada’s lobby' }).waitFor();
    await expect.poll(() => window.locator('.lobby-list li').count()).toBe(2);
    await window.locator('.lobby-list button').first().focus();
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await window.getByRole('heading', { name: 'By keys' }).waitFor();

    await keyboard.press('Alt+4');
    await tabTo(window, 'text=Sign out');
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('Sign in');
  }, 60_000);

  it.each([
    ['a phone', 320, 560],
    ['a small window', 480, 800],
    ['a tablet', 768, 1024],
    ['a laptop', 1280, 720],
    ['a wall', 3840, 2160],
  ])(
    'fits %s, in light and dark: nothing is cut off, faint or without a name',
    async (name, width, height) => {
      const sample = await openApp();
      const { window } = sample;
      await window.setViewportSize({ width, height });
      const faults: string[] = [];
      const look = async (page: string) => {
        for (const colorScheme of schemes) {
          await window.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await picture(window, `${page}-${width}-${colorScheme}`);
          const found = [...(await faintTexts(window)), ...(await unnamedControls(window))];
          if (await isWiderThanWindow(window)) found.push('wider than the window');
          faults.push(...found.map(fault => `${page}, ${colorScheme}: ${fault}`));
        }
      };
      await look('welcome');
      await signedIn(sample);
      const friend = await openFriend(world);
      open.push(friend);
      await look('no-lobby');
      await window.getByLabel('Create a lobby').fill('A lobby with a name that is rather long for one');
      await window.getByRole('button', { name: 'Create', exact: true }).click();
      await window.locator('.join-code').waitFor();
      const { id: lobbyId } = await friend.lobbies.join((await window.locator('.join-code').textContent()) ?? '');
      await friend.lobbies.get(lobbyId)?.send(`${'Awordwithoutanend'.repeat(20)} and some more`);
      await window.locator('.message').waitFor();
      await look('lobby');
      // In between it is made like the page of lobbies.
      if (name === 'a phone' || name === 'a laptop') {
        await friend.friends.addByUsername('ada', { note: 'Awordwithoutanend'.repeat(7) });
        await window.getByRole('navigation').getByRole('button', { name: 'Friends' }).click();
        await window.getByRole('button', { name: 'Accept Grace' }).waitFor();
        await look('request');
        await window.getByRole('button', { name: 'Accept Grace' }).click();
        await window.getByRole('button', { name: /^Grace/ }).click();
        await window.getByRole('heading', { name: 'Grace' }).waitFor();
        await look('friend');
        const [ada] = friend.friends.search('ada');
        if (!ada) throw new Error('Grace has no friend.');
        await friend.presence.set({ party: { id: 'crew', size: [1, 4] }, joinSecret: 'the crew' });
        await friend.invites.send(ada.id);
        await window.locator('.invite').waitFor();
        await look('invite');
        expect((await boxOf(window, '.invites')).bottom).toBeLessThanOrEqual((await boxOf(window, '.shell main')).top);
      }
      for (const page of ['Entry point', 'Account'] as const) {
        await window.getByRole('navigation').getByRole('button', { name: page }).click();
        await look(page.toLowerCase().replace(' ', '-'));
      }
      expect(faults, name).toEqual([]);
    },
    60_000,
  );

  it('holds no token anywhere in the page: not in the document, not in memory, not in what it heard', async () => {
    const secrets: string[] = [];
    const sample = await openApp({ seams: { client: { fetch: tapped(secrets) } } });
    const { window } = sample;
    const heard: string[] = [];
    window.on('websocket', socket => socket.on('framereceived', ({ payload }) => heard.push(String(payload))));
    await window.reload();
    await signedIn(sample);
    await window.getByLabel('Create a lobby').fill('Quiet');
    await window.getByRole('button', { name: 'Create', exact: true }).click();
    await window.locator('.join-code').waitFor();
    const held = [await heapOf(window), await window.content(), ...heard];
    // They are really read: what the page does know is in them.
    for (const text of held.slice(0, 2)) expect(text.includes('Quiet')).toBe(true);
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    for (const secret of secrets) expect(held.some(text => text.includes(secret))).toBe(false);
    expect(await window.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length])).toEqual([
      '',
      0,
      0,
    ]);
  }, 60_000);

  it('runs no script but its own, and reaches no other host', async () => {
    const { window } = await openApp();
    await window.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    const reached = await window.evaluate(async elsewhere => {
      // Whoever debugs a page may do more within the same task.
      await new Promise(resolve => setTimeout(resolve));
      const refused = (work: () => unknown) =>
        Promise.resolve()
          .then(work)
          .then(
            () => 'done',
            () => 'refused',
          );
      return {
        markup: await refused(() => {
          document.body.innerHTML = '<img src=x onerror=alert(1)>';
        }),
        code: await refused(() => new Function('return 1')()),
        fetched: await refused(() => fetch(elsewhere)),
        node: typeof Object(window).require + typeof Object(window).process,
        bridge: Object.isFrozen(Object(globalThis).rallypoint),
      };
    }, world.service.webBase);
    expect(reached).toEqual({
      markup: 'refused',
      code: 'refused',
      fetched: 'refused',
      node: 'undefinedundefined',
      bridge: true,
    });
  });

  it('says that the connection is lost, tries again by itself, and shows what it missed', async () => {
    const sample = await openApp();
    const { window } = sample;
    await signedIn(sample);
    const { restart } = await world.stopService();
    await window.getByText('The connection was lost.').first().waitFor();
    await window.getByText('Reconnecting', { exact: true }).waitFor();
    await picture(window, 'connection-lost');
    // Before the service is back: soon after, the client has reconnected by itself, and the button is gone.
    await window.getByRole('button', { name: 'Try now' }).click();
    await restart();
    await window.getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => window.locator('.banner').isVisible()).toBe(false);
  }, 60_000);

  it('starts by one command, all of it together, and says what it runs in', async () => {
    const { stdout } = await run(
      process.execPath,
      ['samples/electron-lobby/run.ts', '--once', '--headless', '--stand-in'],
      {
        env: { ...process.env, [variables.redirect]: 'loopback', [variables.keychain]: 'memory' },
      },
    );
    expect(stdout).toMatch(/^Service +http/m);
    expect(stdout).toMatch(/^Game server +http/m);
    expect(stdout).toContain('run in Chromium instead');
    expect(stdout).toContain('The app has ended');
  }, 60_000);
});

describe.skipIf(realElectron.missing)(`the sample in Electron${realElectron.note}`, () => {
  it('does the same', async () => {
    mkdirSync(picturesFolder, { recursive: true });
    const own = await openSampleWorld();
    const people = await launchChromium();
    const friend = await openFriend(own);
    const environment = Object.entries(own.options).map(([name, value]) => [
      variables[name as keyof typeof variables],
      String(value),
    ]);
    const app = await electron.launch({
      executablePath: findElectron() ?? '',
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), own.files.main],
      env: { ...process.env, ...Object.fromEntries(environment) } as Record<string, string>,
    });
    try {
      await app.evaluate(({ shell }) => {
        shell.openExternal = async url => {
          Object.assign(globalThis, { openedPage: url });
        };
      });
      const window = await app.firstWindow();
      const nextPage = async () => {
        const url = () => app.evaluate(() => Object(globalThis).openedPage as string | undefined);
        await expect.poll(url).toBeTruthy();
        const page = await people.newPage();
        await page.goto((await url()) ?? '');
        return page;
      };
      await playSample({ window, nextPage, friend, picture: name => picture(window, `electron-${name}`) });
    } finally {
      await app.close();
      await friend.close();
      await people.close();
      await own.close();
    }
  }, 120_000);
});

/** Presses Tab until the focus is there. */
async function tabTo(window: Page, selector: string): Promise<void> {
  const target = window.locator(selector);
  for (let presses = 0; presses < 40; presses++) {
    if (
      await target.evaluate(element => element === document.activeElement || element.contains(document.activeElement))
    )
      return;
    await window.keyboard.press('Tab');
  }
  throw new Error(`Tab does not get to ${selector}.`);
}
