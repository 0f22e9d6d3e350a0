import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/runs/free-port.ts';
import { Guide } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

const shell = await needs('posix');

/** The first page of docs/commands.md, done as it says; test/contract/commands-docs.test.ts runs the rest. */
const bin = join(resolve(import.meta.dirname, '../..'), 'bin/rallypoint.js');
const port = String(await freePort());
const guide = new Guide('docs/commands.md', { 8910: port });
const env = { ...process.env, RALLYPOINT_BOT_TOKEN: 'starfall-bot-token' };

afterAll(() => guide.close());

describe.skipIf(shell.missing)(`the guide to commands${shell.note}`, () => {
  it('shows a command that is deployed, used by a player and answered by the game’s program', async () => {
    for (const name of ['fixtures.json', 'commands.json', 'rallypoint.config.json', 'bot.mjs']) guide.write(name);
    const [, ...serve] = guide.said('npx rallypoint dev --fixtures fixtures.json');
    await guide.run([bin, ...serve, '--port', port], env).shows(`http://127.0.0.1:${port}`);
    const deploy = guide.run([bin, 'commands', 'deploy', 'commands.json'], env);
    expect([await deploy.ends(), deploy.output]).toEqual([0, expect.stringContaining('in sync')]);
    await guide.run(['bot.mjs'], env).shows('Waiting for commands.');

    const [, ...use] = guide.said('npx rallypoint use /rally map=Harbour');
    const used = guide.run([bin, ...use], env);
    expect(await used.ends()).toBe(0);
    expect(guide.text).toContain(`\`\`\`\n${used.output}\`\`\``);
  });
});
