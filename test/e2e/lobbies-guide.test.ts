import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** docs/lobbies.md, done as it says: its files in a folder, its commands in that folder. */
const root = resolve(import.meta.dirname, '../..');
const guide = readFileSync(join(root, 'docs/lobbies.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'rallypoint-guide-'));
const running: Program[] = [];

/** A command of the guide, while it runs. */
class Program {
  output = '';
  readonly child: ChildProcess;
  #wake = () => {};

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const path = `${join(folder, 'system')}${delimiter}${process.env.PATH}`;
    this.child = spawn(process.execPath, [...args], { cwd: folder, env: { ...process.env, ...env, PATH: path } });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', data => {
        this.output += data;
        this.#wake();
      });
    }
    this.child.on('exit', () => this.#wake());
    running.push(this);
  }

  async shows(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`It ended and never showed "${text}":\n${this.output}`);
      await new Promise<void>(wake => {
        this.#wake = wake;
      });
    }
  }

  async ends(): Promise<number | null> {
    if (this.child.exitCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }
}

/** What stands in a block after the file's name. */
function fileOf(name: string): string {
  const block = new RegExp(`\`${name.replaceAll('.', '\\.')}\`[^\`]*\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1];
  if (block === undefined) throw new Error(`The guide does not show ${name}.`);
  return block.replaceAll('8910', port);
}

function said(command: string): string {
  expect(guide).toContain(`\`\`\`sh\n${command}\n\`\`\``);
  return command;
}

let port: string;

beforeAll(async () => {
  port = String(await freePort());
  mkdirSync(join(folder, 'node_modules/@rallypoint'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules/@rallypoint/sdk'), 'junction');
  symlinkSync(join(root, 'node_modules/rxjs'), join(folder, 'node_modules/rxjs'), 'junction');
  for (const name of ['fixtures.json', 'game.mjs', 'offline.mjs', 'server.mjs', 'lobby.test.mjs']) {
    writeFileSync(join(folder, name), fileOf(name));
  }
  // In place of the system's browser: somebody who presses the buttons of the pages it would show.
  const person = `import { signInAs } from '${join(root, 'samples/quickstart/player-browser.ts')}';
    await signInAs(process.env.GUIDE_PLAYER, process.argv.at(-1));`;
  mkdirSync(join(folder, 'system'));
  writeFileSync(join(folder, 'system/person.mjs'), person);
  for (const opener of ['xdg-open', 'open']) {
    const script = join(folder, 'system', opener);
    writeFileSync(script, `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'system/person.mjs')}' "$@"\n`);
    chmodSync(script, 0o755);
  }
  const serve = said('npx rallypoint serve --memory --port 8910 --fixtures fixtures.json').split(' ').slice(2);
  const service = new Program([join(root, 'bin/rallypoint.js'), ...serve.map(word => word.replace('8910', port))]);
  await service.shows('"event":"ready"');
});

afterAll(async () => {
  for (const { child } of running) child.kill();
  await Promise.all(running.map(program => program.ends()));
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('the guide to lobbies', () => {
  it('brings two players into one lobby, where they see and hear each other', async () => {
    const [ada, grace] = ['galleon', 'sloop'].map((ship, place) => {
      const player = { GUIDE_PLAYER: ['ada', 'grace'][place] };
      return new Program(said(`node game.mjs ${ship}`).split(' ').slice(1), player);
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
    const program = new Program(['offline.mjs']);
    expect(await program.ends()).toBe(0);
    expect(guide).toContain(`\`\`\`\n${program.output}\`\`\``);
  });

  it('shows a game server that works', async () => {
    const program = new Program(said('node server.mjs').split(' ').slice(1));
    expect(await program.ends()).toBe(0);
    expect(program.output).toMatch(/^Ada and Grace are in \d+\n$/);
  });

  it('shows a test that passes', async () => {
    const program = new Program(said('node --test').split(' ').slice(1));
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 1')]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
