import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createWorld, type World } from '../src/testing/index.ts';
import { launchChromium } from '../test/support/browser/chromium.ts';
import { ConsolePage, windows } from '../test/support/console/console-page.ts';

/**
 * Takes the pictures of docs/console.md: every view of the console in light and dark, at a world in which something happens. Needs
 * Chromium and a built console. `node scripts/console-screenshots.ts [FOLDER] [VIEW…]`; with `--phone` in a small window.
 */
const words = process.argv.slice(2).filter(word => word !== '--phone');
const isPhone = process.argv.includes('--phone');
const [folder = join(import.meta.dirname, '../docs/images/console'), ...wanted] = words;

const busySeconds = 25;

interface Picture {
  readonly name: string;
  readonly hash: string;
  /** What one does before the picture is taken. */
  prepare?(page: Page): Promise<void>;
}

const world = await createWorld({ users: ['ada', 'grace', 'linus', 'margaret'], channels: ['general', 'tavern'] });
const browser = await launchChromium();
try {
  mkdirSync(folder, { recursive: true });
  await control('GET', '/status'); // From now on the traffic is recorded.
  const pictures = picturesOf(world, await tellStory(world));
  for (const { name, hash, prepare } of pictures) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = isPhone ? windows.phone : windows.wide;
      const opened = await ConsolePage.open(browser, world.service.consoleUrl ?? '', { viewport, colorScheme });
      await opened.page.waitForSelector('main h1');
      await opened.go(hash);
      await opened.page.waitForSelector('main h1');
      await opened.page.waitForFunction(() => !document.querySelector('main .loading'));
      await prepare?.(opened.page);
      await opened.page.waitForTimeout(400); // Charts, toasts and the clock come to rest.
      await opened.page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), animations: 'disabled' });
      await opened.close();
      console.log(`${name}-${colorScheme}.png`);
    }
  }
} finally {
  await browser.close();
  await world.close();
}

function picturesOf(world: World, lobbyId: string): readonly Picture[] {
  const ada = world.user('ada').id;
  return [
    {
      name: 'traffic',
      hash: '#/traffic',
      prepare: async page => {
        await page.click('.table-row:has-text("createLobbyMessage") >> nth=0');
        await page.waitForSelector('.traffic-tree');
      },
    },
    { name: 'lobbies', hash: `#/lobbies/${lobbyId}` },
    {
      name: 'commands',
      hash: '#/commands',
      prepare: async page => {
        await page.click('main :is(a, button):has-text("/rally") >> nth=0');
        await page.waitForTimeout(500);
      },
    },
    {
      name: 'stage',
      hash: '#/stage',
      prepare: async page => {
        const composer = page.getByRole('combobox', { name: /command|message/i }).first();
        await page.waitForFunction(() => document.querySelectorAll('.badge.good').length >= 2);
        await composer.fill('/rally');
        await page.waitForSelector('[role=option]:has-text("/rally")');
        await composer.press('Enter');
        await page.fill('form.stage-composer input', 'harbour');
        await page.keyboard.press('Enter');
        await page.waitForSelector('button:has-text("Join") >> nth=1');
      },
    },
    { name: 'sign-in', hash: '#/sign-in' },
    { name: 'world', hash: `#/world/users/${ada}` },
    { name: 'social', hash: `#/world/users/${ada}?tab=social` },
    { name: 'time', hash: '#/time' },
    // The last, because its traffic hides that of the story.
    { name: 'overview', hash: '#/', prepare: keepBusy },
  ];
}

/**
 * Traffic for the charts, more of it now and then. The samples are taken while the page reads them. By `fetch`, because the backend's rate
 * limits would wait on the world's clock, which stands still.
 */
async function keepBusy(page: Page): Promise<void> {
  const headers = { authorization: `Bot ${world.botToken}`, 'content-type': 'application/json' };
  const lobbies = `${world.baseUrl}/api/v10/lobbies`;
  const made = await fetch(lobbies, { method: 'POST', headers, body: '{}' });
  const { id } = (await made.json()) as { id: string };
  for (let second = 0; second < busySeconds; second++) {
    const calls = 12 + Math.round(8 * Math.sin(second / 3));
    for (let call = 0; call < calls; call++) {
      const body = JSON.stringify({ metadata: { round: String(call) } });
      await fetch(`${lobbies}/${id}`, { method: 'PATCH', headers, body });
    }
    if (second % 7 === 0) await fetch(`${lobbies}/5`, { headers });
    await page.waitForTimeout(900);
  }
}

/** What an evening leaves behind: lobbies, commands, interactions, errors, faults and timers. */
async function tellStory(world: World): Promise<string> {
  const { backend } = world;
  await backend.commands.create({
    name: 'rally',
    description: 'Calls your party together',
    name_localizations: { de: 'sammeln', fr: 'ralliement' },
    description_localizations: { de: 'Ruft deine Gruppe zusammen' },
    options: [{ type: 3, name: 'where', description: 'Where to', required: true }],
  });
  await backend.commands.create({ name: 'Greet', type: 2 });
  await backend.interactions.listen(async interaction => {
    await interaction.reply({
      content: 'The harbour it is. Who joins?',
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Join', custom_id: 'join' }] }],
    });
  });
  for (let count = 1; count <= 6; count++) {
    await backend.lobbies.create({ metadata: { map: count % 2 === 0 ? 'reef' : 'harbour', round: String(count) } });
  }
  const { id } = await backend.lobbies.create({
    metadata: { map: 'harbour', mode: 'duel' },
    idle_timeout_seconds: 900,
  });
  await control('POST', '/fixtures', socialOf(world));
  const [ada, grace] = [await world.player('ada'), await world.player('grace')];
  await backend.lobbies.putMember(id, world.user('ada').id, { metadata: { team: 'red' } });
  await backend.lobbies.putMember(id, world.user('grace').id, { metadata: { team: 'blue' } });
  await backend.lobbies.putMember(id, world.user('linus').id, { metadata: { team: 'blue' } });
  await world.settled();
  await ada.lobbies.get(id)?.send('Ahoy! Is everybody here?');
  await grace.lobbies.get(id)?.send('Linus is still in the harbour.');
  await backend.lobbies.edit(id, { metadata: { map: 'harbour', mode: 'duel', round: '2' } });
  await backend.lobbies.get('5').catch(() => undefined);
  await world.user('ada').use('/rally', { where: 'harbour' });
  await control('POST', '/faults', { kind: 'status', status: 503, count: 3, match: { route: 'joinLobby' } }).catch(
    () => undefined,
  );
  return id;
}

function socialOf(world: World): object {
  const [ada, grace, linus, margaret] = ['ada', 'grace', 'linus', 'margaret'].map(name => world.user(name).id);
  return {
    relationships: [
      { users: [ada, grace], type: 'friend' },
      { users: [linus, ada], type: 'request', application_id: world.applicationId },
      { users: [ada, margaret], type: 'block' },
    ],
    direct_messages: [{ author_id: grace, recipient_id: ada, content: 'Are you there tonight?' }],
  };
}

async function control(method: string, path: string, body?: unknown): Promise<unknown> {
  const { controlBase, controlToken } = world.service;
  const response = await fetch(`${controlBase}${path}`, {
    method,
    headers: { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}
