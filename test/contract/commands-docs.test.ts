import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBackend, router } from '../../src/backend/index.ts';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import type { ModalCreated } from '../../src/model/gateway.ts';
import type { Message } from '../../src/model/message.ts';
import { startService } from '../../src/service/service.ts';
import { useCommand } from '../support/commands/use-command.ts';
import { submitModal, useComponent } from '../support/commands/use-component.ts';
import { GatewayClient } from '../support/gateway/gateway-client.ts';
import { starfall } from '../support/service/starfall.ts';
import { sessionToken } from '../support/service/tokens.ts';

const root = resolve(import.meta.dirname, '../..');
const text = ['commands.md', 'commands-reference.md']
  .map(name => readFileSync(join(root, 'docs', name), 'utf8'))
  .join('\n');
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, body = '']) => body);

describe('docs/commands.md', () => {
  it('leads from nothing to a deployed set, by the lines it shows', async () => {
    const [fixtures = '', commands = '', config = '', renamed = '', translations = ''] = blocks('json');
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-docs-'));
    const service = await startService({ fixtures: JSON.parse(fixtures), limits: 'off' });
    onTestFinished(async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    });
    writeFileSync(join(folder, 'commands.json'), commands);
    const configFile = join(folder, 'rallypoint.config.json');
    writeFileSync(configFile, config.replace('http://127.0.0.1:8910', service.webBase));
    writeFileSync(join(folder, 'renamed.json'), `[${renamed}]`);
    mkdirSync(join(folder, 'locales'));
    writeFileSync(join(folder, 'locales', 'de.json'), translations);
    // As `npx rallypoint` would load it, but from here.
    const module = (blocks('ts')[0] ?? '').replace('@rallypoint/sdk/backend', join(root, 'src/backend/index.ts'));
    writeFileSync(join(folder, 'commands.ts'), module);

    const lines = blocks('sh')
      .flatMap(block => block.split('\n'))
      .filter(line => line.startsWith('npx rallypoint commands'));
    expect(lines.length).toBeGreaterThanOrEqual(6);
    const printed: string[] = [];
    for (const line of [
      ...lines,
      lineFor('plan renamed.json'),
      lineFor('deploy commands.ts --yes'),
      lineFor('check commands.ts'),
    ]) {
      const { code, stdout, stderr } = await run(line);
      expect(`${line} → ${code} ${stderr}`).toMatch(/→ 0 (\[1\/1\].*\n)?$/);
      printed.push(stdout);
    }
    // What it shows of the first plan is what the first plan shows.
    expect(text).toContain(printed[0]);
    expect(printed.at(-3)).toContain('regroup (was rally)');

    async function run(line: string) {
      let stdout = '';
      let stderr = '';
      const args = line
        .split(' ')
        .slice(2)
        .map(word => (/\.(json|ts)$|^locales$/.test(word) ? join(folder, word) : word));
      const code = await rallypoint([...args, '--config', configFile], {
        stdout: { write: part => (stdout += part) },
        stderr: { write: part => (stderr += part) },
        environment: { RALLYPOINT_BOT_TOKEN: JSON.parse(fixtures).applications[0].bot_token },
        askHidden: async () => undefined,
        askWhether: async () => undefined,
      });
      return { code, stdout, stderr };
    }
  });
});

it('docs/commands.md shows a button that opens a form', async () => {
  const [application] = starfall.applications;
  const [ada] = starfall.users;
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-docs-'));
  const service = await startService({ fixtures: starfall, limits: 'off' });
  const { id: applicationId, bot_token: botToken } = application;
  const backend = createBackend({ applicationId, botToken, baseUrl: service.webBase, globalLimit: 'off' });
  const player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada.id) });
  onTestFinished(async () => {
    backend.close();
    await player.end();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const shown = blocks('ts');
  const at = shown.findIndex(block => block.includes('defineModal('));
  const path = join(folder, 'crew.ts');
  writeFileSync(path, (shown[at] ?? '').replace('@rallypoint/sdk/backend', join(root, 'src/backend/index.ts')));
  const { crew, nameButton, nameForm } = await import(pathToFileURL(path).href);
  await backend.commands.create(crew);
  const listening = shown[at + 1] ?? '';
  expect(listening).toMatch(/^await .*\n$/);
  const listen = new Function('backend', 'router', 'crew', 'nameButton', 'nameForm', `return ${listening.slice(6)}`);
  await listen(backend, router, crew, nameButton, nameForm);

  const [command] = (await backend.commands.list()).filter(({ name }) => name === 'crew');
  if (!command) throw new Error('It is registered.');
  await useCommand(service, command, ada.id);
  const message = (await player.dispatch('MESSAGE_CREATE')) as Message;
  await useComponent(service, message, ada.id, { component_type: 2, custom_id: 'name-crew/red' });
  const form = (await player.dispatch('INTERACTION_MODAL_CREATE')) as ModalCreated;
  const name = { type: 4, custom_id: 'name', value: 'Nautilus' } as const;
  await submitModal(service, form, ada.id, [{ type: 18, component: name }]);
  expect(await player.dispatch('MESSAGE_UPDATE')).toMatchObject({
    id: message.id,
    content: 'Nautilus (red) is bound for the open sea.',
    components: [],
  });
});

/** The module of the first TypeScript block that contains this, and the block after it. */
async function importBlock(folder: string, name: string, contained: string) {
  const shown = blocks('ts');
  const at = shown.findIndex(block => block.includes(contained));
  const path = join(folder, name);
  writeFileSync(path, (shown[at] ?? '').replace('@rallypoint/sdk/backend', join(root, 'src/backend/index.ts')));
  return { module: await import(pathToFileURL(path).href), next: shown[at + 1] ?? '' };
}

it('docs/commands.md shows components with values, and a command that waits for its buttons', async () => {
  const [application] = starfall.applications;
  const [ada] = starfall.users;
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-docs-'));
  const service = await startService({ fixtures: starfall, limits: 'off' });
  const { id: applicationId, bot_token: botToken } = application;
  const backend = createBackend({ applicationId, botToken, baseUrl: service.webBase, globalLimit: 'off' });
  const player = await GatewayClient.identified(service.gateway, { token: await sessionToken(service, ada.id) });
  onTestFinished(async () => {
    backend.close();
    await player.end();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { find, join: joinLobby } = (await importBlock(folder, 'lobbies.ts', "'join/:lobbyId/:team'")).module;
  const { leave } = (await importBlock(folder, 'leave.ts', 'awaitComponent(')).module;
  await backend.interactions.listen(router([find, leave], { components: [joinLobby] }));

  const press = async (command: object, custom_id: string) => {
    const { command: created } = await backend.commands.create(command as never);
    const shown = player.frames.filter(({ t }) => t === 'MESSAGE_CREATE').length;
    const edited = player.frames.filter(({ t }) => t === 'MESSAGE_UPDATE').length;
    await useCommand(service, created, ada.id);
    await player.until(() => player.frames.filter(({ t }) => t === 'MESSAGE_CREATE').length > shown);
    const message = player.frames.findLast(({ t }) => t === 'MESSAGE_CREATE')?.d as Message;
    await useComponent(service, message, ada.id, { component_type: 2, custom_id });
    await player.until(() => player.frames.filter(({ t }) => t === 'MESSAGE_UPDATE').length > edited);
    return player.frames.findLast(({ t }) => t === 'MESSAGE_UPDATE')?.d;
  };
  expect(await press(find, 'join/42/red')).toMatchObject({ content: 'You are in lobby 42, team red.', components: [] });
  expect(await press(leave, 'yes')).toMatchObject({ content: 'You have left.', components: [] });
});

function lineFor(action: string): string {
  return `npx rallypoint commands ${action}`;
}
