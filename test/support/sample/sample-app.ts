import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AuthorizationArgs, Client } from '@rallypoint/sdk';
import { type Service, startService } from '@rallypoint/sdk/service';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type BuiltFiles, buildSample } from '../../../samples/electron-lobby/build.ts';
import { findChromium } from '../../../samples/electron-lobby/host/find-program.ts';
import { createStandIn } from '../../../samples/electron-lobby/host/stand-in.ts';
import { type AppSeams, type RunningApp, startApp } from '../../../samples/electron-lobby/main/app.ts';
import type { AppOptions } from '../../../samples/electron-lobby/main/options.ts';
import { applicationId, botToken, fixtures, friend } from '../../../samples/electron-lobby/starfall.ts';
import { type GameBackend, startGameBackend } from '../../../samples/game-backend/server.ts';
import { signInAs } from '../../../samples/quickstart/player-browser.ts';
import { SampleWindow } from './sample-window.ts';

/** Why tests that need a browser are skipped; undefined where there is one. */
export const chromiumMissing: string | undefined = findChromium()
  ? undefined
  : 'no Chromium on this machine (Debian: apt-get install chromium)';

/** What tests leave behind; git does not see it. */
const outputFolder = resolve(import.meta.dirname, '../../../test-output');
export const picturesFolder: string = join(outputFolder, 'sample');

/** The service and the game's server, as `npm run sample` starts them. */
export interface SampleWorld {
  /** The one that runs now. */
  readonly service: Service;
  readonly backend: GameBackend;
  /** For an app of this world. */
  readonly options: AppOptions;
  readonly files: BuiltFiles;
  /** Ends the service; it can be started again where it was, as it was. */
  stopService(): Promise<{ restart(): Promise<void> }>;
  close(): Promise<void>;
}

export async function openSampleWorld(): Promise<SampleWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'starfall-test-'));
  // Within the package, where what is built finds the package by its name.
  const built = mkdtempSync(join(mkdirOf(outputFolder), 'built-'));
  const files = await buildSample(built);
  const data = join(folder, 'service');
  let service = await startService({ fixtures, limits: 'off', data });
  const backend = await startGameBackend({ applicationId, botToken, baseUrl: service.webBase });
  const options: AppOptions = {
    applicationId,
    baseUrl: service.webBase,
    backendBase: backend.address,
    scheme: `discord-${applicationId}`,
    redirect: 'loopback',
    profile: join(folder, 'profile'),
    keychain: ['memory'],
    keychainService: 'Starfall tests',
  };
  return {
    get service() {
      return service;
    },
    backend,
    options,
    files,
    async stopService() {
      const { port } = new URL(service.webBase);
      await service.close();
      return {
        async restart() {
          service = await startService({ limits: 'off', data, port: Number(port) });
        },
      };
    },
    async close() {
      await backend.close();
      await service.close();
      for (const one of [folder, built]) rmSync(one, { recursive: true, force: true });
    },
  };
}

function mkdirOf(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The app without a browser. */
export interface SampleInNode {
  readonly app: RunningApp;
  readonly window: SampleWindow;
  /** Of the page that the app had the player's browser open last. */
  readonly pages: string[];
  close(): Promise<void>;
}

/** @param player who signs in when a page is opened; nobody: the page stays as it is */
export async function openInNode(
  world: SampleWorld,
  {
    options = {},
    seams = {},
    player,
  }: { readonly options?: Partial<AppOptions>; readonly seams?: AppSeams; readonly player?: string } = {},
): Promise<SampleInNode> {
  const pages: string[] = [];
  let window: SampleWindow | undefined;
  const standIn = createStandIn({
    pageScript: world.files.hostPage,
    async showWindow(address) {
      window = await SampleWindow.open(address);
      return { close: () => window?.close() };
    },
    async openPage(url) {
      pages.push(url);
      if (player !== undefined) await signInAs(player, url);
    },
  });
  const app = await startApp(standIn, { ...world.options, ...options }, world.files, seams);
  if (!window) throw new Error('The app showed no window.');
  return { app, window, pages, close: () => app.close() };
}

/** Another player's game, on the SDK alone. */
export async function openFriend(
  world: { readonly service: Pick<Service, 'apiBase' | 'webBase'> },
  username: string = friend.username,
): Promise<Client> {
  const { webBase: baseUrl } = world.service;
  const client = new Client({ applicationId, baseUrl, openBrowser: url => signInAs(username, url) });
  const { challenge, verifier } = client.createAuthorizationCodeVerifier();
  const grant = await client.authorize(new AuthorizationArgs().setCodeChallenge(challenge));
  client.updateToken((await client.getToken({ ...grant, verifier })).accessToken);
  await client.connect();
  return client;
}

/** The app in a real browser, and the browser it opens pages in. */
export interface SampleInChromium {
  readonly app: RunningApp;
  readonly window: Page;
  /** The next page that the app has the player's browser open. */
  nextPage(): Promise<Page>;
  close(): Promise<void>;
}

export function launchChromium(): Promise<Browser> {
  const executablePath = findChromium() ?? '';
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/** Starts the app by the stand-in, with playwright at its windows. */
export async function openInChromium(
  world: SampleWorld,
  browser: Browser,
  { options = {}, seams = {} }: { readonly options?: Partial<AppOptions>; readonly seams?: AppSeams } = {},
): Promise<SampleInChromium> {
  const windows = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  // Another context: the player's browser knows nothing of the game's window.
  const pages = await browser.newContext();
  const window = await windows.newPage();
  const opened: Page[] = [];
  let wake = () => {};
  const standIn = createStandIn({
    pageScript: world.files.hostPage,
    async showWindow(address) {
      await window.goto(address);
      return { close: () => void window.close() };
    },
    async openPage(url) {
      const page = await pages.newPage();
      await page.goto(url);
      opened.push(page);
      wake();
    },
  });
  const app = await startApp(standIn, { ...world.options, ...options }, world.files, seams);
  return {
    app,
    window,
    async nextPage() {
      while (opened.length === 0) {
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
      return opened.shift() as Page;
    },
    async close() {
      await app.close();
      await windows.close();
      await pages.close();
    },
  };
}

/** The machine's own fetch, which notes whatever must stay secret. */
export function tapped(secrets: string[]): typeof fetch & ((url: string, init: object) => Promise<Response>) {
  return async (url: string | URL | Request, init?: RequestInit) => {
    const form = new URLSearchParams(String(init?.body ?? ''));
    for (const name of ['code', 'code_verifier', 'refresh_token']) {
      const value = form.get(name);
      if (value !== null) secrets.push(value);
    }
    const answer = await fetch(url, init);
    const body = (await answer
      .clone()
      .json()
      .catch(() => ({}))) as Record<string, unknown>;
    for (const name of ['access_token', 'refresh_token', 'id_token']) {
      if (typeof body[name] === 'string') secrets.push(body[name]);
    }
    return answer;
  };
}

/** What a person does on the service's pages. */
export async function agreeAs(username: string, page: Page): Promise<void> {
  await page.getByRole('button', { name: `@${username}` }).click();
  await page.getByRole('button', { name: 'Authorize' }).click();
}
