import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/runs/free-port.ts';
import { Guide } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

const shell = await needs('posix');

/** The quick start of the README, done as printed: its files in an empty folder, its commands in that folder, no network. */
const root = resolve(import.meta.dirname, '../..');
const port = String(await freePort());
const guide = new Guide('README.md', { 8910: port });
const run = (command: string, env: NodeJS.ProcessEnv = process.env) => guide.run(guide.said(command), env);

beforeAll(async () => {
  // What `npm init --yes` and `npm pkg set type=module` write that matters here.
  guide.writeText('package.json', '{ "type": "module" }');
  for (const name of ['fixtures.json', 'server.js', 'game.js', 'rally.test.js']) guide.write(name);
  const [, ...dev] = guide.said('npx rallypoint dev --fixtures fixtures.json');
  await guide.run([join(root, 'bin/rallypoint.js'), ...dev, '--port', port], process.env).shows('Ctrl+C');
});

afterAll(() => guide.close());

describe.skipIf(shell.missing)(`the quick start of the README${shell.note}`, () => {
  it('installs packages by names that exist', () => {
    expect(guide.text).toContain(
      '```sh\nnpm init --yes\nnpm pkg set type=module\nnpm install @rallypoint/sdk rxjs\n```',
    );
  });

  it('opens a lobby from the server, and another that appears while the game watches', async () => {
    const server = run('node server.js');
    expect([await server.ends(), server.output]).toEqual([
      0,
      expect.stringMatching(/^\/rally is registered, and lobby \d+ is open\.\n$/),
    ]);
    const game = run('node game.js', guide.browserOf('ada'));
    await game.shows('On harbour: 1 member(s).\n');
    expect(await run('node server.js').ends()).toBe(0);
    await game.shows('On harbour: 1 member(s).\nOn harbour: 1 member(s).\nOn harbour: 1 member(s).\n');
    expect(game.output).toMatch(/^(On harbour: 1 member\(s\)\.\n)+$/);
  });

  it('shows a test that passes', async () => {
    const program = run('node --test', { ...process.env, NODE_TEST_CONTEXT: undefined });
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 1')]);
  });
});
