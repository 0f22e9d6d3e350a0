import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { limitProfiles } from '../../src/model/limits/limit-profiles.ts';
import { deviceCodeGrantType } from '../../src/model/oauth.ts';
import { type Service, startService } from '../../src/service/service.ts';
import type { Fixtures } from '../../src/service/testing/fixtures/document.ts';
import { systemEntropy } from '../../src/wire/clock/ports.ts';
import { codeChallengeOf, createCodeVerifier } from '../../src/wire/oauth/pkce.ts';
import { launchChromium, picturesFolder } from '../support/browser/chromium.ts';
import { needs } from '../support/runs/parts.ts';

/** The pages as people have them: in a real browser, without script, by keyboard alone. */
const chromium = await needs('browser');
const password = 'correct horse battery';
const verifier = createCodeVerifier(systemEntropy);

const fixtures: Fixtures = {
  applications: [
    {
      id: '100',
      name: 'Starfall',
      description: 'A party game among the stars',
      owner_id: '9',
      public_client: true,
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ],
  users: [
    { id: '9', username: 'ada', global_name: 'Ada', locale: 'en-US', password },
    { id: '10', username: 'ben', locale: 'de' },
  ],
  guilds: [{ id: '5', name: 'Guild of the Stars', owner_id: '9' }],
};

let game: Server;
let callback: string;
let service: Service;
let byPassword: Service;
let browser: Browser;

describe.skipIf(chromium.missing)(`the pages in Chromium${chromium.note}`, () => {
  beforeAll(async () => {
    game = createServer((_request, response) => response.end('Back in the game.'));
    game.listen(0, '127.0.0.1');
    await once(game, 'listening');
    callback = `http://127.0.0.1:${(game.address() as AddressInfo).port}/callback`;
    service = await startService({ fixtures, limits: 'off' });
    byPassword = await startService({ fixtures, signIn: 'password' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await byPassword?.close();
    game?.close();
  });

  it('lead by keyboard alone from the sign-in over consent to the game, with a code it can exchange', async () => {
    const page = await openPage(authorizeUrl(service));
    await pressOn(page, 'Ada @ada');
    await page.waitForSelector('h1:has-text("Let Starfall use your account?")');
    expect(await tabOrder(page)).toEqual(['Not you?', 'Cancel', 'Authorize']);
    await pressOn(page, 'Authorize');
    await page.waitForURL(`${callback}?**`);
    const answer = new URL(page.url()).searchParams;
    expect(answer.get('state')).toBe('state-1');
    const { status } = await post(service, '/oauth2/token', {
      grant_type: 'authorization_code',
      client_id: '100',
      code: answer.get('code') ?? '',
      redirect_uri: callback,
      code_verifier: verifier,
    });
    expect(status).toBe(200);
  });

  it('say that a password is wrong, stay where it is typed again, and let one cancel', async () => {
    const page = await openPage(authorizeUrl(byPassword));
    expect(await tabOrder(page)).toEqual(['User name', 'Password', 'Sign in']);
    await focusOn(page, 'User name');
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]:has-text("The user name or the password is wrong.")');
    expect(await focused(page)).toMatchObject({
      name: 'Password',
      describedBy: 'The user name or the password is wrong.',
    });
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Let Starfall use your account?")');
    await pressOn(page, 'Cancel');
    await page.waitForURL(`${callback}?**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  it('say after too many wrong passwords when to try again', async () => {
    const page = await openPage(authorizeUrl(byPassword));
    const { requests } = limitProfiles.standard.buckets['sign-in-user'] ?? expect.fail();
    for (let count = 0; count <= requests; count++) {
      await page.fill('#name', 'somebody');
      await page.fill('#password', 'nonsense');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    }
    expect(await page.textContent('[role=alert]')).toBe('Too many wrong attempts. Try again in 5 minutes.');
  });

  it('connect a device by the code typed in small letters', async () => {
    const { body } = await post(service, '/oauth2/device/authorize', {
      client_id: '100',
      scope: 'openid sdk.social_layer_presence',
    });
    const userCode = String(body.user_code);
    const page = await openPage(String(body.verification_uri));
    expect(await focused(page)).toMatchObject({ name: 'Code' });
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Choose who you are")');
    await pressOn(page, 'Ada @ada');
    await page.waitForSelector('[role=alert]:has-text("This code is wrong or has expired")');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${userCode.slice(0, 4).toLowerCase()}-${userCode.slice(4).toLowerCase()}`);
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("Let Starfall use your account on your device?")');
    await pressOn(page, 'Authorize');
    await page.waitForSelector('h1:has-text("Your device is connected")');
    const tokens = await post(service, '/oauth2/token', {
      grant_type: deviceCodeGrantType,
      client_id: '100',
      device_code: String(body.device_code),
    });
    expect(tokens.status).toBe(200);
    expect(tokens.body.scope).toBe('openid sdk.social_layer_presence');
  });

  it('add a bot to a server that is chosen by keyboard, and say that it is done', async () => {
    const page = await openPage(
      `${service.webBase}/oauth2/authorize?${new URLSearchParams({ client_id: '100', scope: 'bot', permissions: '2048' })}`,
    );
    await pressOn(page, 'Ada @ada');
    await page.waitForSelector('li:has-text("Send messages")');
    await focusOn(page, 'Add it to a server');
    await page.keyboard.type('Guild');
    await pressOn(page, 'Authorize');
    const heading = await page.waitForSelector('h1:has-text("Application added")');
    expect(await heading.isVisible()).toBe(true);
  });

  it('show nothing of themselves inside the frame of another site', async () => {
    const page = await openPage(callback);
    await page.setContent(`<iframe src="${authorizeUrl(service)}"></iframe>`);
    const [, frame] = page.frames();
    await frame?.waitForLoadState();
    expect(await frame?.locator('h1').count()).toBe(0);
  });

  const looks: readonly BrowserContextOptions[] = [320, 1280].flatMap(width =>
    (['light', 'dark'] as const).map(colorScheme => ({ viewport: { width, height: 800 }, colorScheme })),
  );

  it.each(looks)('fit the window, $viewport.width wide and $colorScheme', async look => {
    const page = await openPage(authorizeUrl(service), look);
    const picture = async (name: string) => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(
        look.viewport?.width ?? 0,
      );
      const file = `${name}-${look.viewport?.width}-${look.colorScheme}.png`;
      await page.screenshot({ path: join(picturesFolder('pages'), file), fullPage: true });
    };
    await picture('choose-user');
    await page.click('button:has-text("Ada")');
    await picture('consent');
    await page.goto(authorizeUrl(service, { scope: 'bot', permissions: '8800387989503', guild_id: '5' }));
    await picture('consent-bot');
    await page.goto(authorizeUrl(service, { client_id: '404' }));
    await picture('error');
    await page.goto(`${service.webBase}/activate`);
    await picture('device-code');
    await page.goto(`${service.webBase}/activate?user_code=nonsense`);
    await picture('device-unknown');
    const { body } = await post(service, '/oauth2/device/authorize', { client_id: '100', scope: 'sdk.social_layer' });
    await page.goto(String(body.verification_uri_complete));
    await picture('device-consent');
    await page.click('button[value=approve]');
    await picture('device-connected');
    await page.goto(authorizeUrl(byPassword));
    await picture('password');
    await page.fill('#name', 'nobody');
    await page.fill('#password', 'nonsense');
    await page.click('button');
    await picture('password-wrong');
  });

  it.each([
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ])('keep the buttons of consent in view, $width × $height', async viewport => {
    const page = await openPage(authorizeUrl(service), { viewport });
    await page.click('button:has-text("Ada")');
    const { body } = await post(service, '/oauth2/device/authorize', { client_id: '100', scope: 'sdk.social_layer' });
    for (const url of [
      page.url(),
      authorizeUrl(service, { scope: 'bot applications.commands identify email', permissions: '8800387989503' }),
      String(body.verification_uri_complete),
    ]) {
      await page.goto(url);
      for (const name of ['Cancel', 'Authorize']) {
        const box = await page.getByRole('button', { name, exact: true }).boundingBox();
        expect((box?.y ?? Number.NaN) + (box?.height ?? 0), `${name} at ${url}`).toBeLessThanOrEqual(viewport.height);
      }
    }
  });

  it('fit the smallest window with names and descriptions that have no blanks', async () => {
    const own = await startService({
      fixtures: {
        applications: [
          {
            ...{ id: '100', owner_id: '9', public_client: true, redirect_uris: ['http://127.0.0.1/callback'] },
            ...{ name: 'S'.repeat(100), description: `https://game.example/${'d'.repeat(300)}` },
          },
        ],
        users: [{ id: '9', username: 'u'.repeat(32), global_name: 'A'.repeat(32) }],
        guilds: [{ id: '5', name: 'G'.repeat(100), owner_id: '9' }],
      },
      limits: 'off',
    });
    onTestFinished(() => own.close());
    const page = await openPage(authorizeUrl(own), { viewport: { width: 320, height: 800 } });
    const fits = async (name: string) =>
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(320);
    await fits('choose-user');
    await page.click('button.person');
    await fits('consent');
    await page.goto(authorizeUrl(own, { scope: 'bot rpc', permissions: '8' }));
    await fits('consent-bot');
    const { body } = await post(own, '/oauth2/device/authorize', { client_id: '100', scope: 'sdk.social_layer' });
    await page.goto(String(body.verification_uri_complete));
    await fits('device-consent');
  });

  it.each(['de', 'fr', 'es-ES', 'pt-BR', 'ja'])('fit the smallest window in %s', async locale => {
    await service.close();
    service = await startService({
      fixtures: { ...fixtures, users: [{ id: '9', username: 'ada', locale: locale as 'de' }], guilds: [] },
      limits: 'off',
    });
    const page = await openPage(authorizeUrl(service), { viewport: { width: 320, height: 800 }, locale });
    for (const name of ['choose-user', 'consent']) {
      expect(await page.getAttribute('html', 'lang')).toBe(locale);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await page.screenshot({ path: join(picturesFolder('pages'), `${name}-320-${locale}.png`), fullPage: true });
      if (name === 'choose-user') await page.click('button.person');
    }
  });
});

/** A page of a browser of its own, which runs no script. */
async function openPage(url: string, look: BrowserContextOptions = {}): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ locale: 'en-US', ...look, javaScriptEnabled: false });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(url);
  return page;
}

function authorizeUrl({ webBase }: Service, changes: Readonly<Record<string, string>> = {}): string {
  const parameters = new URLSearchParams({
    client_id: '100',
    response_type: 'code',
    scope: 'openid sdk.social_layer',
    redirect_uri: callback,
    state: 'state-1',
    code_challenge: codeChallengeOf(verifier),
    code_challenge_method: 'S256',
    ...changes,
  });
  return `${webBase}/oauth2/authorize?${parameters}`;
}

async function post({ apiBase }: Service, path: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(`${apiBase}/v10${path}`, { method: 'POST', body: new URLSearchParams(form) });
  const body: Record<string, unknown> = await response.json();
  return { status: response.status, body };
}

interface Focused {
  /** What it is called: its label, else its text; empty where nothing has the focus. */
  readonly name: string;
  readonly describedBy: string;
  /** Whether one sees that it has the focus. */
  readonly isShown: boolean;
}

function focused(page: Page): Promise<Focused> {
  return page.evaluate(() => {
    const text = (element: Element | null | undefined) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
    const element = document.activeElement;
    if (!element || element === document.body) return { name: '', describedBy: '', isShown: false };
    const { labels } = element as HTMLInputElement;
    const inner = element.cloneNode(true) as Element;
    for (const hidden of inner.querySelectorAll('[aria-hidden=true]')) hidden.remove();
    return {
      name: text(labels?.[0]) || text(inner),
      describedBy: text(document.getElementById(element.getAttribute('aria-describedby') ?? '')),
      isShown: getComputedStyle(element).outlineStyle !== 'none',
    };
  });
}

const stopsMax = 30;

/** Goes on with the Tab key until the thing of that name has the focus; whatever has it on the way can be seen. */
async function focusOn(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < stopsMax; stops++) {
    const { name: found, isShown } = await focused(page);
    if (found !== '') expect(isShown, found).toBe(true);
    if (found === name) return;
    passed.push(found);
    await page.keyboard.press('Tab');
  }
  expect.fail(`The Tab key never came to "${name}", only to ${passed.join(', ')}.`);
}

async function pressOn(page: Page, name: string): Promise<void> {
  await focusOn(page, name);
  await page.keyboard.press('Enter');
}

/** The names of all that the Tab key comes to, once around. */
async function tabOrder(page: Page): Promise<string[]> {
  const names: string[] = [];
  for (let stops = 0; stops < stopsMax; stops++) {
    await page.keyboard.press('Tab');
    const { name } = await focused(page);
    if (name === '' || name === names[0]) return names;
    names.push(name);
  }
  return names;
}
