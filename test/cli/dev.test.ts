import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRecording } from '../../src/testing/index.ts';

const main = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** Runs `rallypoint dev …` from the source in a folder of its own. */
function dev(...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const start = () => {
    const child = spawn(process.execPath, [main, 'dev', ...args], { cwd: folder });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', chunk => {
      said.stdout += chunk;
    });
    child.stderr.on('data', chunk => {
      said.stderr += chunk;
    });
    const ended = once(child, 'close').then(([code]) => ({ code, ...said }));
    const says = (text: string | RegExp) => expect.poll(() => said.stdout).toMatch(text);
    return { child, said, ended, says };
  };
  return { folder, write, start };
}

describe('rallypoint dev', () => {
  it('serves a demo, shows plain lines of what happens, and removes the ready file when it stops', async () => {
    const { folder, start } = dev('--port', '0');
    const { child, ended, says } = start();
    await says('Press Ctrl+C to stop.\n');
    const ready = join(folder, '.rallypoint/ready.json');
    const { api_base } = JSON.parse(readFileSync(ready, 'utf8'));
    const headers = { authorization: 'Bot development-bot-token', 'content-type': 'application/json' };
    const body = JSON.stringify({ members: [{ id: '9' }] });
    expect((await fetch(`${api_base}/v10/lobbies`, { method: 'POST', headers, body })).status).toBe(201);
    await fetch(`${api_base}/v10/lobbies/1`, { headers });
    await says(/^\d\d:\d\d:\d\d\.\d{3} {2}request {5}createLobby {2}201 {2}by bot 1$/m);
    await says(/ request {5}getLobby {2}404 /);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Rallypoint \S+ serves a demo at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stdout).toContain('users         ada, grace\n');
    expect(stdout).not.toContain('\u001b');
    expect(existsSync(ready)).toBe(false);
  });

  it('does not take the ready file of a service that is running, and replaces that of one that was killed', async () => {
    const { folder, start } = dev('--port', '0');
    const first = start();
    await first.says('Press Ctrl+C to stop.\n');
    const path = join(folder, '.rallypoint/ready.json');
    const text = readFileSync(path, 'utf8');
    const { code, stdout, stderr } = await start().ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `rallypoint: The ready file .rallypoint/ready.json is that of a service which is running at ${JSON.parse(text).control_base}. Stop it, or start this one with a port and a ready file of its own: --port 0 --ready-file FILE\n`,
    );
    expect(readFileSync(path, 'utf8')).toBe(text);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = start();
    await third.says('Press Ctrl+C to stop.\n');
    expect(readFileSync(path, 'utf8')).not.toBe(text);
    third.child.kill('SIGTERM');
    expect((await third.ended).code).toBe(0);
  });

  it('loads the fixtures file again when it changes, and keeps running when it is wrong', async () => {
    const { folder, write, start } = dev('--port', '0', '--fixtures', 'fixtures.json', '--ready-file', 'ready.json');
    write('fixtures.json', '{ "users": [{ "id": "9", "username": "ada" }] }');
    const { child, ended, says } = start();
    await says('Press Ctrl+C to stop.\n');
    write('fixtures.json', '{ "users": [{ "id": "9" ');
    await says('fixtures.json was not loaded: The fixtures file fixtures.json is not JSON');
    write('fixtures.json', '{ "users": [{ "id": "10", "username": 7 }] }');
    await says('fixtures.json was not loaded: The fixtures document is not valid');
    write('fixtures.json', '{ "users": [{ "id": "10", "username": "grace" }] }');
    await says('fixtures.json was loaded again.\n');
    const { control_base, control_token } = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'));
    const headers = { authorization: `Bearer ${control_token}` };
    expect((await fetch(`${control_base}/users/10/session`, { method: 'POST', headers })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('writes the traffic to a file when it stops, without secrets', async () => {
    const { folder, start } = dev('--port', '0', '--record', 'session.jsonl');
    const { child, ended, says } = start();
    await says('Press Ctrl+C to stop.\n');
    const { api_base } = JSON.parse(readFileSync(join(folder, '.rallypoint/ready.json'), 'utf8'));
    const headers = { authorization: 'Bot development-bot-token', 'content-type': 'application/json' };
    await fetch(`${api_base}/v10/lobbies`, { method: 'POST', headers, body: '{"metadata":{"map":"harbour"}}' });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('was written to session.jsonl.\n') });
    const text = readFileSync(join(folder, 'session.jsonl'), 'utf8');
    expect(text).not.toContain('development-bot-token');
    expect(readRecording(text).entries).toMatchObject([
      { kind: 'request', by: 'bot 1', route: 'createLobby', body: { metadata: { map: 'harbour' } } },
      { kind: 'answer', status: 201 },
    ]);
  });

  it('fails with 1 when it cannot start, and with 2 on wrong usage', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const failures = [
      [['--port', String(port)], 1, `Port ${port} of 127.0.0.1 is taken`],
      [['--fixtures', 'none.json'], 1, 'The fixtures file none.json cannot be read'],
      [['--port', '0', '--record', 'none/session.jsonl'], 1, 'The recording could not be written: ENOENT'],
      [['--port', 'x'], 2, '--port must be a whole number'],
      [['--fixture', 'x'], 2, 'Did you mean "--fixtures"?'],
      [['now'], 2, 'takes only options'],
    ] as const;
    const runs = failures.map(async ([args, code, told]) => ({
      ...(await dev(...args).start().ended),
      told,
      wanted: code,
    }));
    for (const { code, stdout, stderr, told, wanted } of await Promise.all(runs)) {
      expect({ code, stdout, stderr }).toEqual({ code: wanted, stdout: '', stderr: expect.stringContaining(told) });
    }
  });

  it('says in one line that the folder of its ready file cannot be made', async () => {
    const { write, start } = dev('--port', '0');
    write('.rallypoint', 'a file, where the folder should be');
    expect(await start().ended).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'rallypoint: The ready file .rallypoint/ready.json cannot be written: .rallypoint is a file, not a folder. Name another one by --ready-file FILE.\n',
    });
  });

  it('shows its help', async () => {
    expect(await dev('--help').start().ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: rallypoint dev'),
    });
  });
});
