import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/runs/parts.ts';

const root = resolve(import.meta.dirname, '../..');
const main = join(root, 'src/cli/main.ts');
const serve = ['serve', '--memory', '--port', '0', '--fixtures', join(root, 'src/cli/template/fixtures.json')];
const terminal = await needs('linux', 'terminal');

let folder: string;
let programs: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rallypoint-place-'));
  programs = [];
});
afterEach(async () => {
  for (const child of programs) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** What it has written on both streams. */
  output(): string;
}

/** Resolves once it has written `text`. */
async function start(program: string, args: readonly string[], text: string): Promise<Started> {
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, TERM: 'xterm', NO_COLOR: '1' } });
  programs.push(child);
  let output = '';
  await new Promise<void>((done, fail) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes(text)) done();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', () => fail(new Error(`It ended: ${output}`)));
  });
  return { child, output: () => output };
}

function run(...args: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise(done => {
    const child = execFile(process.execPath, [main, ...args], { cwd: folder }, (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });
}

const place = () => join(folder, '.rallypoint/ready.json');

describe('a service that "serve" starts without a ready file', () => {
  it('a service without --ready-file is found by the commands for a running service until it ends', async () => {
    const { child, output } = await start(process.execPath, [main, ...serve], '"event":"ready"');
    expect(JSON.parse(readFileSync(place(), 'utf8'))).toMatchObject({ event: 'ready', pid: child.pid });
    expect(statSync(place()).mode & 0o077).toBe(0);
    expect(await run('users')).toEqual({ code: 0, output: expect.stringContaining('grace') });
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(existsSync(place())).toBe(false);
    expect(
      output()
        .trim()
        .split('\n')
        .every(line => line.startsWith('{')),
    ).toBe(true);
  });

  it('a second service in a folder leaves the ready file of the first, and says so', async () => {
    const first = await start(process.execPath, [main, ...serve], '"event":"ready"');
    const before = readFileSync(place(), 'utf8');
    const second = await start(process.execPath, [main, ...serve], 'Give this one its own: --ready-file FILE.');
    second.child.kill('SIGTERM');
    await once(second.child, 'close');
    expect(readFileSync(place(), 'utf8')).toBe(before);
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    const third = await start(process.execPath, [main, ...serve], '"event":"ready"');
    expect(JSON.parse(readFileSync(place(), 'utf8')).pid).toBe(third.child.pid);
  });

  it('a service starts where its ready file cannot be written', async () => {
    writeFileSync(join(folder, '.rallypoint'), 'a file');
    const { output } = await start(process.execPath, [main, ...serve], 'cannot be written');
    expect(output()).toContain('--ready-file FILE');
  });
});

describe.skipIf(terminal.missing)(`at a terminal${terminal.note}`, () => {
  it.each([
    ['serve', serve],
    ['dev', ['dev', '--port', '0']],
  ])('"%s" shows what the service has, and no JSON', async (_, args) => {
    const command = [process.execPath, main, ...args].join(' ');
    const { output } = await start('script', ['-qec', command, '/dev/null'], 'Ctrl+C');
    expect(output()).toMatch(/Rallypoint \S+ serves .* at http:\/\/127\.0\.0\.1:\d+/);
    for (const part of ['Game (1)', 'ada, grace', 'general', '.rallypoint/ready.json', '/console#token='])
      expect(output()).toContain(part);
    expect(output()).not.toContain('{');
  });

  it('"dev" shows the bot token of its demo, and not one of a game', async () => {
    const command = (...args: readonly string[]) => [
      '-qec',
      [process.execPath, main, 'dev', '--port', '0', ...args].join(' '),
      '/dev/null',
    ];
    const demo = await start('script', command(), 'Ctrl+C');
    expect(demo.output()).toContain('development-bot-token');
    const game = await start(
      'script',
      command('--ready-file', 'other.json', '--fixtures', serve.at(-1) ?? ''),
      'Ctrl+C',
    );
    expect(game.output()).not.toContain('development-bot-token');
  });
});
