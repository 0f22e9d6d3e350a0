import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { viewNames } from '../../../src/console/router.ts';
import { createWorld, type World } from '../../../src/testing/index.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { isWiderThanWindow } from '../../support/browser/page-checks.ts';
import { accessibilityIssues, addressOf, ConsolePage, windows } from '../../support/console/console-page.ts';
import { needs } from '../../support/runs/parts.ts';

/** The console of a world in which something happens: every view for everybody, and the way in for nobody else. */
const chromium = await needs('browser');

let world: World;
let lobbyId: string;
let browser: Browser;
let context: BrowserContext;

describe.skipIf(chromium.missing)(`the console in Chromium${chromium.note}`, () => {
  beforeAll(async () => {
    world = await createWorld({ users: ['ada', 'grace'] });
    lobbyId = await fill(world);
    browser = await launchChromium();
    context = await browser.newContext({ viewport: windows.wide });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  it('signs in by the link of the ready line, and leaves the token neither in the address nor in the history', async () => {
    const { page } = await openConsole();
    await page.waitForSelector('h1:has-text("Overview")');
    expect(page.url()).toBe(addressOf(consoleUrl(), '#/'));
    await page.click('nav >> text=Traffic');
    await page.goBack();
    expect(page.url()).not.toContain(token());
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]));
    expect(stored).not.toContain(token());
  });

  it('tells what caused what, from a request to its events, and copies the request as a command line', async () => {
    const { page } = await openConsole('#/traffic?route=createLobbyMessage');
    await page.click('.table-row:has-text("createLobbyMessage")');
    await page.waitForSelector('.traffic-tree ul a:has-text("LOBBY_MESSAGE_CREATE")');
    expect(await page.textContent('.traffic-detail .json')).toContain('"Ahoy"');
    await page.click('button:has-text("Copy as curl")');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`/api/v10/lobbies/${lobbyId}/messages`);
    expect(copied).toContain('"authorization: Bearer $ACCESS_TOKEN"');
  });

  it('shows live what happens', async () => {
    const { page } = await openConsole('#/traffic?kind=request');
    await page.waitForSelector('.table-row');
    await world.backend.lobbies.edit(lobbyId, { metadata: { map: 'reef' } });
    await page.waitForSelector('.table-row:has-text("editLobby")');
  });

  it.each(viewNames)('the view "%s" is for everybody: with every device, in light and dark, by name', async view => {
    const { page, errors, outside } = await openConsole(`#/${view === 'overview' ? '' : view}`);
    await page.waitForSelector('main h1');
    await page.waitForFunction(() => !document.querySelector('main .loading'));
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityIssues(page, ['color-contrast'])).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(windows.phone);
    expect(await isWiderThanWindow(page)).toBe(false);
    expect([...errors, ...outside]).toEqual([]);
  });

  it('lets no page of another origin read from it, frame it or hold on to its window', async () => {
    const stranger = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>stranger</title>');
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const page = await context.newPage();
    onTestFinished(() => page.close());
    await page.goto(`http://localhost:${(stranger.address() as AddressInfo).port}/`);
    const found = await page.evaluate(
      async ({ base, url, token }) => {
        const read = (path: string, init: RequestInit = {}) =>
          fetch(`${base}${path}`, init).then(
            () => 'read',
            () => 'blocked',
          );
        const frame = document.createElement('iframe');
        frame.src = url;
        const loaded = new Promise(resolve => frame.addEventListener('load', resolve));
        document.body.append(frame);
        await loaded;
        let framed = 'blocked';
        try {
          if (frame.contentDocument) framed = 'readable';
        } catch {
          // Another origin.
        }
        return {
          framed,
          status: await read('/control/status', { headers: { authorization: `Bearer ${token}` } }),
          simple: await read('/control/reset', { method: 'POST' }),
          page: await read('/console'),
        };
      },
      { base: world.service.webBase, url: consoleUrl(), token: token() },
    );
    expect(found).toEqual({ framed: 'blocked', status: 'blocked', simple: 'blocked', page: 'blocked' });
    expect(page.frames().map(frame => frame.url())).not.toContain(consoleUrl());
    expect((await world.backend.lobbies.get(lobbyId)).id).toBe(lobbyId);
  });
});

/** Something of everything that the views show. */
async function fill(world: World): Promise<string> {
  const { backend, service } = world;
  // The traffic is recorded from the first use of the console on.
  await fetch(`${service.controlBase}/status`, { headers: { authorization: `Bearer ${service.controlToken}` } });
  await backend.commands.create({ name: 'rally', description: 'Calls your party together' });
  const { id } = await backend.lobbies.create({ metadata: { map: 'harbour' } });
  const ada = await world.player('ada');
  await backend.lobbies.putMember(id, world.user('ada').id);
  await world.settled();
  await ada.lobbies.get(id)?.send('Ahoy');
  return id;
}

function consoleUrl(): string {
  return world.service.consoleUrl ?? expect.fail();
}

function token(): string {
  return world.service.controlToken;
}

/** A tab, signed in, at that view. */
async function openConsole(hash?: string): Promise<ConsolePage> {
  const opened = new ConsolePage(await context.newPage(), consoleUrl());
  onTestFinished(() => opened.page.close());
  await opened.page.goto(consoleUrl());
  if (hash !== undefined) await opened.go(hash);
  return opened;
}
