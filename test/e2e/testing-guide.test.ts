import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/runs/free-port.ts';
import { Guide } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

const shell = await needs('posix');
const python = await needs('python');
const curl = await needs('curl');

/** docs/testing.md, done as it says: its files in a folder, its commands in that folder. */
const root = resolve(import.meta.dirname, '../..');
const port = String(await freePort());
const guide = new Guide('docs/testing.md', { 8910: port });

beforeAll(async () => {
  guide.install('vitest');
  guide.writeText('package.json', '{ "type": "module" }');
  for (const name of ['rally.js', 'rally.spec.js', 'lobby-test.mjs', 'bug-test.mjs', 'fixtures.json', 'test_game.py'])
    guide.write(name);
  const serve = guide
    .said('npx rallypoint serve --memory --virtual-clock --port 8910 --fixtures fixtures.json --ready-file ready.json')
    .slice(1);
  await guide.run([join(root, 'bin/rallypoint.js'), ...serve], process.env).shows('"event":"ready"');
});

afterAll(() => guide.close());

describe.skipIf(shell.missing)(`the guide to testing${shell.note}`, () => {
  it('shows a test for Vitest that passes, beside those for node:test', async () => {
    const [, ...args] = guide.said('npx vitest run');
    const env = { ...process.env, NO_COLOR: '1', VITEST: undefined };
    const program = guide.run([join(root, 'node_modules/vitest/vitest.mjs'), ...args], env);
    expect([await program.ends(), program.output]).toEqual([0, expect.stringMatching(/Tests +2 passed/)]);
    // A test runner that starts its own processes, on a machine that may have much else to do.
  }, 60_000);

  it.each(['lobby-test.mjs', 'bug-test.mjs'])('shows %s for node:test, which passes', async name => {
    const program = guide.run(guide.said(`node --test ${name}`), {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
    });
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 1')]);
  });

  it('shows tests for node:test that pass beside the one for Vitest', async () => {
    const program = guide.run(['--test'], { ...process.env, NODE_TEST_CONTEXT: undefined });
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 2')]);
  });

  it('has a handler that works in direct messages, too', async () => {
    guide.writeText(
      'direct.mjs',
      `import { createWorld } from '@rallypoint/sdk/testing';
      import { answer, rally } from './rally.js';
      const world = await createWorld({ users: ['ada'] });
      await world.backend.commands.create(rally);
      await world.backend.interactions.listen(answer);
      const reply = await world.user('ada').use('/rally', { where: 'harbour' }, { direct: true });
      const pressed = await world.user('ada').press('Join', { direct: true });
      console.log(reply.content, '|', pressed.content);
      await world.close();`,
    );
    const program = guide.run(['direct.mjs'], process.env);
    expect([await program.ends(), program.output]).toEqual([0, 'ada calls everybody to the harbour | ada joined\n']);
  });

  it.skipIf(curl.missing)(`moves the clock with curl${curl.note}`, () => {
    const script = guide.block('sh', 'curl');
    const clock = () => JSON.parse(execFileSync('sh', ['-c', script], { cwd: guide.folder, encoding: 'utf8' })).now_ms;
    const before = clock();
    expect(clock() - before).toBe(300_000);
  });

  it.skipIf(python.missing)(`shows a test in Python that passes${python.note}`, () => {
    const command = guide.said('python3 test_game.py');
    const program = spawnSync('python3', command, { cwd: guide.folder, encoding: 'utf8' });
    expect([program.status, program.stderr]).toEqual([0, expect.stringContaining('Ran 2 tests')]);
  });
});
