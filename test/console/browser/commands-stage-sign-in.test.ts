import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Backend,
  button,
  createBackend,
  defineCommand,
  defineModal,
  embed,
  field,
  option,
  router,
  row,
} from '../../../src/backend/index.ts';
import type { Command } from '../../../src/model/command.ts';
import type { Lobby } from '../../../src/model/lobby.ts';
import { type Service, startService } from '../../../src/service/service.ts';
import { launchChromium } from '../../support/browser/chromium.ts';
import { isWiderThanWindow } from '../../support/browser/page-checks.ts';
import { accessibilityIssues, ConsolePage, windows } from '../../support/console/console-page.ts';
import { needs } from '../../support/runs/parts.ts';
import { postFixtures } from '../../support/service/starfall.ts';

/** The views of commands, stage and sign-in in a real browser, with a real service on a virtual clock and a real application. */
const chromium = await needs('browser');
const hostile = `<img src=x onerror="document.title='owned'"><b>bold</b>`;

const fixtures = {
  applications: [
    {
      ...{ id: '100', name: 'Starfall', owner_id: '9', bot_token: 'bot-token-of-starfall', embedded: true },
      public_client: true,
      redirect_uris: ['http://127.0.0.1/callback', 'starfall:/authorize/callback'],
    },
    { id: '101', name: 'Silent Sea', owner_id: '9', bot_token: 'bot-token-of-silent-sea' },
  ],
  users: [
    { id: '9', username: 'ada', global_name: 'Ada', locale: 'de' as const },
    { id: '10', username: 'grace', global_name: 'Grace' },
  ],
  guilds: [
    {
      ...{ id: '5', name: 'Harbour', owner_id: '9', applications: ['100', '101'] },
      roles: [{ id: '6', name: 'mod', permissions: '8' }],
      channels: [{ id: '7', type: 0, name: 'general' }],
      members: [{ user_id: '9', roles: [] }, { user_id: '10' }],
    },
  ],
};

const nameForm = defineModal(
  { custom_id: 'crew-name', title: 'Name your crew', components: [field.text('name', 'What is it called?')] },
  ({ values, update }) => update({ content: `${values.name} sails.`, components: [] }),
);

const commands = [
  defineCommand(
    {
      ...{ name: 'rally', name_localizations: { de: 'sammeln' }, description: 'Calls your party together' },
      description_localizations: { de: 'Ruft deine Gruppe', 'es-ES': 'Llama a tu grupo' },
      options: [
        option.string('map', 'Where to meet', {
          required: true,
          choices: [{ name: 'Harbour', name_localizations: { de: 'Hafen' }, value: 'harbour' }],
        }),
      ],
    },
    ({ options, reply }) =>
      reply({
        content: `Meet at **${options.map}**! ${hostile}`,
        embeds: [embed({ title: 'Match', color: '#2aa198' })],
      }),
  ),
  defineCommand({ name: 'crew', description: 'Musters a crew' }, ({ reply }) =>
    reply({
      content: 'A crew is mustered.',
      ephemeral: true,
      components: [row(button.primary('name-crew', 'Name it'))],
    }),
  ),
  defineCommand(
    {
      ...{ name: 'find', description: 'Finds a map' },
      options: [
        option.string('query', 'What to find', { autocomplete: true }),
        option.attachment('shot', 'A picture of it'),
      ],
    },
    {
      use: ({ options, payload, reply }) => {
        const [file] = Object.values(payload.data.resolved?.attachments ?? {});
        return reply({ content: `Found ${options.query} on ${file?.filename}.` });
      },
      suggest: ({ focused }) =>
        ['Harbour', 'Keep']
          .filter(name => name.toLowerCase().includes(focused.value))
          .map(name => ({ name, value: name.toLowerCase() })),
    },
  ),
  defineCommand({ type: 2, name: 'Invite to crew' }, ({ targetId, reply }) =>
    reply({ content: `Invited ${targetId}.`, ephemeral: true }),
  ),
];

/** Shorter than that of a test, so that what was waited for is named. */
const patienceMs = 10_000;

let service: Service;
let backend: Backend;
let browser: Browser;
let shown: ConsolePage;
let page: Page;

describe.skipIf(chromium.missing)(`commands, stage and sign-in in Chromium${chromium.note}`, () => {
  beforeAll(async () => {
    service = await startService({ fixtures, limits: 'off', clock: 'virtual', console: true });
    backend = createBackend({ baseUrl: service.webBase, applicationId: '100', botToken: 'bot-token-of-starfall' });
    await backend.commands.deploy(await backend.commands.plan(commands));
    await backend.interactions.listen(
      router(commands, {
        components: [{ custom_id: 'name-crew', use: ({ showModal }) => showModal(nameForm) }],
        modals: [nameForm],
      }),
    );
    browser = await launchChromium();
    shown = await ConsolePage.open(browser, service.consoleUrl ?? expect.fail());
    ({ page } = shown);
    page.setDefaultTimeout(patienceMs);
  });
  afterAll(async () => {
    await browser?.close();
    await backend?.close();
    await service?.close();
  });
  beforeEach(() => {
    shown.errors.length = 0;
    onTestFinished(() => {
      expect(shown.errors).toEqual([]);
      expect(shown.outside).toEqual([]);
    });
  });

  describe('Commands', () => {
    it('are written with the checks of the rulebook, in JSON or as a form, and can be undone', async () => {
      await shown.go('#/commands/100/global/list/new');
      await page.getByLabel('Definition').fill('{\n"name": "Hello!",\n"description": "Says hello"\n}');
      await page.getByRole('button', { name: 'Line 2' }).first().click();
      await page.getByText('Command name is invalid').waitFor();
      expect(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true);
      await press('Form');
      await page.getByRole('textbox', { name: 'Name' }).fill('hello');
      await press('Add an option');
      await page.getByRole('textbox', { name: 'Name' }).last().fill('where');
      await press('Create');
      await page.getByRole('heading', { name: '/hello' }).waitFor();
      expect((await commandOf('hello')).options).toMatchObject([{ name: 'where', type: 3 }]);

      await press('Form');
      await page.getByRole('textbox', { name: 'Name' }).first().fill('hi');
      await press('Save');
      await inDialog('Rename and save');
      await page.getByRole('heading', { name: '/hi' }).waitFor();
      await page.getByText('registered now').waitFor();
      await press('Delete');
      await inDialog('Delete');
      await press('Create it again');
      await page.getByRole('heading', { name: '/hi' }).waitFor();
      expect((await commandOf('hi')).options).toMatchObject([{ name: 'where' }]);

      await page.getByRole('searchbox', { name: 'Find a command' }).fill('sails');
      await page.waitForURL(/find=sails/);
      await page.reload();
      await page.getByRole('navigation', { name: 'Commands' }).getByText('No command matches').waitFor();
    });

    it('show what players see in each language, and where it comes from', async () => {
      const { id } = await commandOf('rally');
      await shown.go(`#/commands/100/global/list/${id}`);
      const preview = page.getByRole('region', { name: 'What players see' });
      await preview.getByLabel('Language of the player').selectOption('de');
      await preview.getByText('Hafen').first().waitFor();
      await preview.getByLabel('Language of the player').selectOption('es-419');
      await preview.getByText('from es-ES').first().waitFor();
      expect(await preview.innerText()).toContain('Llama a tu grupo');
    });

    it('keep a draft while other views are shown', async () => {
      const { id } = await commandOf('crew');
      await shown.go(`#/commands/100/global/list/${id}`);
      const text = page.getByLabel('Definition');
      await text.fill((await text.inputValue()).replace('Musters a crew', 'Musters two'));
      await shown.go('#/commands/100/global/plan');
      await shown.go(`#/commands/100/global/list/${id}`);
      expect(await text.inputValue()).toContain('Musters two');
      await press('Discard changes');
      await inDialog('Discard');
      await page.getByText('Nothing differs').waitFor();
    });

    it('are planned against a file, and the plan is applied after a question', async () => {
      await shown.go('#/commands/100/global/plan');
      await press('Start from what is registered');
      await page.getByText('Nothing to do').waitFor();
      const file = page.getByLabel('Definitions');
      const list = (JSON.parse(await file.inputValue()) as Command[]).filter(({ name }) => name !== 'hi');
      await file.fill(JSON.stringify([...list, { name: 'extra', description: 'One more' }]));
      await page.getByText('1 to create, 0 to change, 1 to delete').waitFor();
      await press('Apply the plan');
      await inDialog('Apply the plan');
      await page.getByText('Nothing to do').waitFor();
      expect((await commandOf('extra')).description).toBe('One more');
      await file.fill('[{"name": "X"}]');
      await page.getByText('Line 1, 0.description: This field is required').waitFor();
    });
  });

  it('Permissions are edited by keyboard as a user who may, and explained rule by rule', async () => {
    const { id } = await commandOf('rally');
    await shown.go(`#/commands/100/5/permissions?user=10&command=${id}&channel=7`);
    await page.getByText('Allowed', { exact: true }).waitFor();
    await page.getByRole('button', { name: '/rally, @everyone: not set' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '/rally, mod: allowed, changed' }).waitFor();
    await press('Save 1 command');
    await page.getByText('Not allowed', { exact: true }).waitFor();
    const decided = page.getByRole('listitem').filter({ hasText: 'This rule decided' });
    expect(await decided.innerText()).toContain('Overwrites of the member');
    expect(await api(`/applications/100/guilds/5/commands/${id}/permissions`)).toMatchObject({
      permissions: [
        { id: '5', type: 1, permission: false },
        { id: '6', type: 1, permission: true },
      ],
    });
  });

  describe('Stage', () => {
    const first = () => page.getByRole('region', { name: 'First user' });
    const second = () => page.getByRole('region', { name: 'Second user' });

    it('shows both users what the application answers, in the language of each, and never as markup', async () => {
      await onStage('channel-5-7');
      await pick(first(), '/samm', '/sammeln');
      await first().getByRole('button', { name: 'Use the command' }).click();
      await first().getByText('The required option "map" is missing').waitFor();
      await first().getByRole('combobox', { name: 'map' }).selectOption({ label: 'Hafen' });
      await first().getByRole('button', { name: 'Use the command' }).click();
      for (const pane of [first(), second()]) {
        await pane.getByText(hostile).waitFor();
        expect(await pane.locator('strong', { hasText: 'harbour' }).count()).toBe(1);
        expect(await pane.getByRole('article', { name: 'Match' }).count()).toBe(1);
      }
      expect(await page.title()).not.toBe('owned');
      // Grace may not use it (see the permissions), and sees so.
      await second().getByRole('combobox', { name: 'Message or command' }).fill('/rally');
      await second().getByText("/rally: Denied: the command's overwrite of @everyone denies it.").waitFor();
      await second().getByRole('combobox', { name: 'Message or command' }).fill('/nothing-of-this-name');
      await second().getByText('No command matches').waitFor();

      const side = page.getByRole('region', { name: 'What the application received and answered' });
      for (const role of ['Sent by the user', 'Received by the application', 'Answered by the application']) {
        await side.getByText(role).waitFor();
      }
      await side.getByText('INTERACTION_CREATE').click();
      await side.getByText('"harbour"').waitFor();
    });

    it('uses buttons and forms, and shows what is for one user alone to that user alone', async () => {
      await onStage('channel-5-7');
      await pick(first(), '/crew', '/crew');
      await first().getByRole('button', { name: 'Use the command' }).click();
      await first().getByText('Only this user sees it').waitFor();
      await first().getByRole('button', { name: 'Name it' }).click();
      await page.getByRole('dialog').getByLabel('What is it called').fill('Red');
      await inDialog('Submit');
      await first().getByText('Red sails.').waitFor();
      expect(await second().getByText('Red sails.').count()).toBe(0);
    });

    it('suggests while one types, sends files, and opens the menus of users', async () => {
      await onStage('channel-5-7');
      await pick(first(), '/find', '/find');
      const query = first().getByRole('combobox', { name: 'query' });
      await query.pressSequentially('ee');
      await first().locator('li[role=option]', { hasText: 'Keep' }).waitFor();
      await query.press('Enter');
      const file = { name: 'shot.txt', mimeType: 'text/plain', buffer: Buffer.from('x') };
      await first().locator('input[type=file]').setInputFiles(file);
      await first().getByRole('button', { name: 'Use the command' }).click();
      await first().getByText('Found keep on shot.txt.').waitFor();
      await first().getByText('People').click();
      await first().getByRole('listitem').filter({ hasText: 'Grace' }).getByRole('button').click();
      await inDialog(/Invite to crew/);
      await first().getByText('Invited 10.').waitFor();
    });

    it('says that no application listens, and lets the three seconds of an answer pass', async () => {
      await fetch(`${service.webBase}/api/v10/applications/101/commands`, {
        method: 'POST',
        headers: { authorization: 'Bot bot-token-of-silent-sea', 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'void', description: 'Nobody answers' }),
      });
      await onStage('channel-5-7');
      await first().getByText('No application listens for Silent Sea').waitFor();
      await pick(first(), '/void', '/void');
      await first().getByRole('button', { name: 'Use the command' }).click();
      await first().getByText('3 s left').waitFor();
      await first().getByRole('button', { name: 'Advance 3 s' }).click();
      await first().getByText('The application did not answer in time').waitFor();
    });

    it('changes the language of a user, and with it the commands', async () => {
      await onStage('direct-100');
      await second().getByLabel('Language of the user').selectOption('de');
      await second().getByRole('combobox', { name: 'Message or command' }).fill('/samm');
      await second().locator('li[role=option]', { hasText: '/sammeln' }).waitFor();
    });

    it('takes part in the chat and the call of a lobby', async () => {
      const lobby = await backend.lobbies.create({ members: [{ id: '9' }] });
      await onStage(`lobby-100-${(lobby as unknown as Lobby).id}`);
      await first().getByLabel('Message to the lobby').fill(`Ahoi ${hostile}`);
      await first().getByRole('button', { name: 'Send' }).click();
      await second().getByText(`Ahoi ${hostile}`).waitFor();
      await second().getByRole('button', { name: 'Add the user to the lobby' }).click();
      await first().getByText('2 members').waitFor();
      await first().getByRole('button', { name: 'Join the call' }).click();
      await second().getByRole('listitem').filter({ hasText: 'Ada' }).waitFor();
      await first().getByLabel('Mute').check();
      await second().getByText('muted').waitFor();
      await first().getByRole('button', { name: 'Leave the call' }).click();
      await second().getByText('Nobody is in the call').waitFor();
    });

    async function onStage(place: string): Promise<void> {
      await shown.go(`#/stage?user=9&user2=10&place=${place}&place2=${place}`);
    }
  });

  describe('Sign-in', () => {
    it('walks the code flow up to a verified ID token, and ends the grant', async () => {
      await shown.go('#/sign-in/code?user=9&application=100');
      await press('Approve');
      await page.getByText('authorize() resolves').waitFor();
      await press('Exchange the code');
      await page.getByText('getToken() resolves').waitFor();
      await page.getByText('Signature, by the keys').waitFor();
      expect(await page.getByText('right', { exact: true }).count()).toBe(6);
      expect(await page.getByText('wrong', { exact: true }).count()).toBe(0);
      await press('Ask who this is');
      await page.getByText('"application"').waitFor();

      await shown.go('#/sign-in/grants?user=9');
      await page.getByRole('heading', { name: 'Starfall' }).waitFor();
      await press('End');
      await inDialog('End');
      await page.getByText('This player has granted nothing').waitFor();
    });

    it('reports wrong arguments before a page is opened', async () => {
      await shown.go('#/sign-in/code?user=9&application=100');
      await page.getByLabel('Scopes', { exact: true }).fill('');
      await page.getByText('ValidationError invalid_form_body').waitFor();
      await press('Lobbies and chat');
      await page.getByText('ValidationError invalid_form_body').waitFor({ state: 'detached' });
    });

    it.each([
      ['The player declines', 'OAuthError access_denied'],
      ['The code is used twice', 'OAuthError invalid_grant'],
      ['Another verifier', 'OAuthError invalid_grant'],
      ['A redirect with a foreign state', 'ignored'],
      ['A redirect of another issuer', 'OAuthError wrong_issuer'],
      ['A challenge in the clear', 'ValidationError invalid_form_body'],
      ['A custom scheme without PKCE', 'ValidationError invalid_form_body'],
      ['A scope that does not exist', 'OAuthError invalid_scope'],
      ['The code has expired', 'OAuthError invalid_grant'],
    ])('walks a wrong turn for real: %s, which the SDK reports as %s', async (name, outcome) => {
      await shown.go('#/sign-in/wrong?user=9&application=100');
      const turn = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
      await turn.getByRole('button', { name: /Walk it/ }).click();
      await turn.getByText(outcome).last().waitFor();
      // An expected answer, which the browser logs.
      shown.errors.length = 0;
    });

    it('signs a device in, and shows what asking too soon does', async () => {
      await shown.go('#/sign-in/device?user=9&application=100');
      await press('Ask for a code');
      await press('Ask now');
      await page.getByText('authorization_pending').first().waitFor();
      await press('Ask now');
      await page.getByText('slow_down').first().waitFor();
      await press('Approve');
      await page.getByText('The player has approved.').waitFor();
      await service.clock.advance(11_000);
      await press('Ask now');
      await page.getByText('getToken() resolves').waitFor();
    });

    it('signs in a player without an account', async () => {
      await shown.go('#/sign-in/provisional?application=100');
      await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
      await page.getByRole('heading', { name: 'The account' }).waitFor();
      await page.getByText('Signature, by the keys').waitFor();
      expect(await page.getByText('wrong', { exact: true }).count()).toBe(0);
    });
  });

  it('shows what has more than the plain views on a phone in the dark, accessible and within the window', async () => {
    const { id } = await commandOf('rally');
    const opened = await ConsolePage.open(browser, service.consoleUrl ?? expect.fail(), {
      colorScheme: 'dark',
      viewport: windows.phone,
    });
    onTestFinished(() => opened.close());
    for (const [hash, text] of [
      [`#/commands/100/global/list/${id}`, 'What players see'],
      [`#/commands/100/5/permissions?user=10&command=${id}`, 'Not allowed'],
      ['#/sign-in/wrong', 'The player declines'],
    ] as const) {
      await opened.go(hash);
      await opened.page.getByText(text).first().waitFor();
      expect([hash, await accessibilityIssues(opened.page)]).toEqual([hash, []]);
      expect([hash, await isWiderThanWindow(opened.page)]).toEqual([hash, false]);
    }
    expect(opened.errors).toEqual([]);
  });

  it('finds users, guilds, applications and commands by the search of the header', async () => {
    const { id } = await commandOf('rally');
    for (const [text, found, address] of [
      ['@grace', 'User', '#/world/users/10'],
      ['harb', 'Guild', '#/world/guilds/5'],
      ['silent', 'Application', '#/world/applications/101'],
      ['/rall', 'Command', `#/commands/100/global/list/${id}`],
      [id, 'Command', `#/commands/100/global/list/${id}`],
    ] as const) {
      await shown.go('#/');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('.palette input').fill(text);
      await page.getByRole('option').filter({ hasText: found }).first().waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(url => url.hash === address);
    }
  });

  it('tells the rows of the traffic apart while the virtual clock stands still', async () => {
    await api('/applications/100/commands');
    await api('/applications/100/commands');
    await shown.go('#/traffic');
    const times = page.locator('.table-row > :first-child');
    await times.nth(1).waitFor();
    const texts = await times.allInnerTexts();
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} #\d+$/);
  });

  it.each([
    ['a desktop', windows.wide],
    ['a narrow window', { width: 720, height: 800 }],
    ['a phone', windows.phone],
  ])(
    'keeps the composer in sight on %s, and no notice over it, also when the same one comes again',
    async (_, viewport) => {
      const opened = await ConsolePage.open(browser, service.consoleUrl ?? expect.fail(), { viewport });
      onTestFinished(() => opened.close());
      await opened.go('#/stage?user=9&place=channel-5-7');
      const box = opened.page.getByRole('combobox', { name: 'Message or command' }).first();
      await box.waitFor();
      const { y, height } = (await box.boundingBox()) ?? expect.fail();
      expect(y + height).toBeLessThanOrEqual(viewport.height);
      await box.fill('hello');
      await box.press('Enter');
      await box.press('Enter');
      await box.fill('/');
      const list = opened.page.getByRole('listbox', { name: 'Commands' });
      await list.getByRole('option').first().waitFor();
      const toast = opened.page.locator('.toast');
      expect(await toast.count()).toBe(1);
      const [above, below] = [await toast.boundingBox(), await list.boundingBox()];
      expect(above && above.y + above.height).toBeLessThanOrEqual(below?.y ?? 0);
      expect(await isWiderThanWindow(opened.page)).toBe(false);
    },
  );

  // The last one: it leaves many users.
  it('shows on the stage what the application received from any of many users', async () => {
    const crowd = Array.from({ length: 120 }, (_, at) => ({ id: String(90_000 + at), username: `crew-${at}` }));
    await postFixtures(service, { users: crowd, guilds: [{ id: '5', members: [{ user_id: '90119' }] }] });
    await shown.go('#/stage?user=90119&place=channel-5-7');
    await pick(page.getByRole('region', { name: 'First user' }), '/crew', '/crew');
    await page.getByRole('region', { name: 'First user' }).getByRole('button', { name: 'Use the command' }).click();
    const side = page.getByRole('region', { name: 'What the application received and answered' });
    await side.getByText('Received by the application').waitFor();
  });
});

async function pick(pane: Locator, typed: string, name: string): Promise<void> {
  const box = pane.getByRole('combobox', { name: 'Message or command' });
  await box.fill(typed);
  await pane.locator('li[role=option]', { hasText: name }).first().waitFor();
  await box.press('Enter');
}

async function press(name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
}

async function inDialog(name: string | RegExp): Promise<void> {
  const options = typeof name === 'string' ? { name, exact: true } : { name };
  await page.getByRole('dialog').getByRole('button', options).click();
}

async function api<T>(path: string): Promise<T> {
  const headers = { authorization: 'Bot bot-token-of-starfall' };
  return (await (await fetch(`${service.webBase}/api/v10${path}`, { headers })).json()) as T;
}

async function commandOf(name: string): Promise<Command> {
  const list = await api<Command[]>('/applications/100/commands');
  return list.find(command => command.name === name) ?? expect.fail(`There is no command ${name}.`);
}
