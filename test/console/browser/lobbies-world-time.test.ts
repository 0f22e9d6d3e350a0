import type { ServerResponse } from 'node:http';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { intents } from '../../../src/model/gateway.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import type { CallAnswer, CallBody } from '../../../src/wire/control/act.ts';
import type { LobbyDetails } from '../../../src/wire/control/lobbies.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { isWiderThanWindow } from '../../support/browser/page-checks.ts';
import { accessibilityIssues, ConsolePage, windows } from '../../support/console/console-page.ts';
import { end, StandIn } from '../../support/console/stand-in.ts';
import { GatewayClient } from '../../support/gateway/gateway-client.ts';
import { needs } from '../../support/runs/parts.ts';
import { isSoak } from '../../support/runs/soak.ts';

/** The views of lobbies, world and time in a real browser, with a real service on a virtual clock. */
const chromium = await needs('browser');
const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202E{{7*7}}`;

const fixtures = {
  applications: [
    { id: '100', name: 'Starfall', owner_id: '9' },
    { id: '200', name: 'Moonrise', owner_id: '9' },
  ],
  users: [
    { id: '9', username: 'ada', global_name: 'Ada' },
    { id: '10', username: 'ben' },
    { id: '11', username: 'eve', global_name: hostile.slice(0, 100) },
  ],
  guilds: [
    {
      ...{ id: '5', name: 'Guild of the Stars', owner_id: '9', applications: ['100'] },
      roles: [{ id: '6', name: 'mod', permissions: '8' }],
      channels: [{ id: '7', type: 0, name: 'general' }],
      members: [{ user_id: '10' }],
    },
  ],
};

/** Shorter than that of a test, so that what was waited for is named. */
const patienceMs = 10_000;
/** For a walk through many views, each of which axe looks at. */
const walkMs = 60_000;

let service: Service;
let browser: Browser;
/** The page of all tests that do not ask for one of their own. */
let shared: ConsolePage;

describe.skipIf(chromium.missing)(`lobbies, world and time in Chromium${chromium.note}`, () => {
  beforeAll(async () => {
    service = await startService({ fixtures, limits: 'off', clock: 'virtual', console: true });
    browser = await launchChromium();
    shared = await ConsolePage.open(browser, service.consoleUrl ?? expect.fail());
    shared.page.setDefaultTimeout(patienceMs);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  describe('Lobbies', () => {
    it('are searched, and the address of a search shows the same again', async () => {
      const wanted = await createLobby({ metadata: { map: 'wanted harbour' }, members: [{ id: '10' }] });
      const other = await createLobby({ metadata: { map: 'ridge' } }, '200');
      const { page } = await openConsole('#/lobbies');
      await page.getByRole('row', { name: other }).waitFor();
      await page.getByLabel('Search ids').fill('wanted');
      await page.getByRole('row', { name: other }).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: wanted }).waitFor();
      await page.waitForURL(/search=wanted/);

      await page.getByRole('row', { name: wanted }).press('Enter');
      await page.getByRole('region', { name: `Lobby ${wanted}` }).waitFor();
      await page.keyboard.press('Escape');
      await page.waitForURL(/#\/lobbies\?search=wanted$/);
      const focused = page.locator('[role=row]:focus');
      await expect.poll(() => focused.textContent()).toContain(wanted);

      const again = await openConsole('#/lobbies?search=member%3A10+application%3A100');
      await again.page.getByRole('row', { name: wanted }).waitFor();
      expect(await again.page.getByLabel('Search ids').inputValue()).toBe('member:10 application:100');
      expect(await again.page.getByLabel('Application').inputValue()).toBe('100');
      expect(await again.page.getByRole('row', { name: other }).count()).toBe(0);
    });

    it('are created, edited and ended by keyboard alone, with a question before the end', async () => {
      const { page } = await openConsole('#/lobbies');
      await page.getByRole('button', { name: 'New lobby' }).press('Enter');
      const form = page.getByRole('dialog', { name: 'New lobby' });
      await form.getByLabel('Key 1').fill('map');
      await form.getByLabel('Value 1').fill('made by keyboard');
      await form.getByLabel('Member 1').fill('9');
      await form.getByLabel('Member 2').fill('ben');
      await form.locator('.hint', { hasText: '@ben' }).waitFor();
      await form.getByLabel('Idle timeout').fill('4');
      await form.getByLabel('Idle timeout').press('Enter');
      // The rulebook's own check, before anything is sent.
      await form.getByText('greater than or equal to 5').waitFor();
      await form.getByLabel('Idle timeout').fill('60');
      await form.getByLabel('Idle timeout').press('Enter');
      await page.waitForURL(/#\/lobbies\/\d+/);
      const id = idIn(page);
      expect(await lobbyOf(id)).toMatchObject({
        ...{ metadata: { map: 'made by keyboard' }, idle_timeout_seconds: 60, member_count: 2 },
      });

      await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
      const edit = page.getByRole('dialog', { name: 'Edit lobby' });
      await edit.getByLabel('Value 1').fill('edited');
      await edit.getByLabel('Value 1').press('Enter');
      await page.getByText('The lobby was saved.').waitFor();
      expect(await lobbyOf(id)).toMatchObject({ metadata: { map: 'edited' }, idle_timeout_seconds: 60 });

      await page.getByRole('button', { name: 'End lobby' }).press('Enter');
      const question = page.getByRole('dialog', { name: 'End this lobby?' });
      await question.waitFor();
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      expect(await lobbyOf(id)).toBeDefined();
      await page.getByRole('button', { name: 'End lobby' }).press('Enter');
      await page.getByRole('button', { name: 'End the lobby' }).press('Enter');
      await page.getByText('This lobby has ended.').waitFor();
      expect(await lobbyOf(id)).toBeUndefined();
    });

    it('show live what happens elsewhere: members, presence, metadata, messages, and that time ends them', async () => {
      const id = await createLobby({ metadata: { map: 'harbour' }, members: [{ id: '9' }], idle_timeout_seconds: 90 });
      const { page } = await openConsole(`#/lobbies/${id}?tab=metadata`);
      await page
        .getByRole('region', { name: `Lobby ${id}` })
        .getByText('in 1 min 30 s')
        .waitFor();
      await act({
        as: bot('100'),
        method: 'PATCH',
        path: `/lobbies/${id}`,
        body: { metadata: { map: 'ridge', fog: '1' } },
      });
      await page.locator('del', { hasText: 'harbour' }).waitFor();
      await page.locator('ins', { hasText: 'ridge' }).waitFor();

      await page.getByRole('tab', { name: 'Members' }).click();
      const game = await openGame('9');
      await page.getByRole('listitem').filter({ hasText: 'Ada' }).getByText('connected', { exact: true }).waitFor();
      game.socket.close(1000);
      await page.getByRole('listitem').filter({ hasText: 'Ada' }).getByText('away', { exact: true }).waitFor();

      await page.getByRole('tab', { name: 'Messages' }).click();
      await page.getByLabel('Message', { exact: true }).fill(hostile);
      await page.getByLabel('Message', { exact: true }).press('Enter');
      await page.locator('.lobby-message-text').waitFor();
      expect(await page.locator('.lobby-message-text').textContent()).toBe(hostile);

      await page.getByRole('tab', { name: 'History' }).click();
      await page.getByText('The lobby was created').waitFor();
      await page.getByText('A message was sent').waitFor();
      await service.clock.advance(3_600_000);
      await page.getByText('This lobby has ended.').waitFor();
      expect(await page.title()).not.toContain('owned');
    });

    it('have members who are added, edited and removed, and channels that are linked', async () => {
      const id = await createLobby({});
      const { page } = await openConsole(`#/lobbies/${id}`);
      await page.getByRole('button', { name: 'Add member' }).click();
      const form = page.getByRole('dialog', { name: 'Add member' });
      await form.getByLabel('User').fill('ada');
      await form.getByText('Ada · @ada').waitFor();
      await form.getByLabel('May link').check();
      await form.getByRole('button', { name: 'Add member' }).click();
      await page.getByText('may link').waitFor();

      await page.getByRole('button', { name: 'Link channel' }).click();
      await page.getByRole('button', { name: 'Link', exact: true }).click();
      await page.getByRole('link', { name: '#general · Guild of the Stars' }).waitFor();
      expect((await lobbyOf(id))?.link?.channel_id).toBe('7');

      await page.getByRole('button', { name: 'Remove Ada' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('Nobody is a member').waitFor();
      expect((await lobbyOf(id))?.member_count).toBe(0);
      await act({ as: bot('100'), method: 'DELETE', path: `/lobbies/${id}` });
    });
  });

  describe('The world', () => {
    it('gains an application, whose secrets are shown once and replaced after a question', async () => {
      const { page } = await openConsole('#/world/applications');
      await page.getByRole('button', { name: 'New application' }).click();
      const form = page.getByRole('dialog', { name: 'New application' });
      await form.getByLabel('Name').fill('Comet');
      await form.getByLabel('Owner').fill('9');
      await form.getByLabel('Redirect addresses').fill('javascript:alert(1)');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('must be an absolute address').waitFor();
      await form.getByLabel('Redirect addresses').fill('http://127.0.0.1/callback');
      await form.getByRole('button', { name: 'Save' }).click();
      const once = page.getByRole('dialog', { name: 'Shown once' });
      const token = await once.locator('.world-secret').first().textContent();
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      await once.getByRole('button', { name: 'I have copied it' }).click();
      expect(await statusOf(`Bot ${token}`)).toBe(200);

      await page.getByRole('button', { name: 'Replace bot token' }).click();
      await page.getByRole('button', { name: 'Replace', exact: true }).click();
      const next = await page.getByRole('dialog', { name: 'Shown once' }).locator('.world-secret').textContent();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      expect(await statusOf(`Bot ${token}`)).toBe(401);
      expect(await statusOf(`Bot ${next}`)).toBe(200);
      expect(await page.content()).not.toContain(next);
    });

    it('has users who are found, added and banned after a question', async () => {
      const { page } = await openConsole('#/world/users?search=be');
      await page.getByRole('row', { name: 'ben' }).waitFor();
      expect(await page.getByRole('row', { name: '@ada' }).count()).toBe(0);
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByRole('dialog').getByLabel('Username').fill('zoe');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'zoe' }).waitFor();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByRole('dialog').getByLabel('Banned').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog', { name: 'Ban zoe?' }).getByRole('button', { name: 'Ban' }).click();
      await page.getByRole('region', { name: 'zoe' }).getByText('Banned', { exact: true }).waitFor();
      expect(await control('GET', '/users?username=zoe')).toMatchObject({ users: [{ banned: true }] });
    });

    it('creates no guild and no application without an owner, and takes the owner by name', async () => {
      for (const [what, button] of [
        ['guilds', 'New guild'],
        ['applications', 'New application'],
      ] as const) {
        const count = async () => ((await control('GET', `/${what}`)) as Record<string, unknown[]>)[what]?.length;
        const before = await count();
        const { page } = await openConsole(`#/world/${what}`);
        await page.getByRole('button', { name: button }).click();
        const form = page.getByRole('dialog', { name: button });
        await form.getByLabel('Name', { exact: true }).fill('The Reef');
        await form.getByLabel('Owner').fill('nobody of that name');
        await form.getByRole('button', { name: 'Save' }).click();
        await form.getByText('Choose a user as the owner.').first().waitFor();
        expect(await count()).toBe(before);
        await form.getByLabel('Owner').fill('@ben');
        await form.locator('.hint', { hasText: '@ben' }).waitFor();
        await form.getByRole('button', { name: 'Save' }).click();
        await form.waitFor({ state: 'detached' });
        const search = (await control('GET', `/${what}?search=Reef`)) as Record<string, unknown[]>;
        expect(search[what]).toMatchObject([{ name: 'The Reef', owner_id: '10' }]);
      }
    });

    it('has guilds with roles, channels, overwrites and members as forms', async () => {
      const { page } = await openConsole('#/world/guilds/5');
      await page.getByRole('button', { name: 'Edit mod' }).click();
      const role = page.getByRole('dialog', { name: 'Edit mod' });
      await role.getByLabel('SEND_MESSAGES', { exact: true }).check();
      await role.getByRole('button', { name: 'Save' }).click();
      await page.getByText('ADMINISTRATOR, SEND_MESSAGES').waitFor();

      await page.getByRole('button', { name: 'Edit general' }).click();
      const channel = page.getByRole('dialog', { name: 'Edit general' });
      await channel.getByRole('button', { name: 'New overwrite' }).click();
      await channel.getByLabel('VIEW_CHANNEL').selectOption('deny');
      await channel.getByRole('button', { name: 'Save' }).click();
      await page.getByText('1 overwrite').waitFor();
      expect(await control('GET', '/guilds/5')).toMatchObject({
        channels: [{ id: '7', permission_overwrites: [{ id: '5', type: 0, allow: '0', deny: '1024' }] }],
      });

      await page.getByRole('button', { name: 'Edit ben' }).click();
      await page.getByRole('dialog').getByLabel('Nickname').fill('Benny');
      await page.getByRole('dialog').getByLabel('mod').check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Benny' }).waitFor();

      await page.getByLabel('Search by name or id').fill('no such guild');
      await page.getByText('Nothing matches').waitFor();
      expect(page.url()).toContain('search=no+such+guild');
      const toStage = page.getByRole('link', { name: 'on the stage' });
      expect(await toStage.getAttribute('href')).toBe('#/stage?place=channel-5-7');
    });

    it('leaves as a fixtures file and comes in again, with every fault of the file at its place', async () => {
      const { page } = await openConsole('#/world/fixtures');
      await page.getByRole('button', { name: 'Show the present world' }).click();
      const text = page.getByLabel('Fixtures document');
      await expect.poll(() => text.inputValue()).toContain('Guild of the Stars');
      expect(await text.inputValue()).not.toContain('bot_token');

      await text.fill('{\n  "users": [\n    { "id": "9", "locale": "xx" }\n  ]\n}');
      await applyFile(page);
      await page.getByRole('button', { name: 'line 3, column 28' }).click();
      const selected = await text.evaluate(area => {
        const { value, selectionStart, selectionEnd } = area as HTMLTextAreaElement;
        return value.slice(selectionStart, selectionEnd);
      });
      expect(selected).toBe('"xx"');

      await text.fill('{ "users": [,] }');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('The text is not JSON: line 1, column 13').waitFor();

      await text.fill('{ "users": [{ "id": "77", "username": "from-a-file" }] }');
      await applyFile(page);
      await page.getByText('Applied: 1 user.').waitFor();
      expect(await control('GET', '/users/77')).toMatchObject({ username: 'from-a-file' });
    });

    it('shows gateway sessions with their intents, and disturbs them', async () => {
      const game = await openGame('10');
      const { page } = await openConsole('#/world/sessions');
      await page.getByRole('row', { name: 'ben' }).click();
      await page.getByText('LOBBY_DELETE').waitFor();
      await page.getByRole('button', { name: 'Ask to reconnect' }).click();
      await game.frame(({ op }) => op === 7);
      await page.getByRole('button', { name: 'Invalidate', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Invalidate' }).click();
      await game.frame(({ op, d }) => op === 9 && d === false);
      await page.getByText('This session has ended.').waitFor();
    });
  });

  describe('Time', () => {
    it('is advanced by an amount, and to the next deadline, which is named before', async () => {
      const id = await createLobby({ idle_timeout_seconds: 600 });
      const { page } = await openConsole('#/time');
      const before = service.clock.now();
      await page.getByLabel('Advance by').fill('soon');
      await page.getByLabel('Advance by').press('Enter');
      await page.getByText('Write a duration').waitFor();
      await page.getByLabel('Advance by').fill('1 min 30 s');
      await page.getByLabel('Advance by').press('Enter');
      await page.getByText('The clock was advanced by 1 min 30 s.').waitFor();
      expect(service.clock.now() - before).toBe(90_000);

      await page.goto(page.url().replace(/#.*/, '#/time?kind=lobby_idle'));
      await page.getByText('in 8 min 30 s').waitFor();
      await page.getByRole('row', { name: id }).getByRole('button', { name: 'Advance to here' }).click();
      await expect.poll(() => lobbyOf(id)).toBeUndefined();
      expect(service.clock.now() - before).toBe(600_000);
    });

    it('of a system clock cannot be moved, which the page says', async () => {
      const other = await startService({ fixtures: {}, limits: 'off', console: true });
      onTestFinished(() => other.close());
      const opened = await ConsolePage.open(browser, other.consoleUrl ?? '');
      onTestFinished(() => opened.close());
      await opened.go('#/time');
      await opened.page.getByText('which cannot be moved').waitFor();
      expect(await opened.page.getByRole('button', { name: 'Advance' }).count()).toBe(0);
    });

    it('has faults of every kind, which are armed, strike, and are cleared', async () => {
      const { page } = await openConsole('#/time?fault=status&route=getLobby');
      await page.getByLabel('How often').fill('2');
      await page.getByRole('button', { name: 'Arm fault' }).click();
      await page.getByText('2 left').waitFor();
      const { status } = await act({ as: bot('100'), method: 'GET', path: '/lobbies/1' });
      expect(status).toBe(503);
      await page.getByText('1 left').waitFor();
      await page.getByRole('region', { name: 'What was struck' }).getByText('getLobby').waitFor();

      await page.getByLabel('Seed').first().fill('train 12');
      await page.getByRole('button', { name: 'Arm Bad train Wi-Fi' }).click();
      await expect.poll(async () => service.faults.armed.length).toBe(5);
      await page.getByRole('button', { name: 'Clear Freeze socket' }).click();
      await expect.poll(() => service.faults.armed.map(({ kind }) => kind)).not.toContain('freeze');
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => service.faults.armed.map(({ kind }) => kind)).toContain('freeze');
      await page.getByRole('button', { name: 'Clear all faults' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Clear all faults' }).click();
      await page.getByText('No fault is armed').waitFor();
      expect(service.faults.armed).toEqual([]);
    });
  });

  it('say in words what a service cannot answer, keep what was entered, and read again', async () => {
    const standIn = await StandIn.open();
    onTestFinished(() => standIn.close());
    const empty = { applications: [{ id: '100', name: 'Starfall', has_bot: true }], next: null };
    const row = {
      ...{ id: '5', application_id: '100', metadata: null, flags: 0, member_count: 0, expires_at_ms: null },
      ...{ idle_timeout_seconds: 5, linked_channel_id: null, message_count: 0 },
    };
    standIn.answers['GET /applications'] = empty;
    standIn.answers['GET /lobbies'] = (_request: unknown, response: ServerResponse) =>
      end(response, 503, { message: 'The store is away.' });
    const opened = await ConsolePage.open(browser, standIn.consoleUrl);
    onTestFinished(() => opened.close());
    const { page } = opened;
    page.setDefaultTimeout(patienceMs);
    await opened.go('#/lobbies');
    await page.getByText('The store is away.').waitFor();
    standIn.answers['GET /lobbies'] = { lobbies: [row], next: null, total: 1 };
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: '5' }).waitFor();

    await page.getByRole('button', { name: 'New lobby' }).click();
    await page.getByLabel('Value 1').fill('kept');
    standIn.answers['POST /call'] = { status: 429, headers: {}, body: { message: 'You are being rate limited.' } };
    await page.getByRole('button', { name: 'Create lobby' }).click();
    await page.getByRole('dialog').getByText('You are being rate limited.').waitFor();
    expect(await page.getByLabel('Value 1').inputValue()).toBe('kept');
    await page.keyboard.press('Escape');

    // An answer that is not what the service promises breaks the view, not the console.
    standIn.answers['GET /timers'] = { timers: 'none' };
    await opened.go('#/time');
    await page.getByRole('navigation').getByRole('link', { name: 'Lobbies' }).click();
    await page.getByRole('row', { name: '5' }).waitFor();
  });

  // The views themselves are looked at in light, too, in console.test.ts.
  const schemes = [['dark', windows.phone] as const, ...(isSoak ? [['light', windows.wide] as const] : [])];

  it.each(schemes)(
    'lobbies are accessible in %s, fit the window, and ask nobody else',
    async (colorScheme, viewport) => {
      const id = await createLobby({
        metadata: { [hostile]: hostile },
        members: [{ id: '9', flags: 1 }, { id: '11' }],
      });
      await walk({ colorScheme, viewport }, [
        ['#/lobbies', 'Search ids'],
        [`#/lobbies/${id}`, 'may link'],
        [`#/lobbies/${id}?tab=metadata`, 'Changes while you watch'],
        [`#/lobbies/${id}?tab=messages`, 'No messages yet'],
        [`#/lobbies/${id}?tab=call`, 'Nobody is in the call'],
        [`#/lobbies/${id}?tab=history`, 'The lobby was created'],
        ['#/lobbies/1', 'There is no such lobby'],
      ]);
    },
  );

  it.each(schemes)(
    'world and time are accessible in %s, fit the window, and ask nobody else',
    async (...scheme) => {
      const [colorScheme, viewport] = scheme;
      await walk({ colorScheme, viewport }, [
        ['#/world/applications/100', 'Public key'],
        ['#/world/users/11', 'Authorizations'],
        ['#/world/guilds/5', 'New channel'],
        ['#/world/sessions', 'Sessions'],
        ['#/world/fixtures', 'Fixtures document'],
        ['#/time', 'Arm a fault'],
      ]);
    },
    walkMs,
  );
});

/** Looks at views one after another. @param views addresses, and a text by which one sees that they are shown */
async function walk(options: BrowserContextOptions, views: readonly (readonly [hash: string, text: string])[]) {
  const opened = await openConsole('#/', options);
  const { page } = opened;
  for (const [hash, text] of views) {
    await opened.go(hash);
    await page.locator('main').getByText(text).first().waitFor();
    expect(await accessibilityIssues(page), hash).toEqual([]);
    expect(await isWiderThanWindow(page), hash).toBe(false);
  }
  // A lobby that is not there is the one answer that browsers note by themselves.
  expect(opened.errors.filter(error => !error.includes('404'))).toEqual([]);
  expect(opened.outside).toEqual([]);
  expect(await page.title()).not.toContain('owned');
}

/** Shows a view in the page of all tests or, with options, in a page of its own. */
async function openConsole(hash: string, options?: BrowserContextOptions): Promise<ConsolePage> {
  if (!options) {
    // A view that is shown already would keep what was entered.
    await shared.go('#/');
    await shared.go(hash);
    return shared;
  }
  const opened = await ConsolePage.open(browser, service.consoleUrl ?? expect.fail(), options);
  onTestFinished(() => opened.close());
  opened.page.setDefaultTimeout(patienceMs);
  await opened.go(hash);
  return opened;
}

/** Presses the button, and confirms. */
async function applyFile(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
}

function bot(application_id: string): CallBody['as'] {
  return { kind: 'bot', application_id };
}

async function control(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${service.controlBase}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.controlToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.status === 404 ? undefined : response.json();
}

async function act(call: CallBody): Promise<CallAnswer> {
  return (await control('POST', '/call', call)) as CallAnswer;
}

async function createLobby(body: object, applicationId = '100'): Promise<string> {
  const answer = await act({ as: bot(applicationId), method: 'POST', path: '/lobbies', body });
  expect(answer.status).toBe(201);
  return (answer.body as { readonly id: string }).id;
}

async function lobbyOf(id: string): Promise<LobbyDetails | undefined> {
  return (await control('GET', `/lobbies/${id}`)) as LobbyDetails | undefined;
}

/** A game in which the user is signed in, at the gateway. */
async function openGame(userId: string): Promise<GatewayClient> {
  const { token } = (await control('POST', `/users/${userId}/session`, { application_id: '100' })) as { token: string };
  const client = await GatewayClient.identified(service.gateway, {
    token: `Bearer ${token}`,
    intents: intents.LOBBIES | intents.LOBBY_DELETE,
  });
  onTestFinished(() => client.socket.terminate());
  return client;
}

/** The status of a call with a credential. */
async function statusOf(authorization: string): Promise<number> {
  return (await fetch(`${service.apiBase}/v10/applications/@me`, { headers: { authorization } })).status;
}

function idIn(page: Page): string {
  return /#\/lobbies\/(\d+)/.exec(page.url())?.[1] ?? '';
}
