import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/runs/free-port.ts';
import { Guide, type Program } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

const shell = await needs('posix');

/** docs/lobbies.md, done as it says: its files in a folder, its commands in that folder. */
const root = resolve(import.meta.dirname, '../..');
const port = String(await freePort());
const guide = new Guide('docs/lobbies.md', { 8910: port });

function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Program {
  return guide.run(args, env);
}

beforeAll(async () => {
  for (const name of ['fixtures.json', 'game.mjs', 'offline.mjs', 'server.mjs', 'lobby.test.mjs']) guide.write(name);
  const [, ...dev] = guide.said('npx rallypoint dev --fixtures fixtures.json');
  await run([join(root, 'bin/rallypoint.js'), ...dev, '--port', port]).shows('Ctrl+C');
});

afterAll(() => guide.close());

describe.skipIf(shell.missing)(`the guide to lobbies${shell.note}`, () => {
  it('brings two players into one lobby, where they see each other and their messages', async () => {
    const [ada, grace] = ['galleon', 'sloop'].map((ship, place) => {
      return run(guide.said(`node game.mjs ${ship}`), guide.browserOf(['ada', 'grace'][place] ?? ''));
    });
    if (!ada || !grace) throw new Error('There are two.');
    await Promise.all([ada, grace].map(game => game.shows('In the lobby: galleon, sloop')));
    ada.child.stdin?.write('To the harbour!\n');
    await Promise.all([ada, grace].map(game => game.shows('Ada: To the harbour!')));
    ada.child.stdin?.end();
    expect(await ada.ends()).toBe(0);
    await grace.shows('In the lobby: sloop\n');
  });

  it('prints what it says, offline', async () => {
    const program = run(['offline.mjs']);
    expect(await program.ends()).toBe(0);
    expect(guide.text).toContain(`\`\`\`\n${program.output}\`\`\``);
  });

  it('shows a game server that works', async () => {
    const program = run(guide.said('node server.mjs'));
    expect(await program.ends()).toBe(0);
    expect(program.output).toMatch(/^Ada and Grace are in \d+\n$/);
  });

  it('shows a test that passes', async () => {
    const program = run(guide.said('node --test'));
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 1')]);
  });
});
