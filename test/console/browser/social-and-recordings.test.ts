import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, type World } from '../../../src/testing/index.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { isWiderThanWindow } from '../../support/browser/page-checks.ts';
import { accessibilityIssues, ConsolePage, windows } from '../../support/console/console-page.ts';
import { needs } from '../../support/runs/parts.ts';
import { control } from '../../support/service/control-client.ts';

/** What users are to each other, what is deleted, and what leaves the traffic and comes back. */
const chromium = await needs('browser');

/** Markup, a turned direction and one endless word: as names and messages of players. */
const hostile = '<img src=x onerror="window.owned=1">\u202egnp.exe';
const endless = 'W'.repeat(1500);

let world: World;
let browser: Browser;
let context: BrowserContext;

describe.skipIf(chromium.missing)(`the console in Chromium, for users and recordings${chromium.note}`, () => {
  beforeAll(async () => {
    world = await createWorld({
      users: ['ada', { username: 'grace', global_name: hostile.slice(0, 32) }, 'linus', 'margaret'],
    });
    await control(world.service, 'GET /traffic');
    const [ada, grace, linus, margaret] = ['ada', 'grace', 'linus', 'margaret'].map(name => world.user(name).id);
    await control(
      world.service,
      'POST /fixtures',
      {},
      {
        relationships: [
          { users: [linus, ada], type: 'request' },
          { users: [ada, margaret], type: 'block' },
          { users: [margaret, ada], type: 'block' },
        ],
        direct_messages: [
          { author_id: grace, recipient_id: ada, content: hostile },
          { author_id: ada, recipient_id: grace, content: endless },
        ],
      },
    );
    browser = await launchChromium();
    context = await browser.newContext({ viewport: windows.wide });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  const social = (name: string, more = '') => `#/world/users/${world.user(name).id}?tab=social${more}`;

  it('shows what a user is to others, and acts as the user: accepts, makes friends, shows an activity, invites', async () => {
    const { page, errors } = await open(social('ada'));
    const card = page.locator('section[aria-label=Relationships]');
    await card.getByText('request received').waitFor();
    expect(await card.getByText('Blocked by').count()).toBe(1);
    expect(await accessibilityIssues(page)).toEqual([]);
    await card.getByRole('button', { name: 'Accept the request of Linus' }).click();
    await card.getByRole('listitem').filter({ hasText: 'Linus' }).getByText('friend').waitFor();
    await card.getByLabel('Other user').fill('grace');
    await card.getByText('@grace').waitFor();
    await card.getByRole('button', { name: 'Make friends' }).click();
    await card.getByRole('listitem').filter({ hasText: 'onerror' }).getByText('friend').waitFor();

    const presence = page.locator('section[aria-label=Presence]');
    await presence.getByLabel('Details').fill(hostile);
    await presence.getByLabel('Party id').fill('party');
    await presence.getByRole('button', { name: 'Show it' }).click();
    await presence.getByText('party 1/4').first().waitFor();
    await page.goto(page.url().replace(/#.*/, social('ada', `&with=${world.user('grace').id}`)));
    const talk = page.locator('section[aria-label=Conversations]');
    await talk.getByText(hostile).waitFor();
    // The direction of the text around it does not turn, and the character is named.
    const mark = talk.locator('.control-character').first();
    expect(await mark.getAttribute('data-code')).toBe('\\u202e');
    expect(await mark.evaluate(element => getComputedStyle(element).unicodeBidi)).toBe('isolate');
    await talk.getByLabel('Send by').selectOption({ label: 'Game' });
    await talk.getByRole('button', { name: 'Send an invite' }).click();
    await talk.getByText('invite to an activity').waitFor();
    await talk.getByLabel('Message', { exact: true }).fill('Join us');
    await talk.getByLabel('Message', { exact: true }).press('Enter');
    await talk.getByText('Join us').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityIssues(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize(windows.phone);
    expect(await isWiderThanWindow(page)).toBe(false);
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(errors).toEqual([]);
    const told = await control(world.service, 'GET /users/{id}/social', { id: world.user('grace').id });
    expect(told).toMatchObject({ relationships: [{ type: 1 }], conversations: [{ message_count: 4 }] });
  });

  it('saves what a user has set, and tells others', async () => {
    const { page } = await open(social('linus'));
    const card = page.locator('section[aria-label=Settings]');
    await card.getByLabel('Status', { exact: true }).selectOption('dnd');
    await card.getByLabel('Custom status').fill('Away');
    await card.getByLabel('Others may send friend requests').uncheck();
    await card.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The settings were saved.').waitFor();
    const { settings } = await control(world.service, 'GET /users/{id}/social', { id: world.user('linus').id });
    expect(settings).toMatchObject({ status: 'dnd', custom_status: { text: 'Away' }, accept_friend_requests: false });
  });

  it('deletes a user and parts of a guild with the keyboard alone, after a question that says what goes with it', async () => {
    const { page } = await open(`#/world/users/${world.user('margaret').id}`);
    const remove = page.getByRole('button', { name: 'Delete Margaret' });
    await remove.focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog');
    await question.getByText('This cannot be undone.').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    // The focus is where it was.
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Margaret was deleted.').waitFor();
    await page.waitForFunction(() => !document.querySelector('.table')?.textContent?.includes('margaret'));
    expect(page.url()).toMatch(/#\/world\/users$/);

    const { guilds } = await control(world.service, 'GET /guilds');
    const guild = guilds[0]?.id ?? '';
    await page.goto(page.url().replace(/#.*/, `#/world/guilds/${guild}`));
    await page.getByRole('button', { name: 'Delete general' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('general was deleted.').waitFor();
    expect((await control(world.service, 'GET /guilds/{id}', { id: guild })).channels).toEqual([]);
    // A member comes back as it was.
    const members = async () => (await control(world.service, 'GET /guilds/{id}/members', { id: guild })).members;
    const before = await members();
    const last = before.at(-1);
    const name = last?.global_name ?? last?.username ?? '';
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    await question.getByText('Undo brings these back').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`${name} was deleted.`).waitFor();
    expect(await members()).toHaveLength(before.length - 1);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: `Delete ${name}` }).waitFor();
    expect(await members()).toEqual(before);
    // The owner stays, and the page says why.
    await page.goto(page.url().replace(/#.*/, `#/world/users/${world.user('ada').id}`));
    await page.getByRole('button', { name: 'Delete Ada' }).click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alert').filter({ hasText: 'give it another owner' }).waitFor();
  });

  it('copies a request as a test that runs, exports a recording, and replays it', async () => {
    const { id } = await world.backend.lobbies.create({ metadata: { map: hostile } });
    const { page } = await open('#/traffic?route=createLobby');
    await page.click('.table-row:has-text("createLobby")');
    await page.click('button:has-text("Copy as a test")');
    await run(await page.evaluate(() => navigator.clipboard.readText()));

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export a recording' }).click(),
    ]);
    const recording = await readFile(await download.path(), 'utf8');
    expect(recording).toContain('createLobby');
    await page.getByRole('button', { name: /Replay a recording/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Recording').setInputFiles({
      name: 'traffic.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(recording),
    });
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByRole('cell', { name: 'createLobby' }).first().waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    const { lobbies } = await control(world.service, 'GET /lobbies');
    expect(lobbies.filter(lobby => lobby.metadata?.map === hostile).map(lobby => lobby.id)).toContain(id);
    expect(lobbies.length).toBeGreaterThan(1);
  });

  it('keeps views and filters in the history, so that back and forward lead through them', async () => {
    const { page } = await open('#/lobbies?search=reef');
    await page.getByLabel('Search ids, metadata and members').waitFor();
    await page.getByRole('link', { name: 'World' }).click();
    await page.getByRole('tab', { name: 'Guilds' }).click();
    await page.goBack();
    await page.waitForFunction(() => location.hash.startsWith('#/world') && !location.hash.includes('guilds'));
    await page.goBack();
    await page.waitForFunction(() => location.hash === '#/lobbies?search=reef');
    expect(await page.getByLabel('Search ids, metadata and members').inputValue()).toBe('reef');
    await page.goForward();
    await page.waitForFunction(() => location.hash.startsWith('#/world'));
    await page.goto(page.url().replace(/#.*/, '#/nowhere'));
    await page.getByRole('heading', { level: 1, name: 'There is no such view' }).waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
  });
});

async function open(hash: string): Promise<{ page: Page; errors: readonly string[] }> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  const opened = new ConsolePage(page, world.service.consoleUrl ?? '');
  await page.goto(world.service.consoleUrl ?? '');
  await page.waitForSelector('main h1');
  await opened.go(hash);
  return opened;
}

/** Runs a copied test. */
async function run(code: string): Promise<void> {
  let work: (() => Promise<void>) | undefined;
  const test = (_: string, given: typeof work) => {
    work = given;
  };
  new Function('assert', 'test', 'createWorld', code.replace(/^import .*$/gm, ''))(assert, test, createWorld);
  await work?.();
}
