import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createBackend } from '../../src/backend/index.ts';
import { controlCommands } from '../../src/cli/control/options.ts';
import { rallypoint } from '../../src/cli/rallypoint.ts';
import { type Service, startService } from '../../src/service/service.ts';

const fixtures = {
  applications: [{ id: '1', name: 'Starfall', bot_token: 'starfall-bot-token' }],
  users: [
    { id: '10', username: 'grace', global_name: 'Grace' },
    { id: '9', username: 'ada', banned: true },
  ],
  guilds: [{ id: '5', owner_id: '10', channels: [{ id: '7', name: 'general' }], members: [{ user_id: '10' }] }],
};
let service: Service;

beforeAll(async () => {
  service = await startService({ fixtures, clock: 'virtual' });
});
beforeEach(() => service.reset());
afterAll(() => service.close());

/** Runs a command with the service in its environment. */
async function run(...args: readonly string[]) {
  return runWith({ RALLYPOINT_CONTROL_URL: service.controlBase, RALLYPOINT_CONTROL_TOKEN: service.controlToken }, args);
}

async function runWith(environment: Readonly<Record<string, string>>, args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const code = await rallypoint(args, {
    stdout: { write: text => (stdout += text) },
    stderr: { write: text => (stderr += text) },
    environment,
    askHidden: async () => undefined,
    askWhether: async () => undefined,
  });
  return { code, stdout, stderr };
}

function backend() {
  const opened = createBackend({ baseUrl: service.webBase, applicationId: '1', botToken: 'starfall-bot-token' });
  onTestFinished(() => opened.close());
  return opened;
}

const done = (stdout: unknown) => ({ code: 0, stderr: '', stdout });

describe('the commands for a running service', () => {
  it('list its users, page by page', async () => {
    const all = [
      'ID  USERNAME  GLOBAL_NAME  BANNED',
      '10  grace     Grace        -',
      '9   ada       -            yes',
      '',
    ];
    expect(await run('users')).toEqual(done(all.join('\n')));
    expect((await run('users', '--limit', '1')).stdout).toContain('There are more: pass --after 10 as well.\n');
    const page = JSON.parse((await run('users', '--limit', '1', '--after', '10', '--json')).stdout);
    expect(page).toMatchObject({ users: [{ id: '9', username: 'ada' }], next: null });
    expect(await run('users', '--limit', '1000')).toEqual(done(all.join('\n')));
    expect(await run('users', '--after', '9')).toEqual(done('There are no more users.\n'));
  });

  it('list its lobbies', async () => {
    expect(await run('lobbies')).toEqual(done('There are no lobbies.\n'));
    const { id } = await backend().lobbies.create({ metadata: { map: 'harbour' }, members: [{ id: '10' }] });
    const { stdout } = await run('lobbies');
    expect(stdout).toContain(`${id}  1               1             {"map":"harbour"}\n`);
    const page = JSON.parse((await run('lobbies', '--json')).stdout);
    expect(page).toMatchObject({ lobbies: [{ id, member_count: 1 }], next: null });
    expect(await run('lobbies', '--after', id)).toEqual(done('There are no more lobbies.\n'));
  });

  it("print a token of a user's own client, by username and by id", async () => {
    for (const user of ['grace', '10']) {
      const { code, stdout } = await run('token', user);
      expect(code).toBe(0);
      const headers = { authorization: stdout.trim() };
      const answer = await fetch(`${service.apiBase}/v10/channels/7/application-command-index`, { headers });
      expect(answer.status).toBe(200);
    }
    expect(JSON.parse((await run('token', 'grace', '--json')).stdout)).toEqual({ token: expect.any(String) });
  });

  it('show and move its clock', async () => {
    const before = JSON.parse((await run('clock', 'show', '--json')).stdout).now_ms;
    expect(await run('clock', 'advance', '1.5', 'h')).toEqual(done(`${new Date(before + 5_400_000).toISOString()}\n`));
    expect(JSON.parse((await run('clock', 'advance', '250', '--json')).stdout)).toEqual({ now_ms: before + 5_400_250 });
    expect(await run('clock', 'show')).toEqual(done(`${new Date(before + 5_400_250).toISOString()}\n`));
  });

  it('add, list and clear faults', async () => {
    expect(await run('fault', 'list')).toEqual(done('There are no faults.\n'));
    const added = await run('fault', 'add', 'status', '--status', '503', '--route', 'createLobby', '--count', '2');
    expect(added).toMatchObject(
      done(expect.stringMatching(/^\S+ {2}status {2}status=503 {2}route=createLobby {2}left=2\n$/)),
    );
    const headers = { authorization: 'Bot starfall-bot-token', 'content-type': 'application/json' };
    const answer = await fetch(`${service.apiBase}/v10/lobbies`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(503);
    await run('fault', 'add', 'drop', '--user', 'grace', '--event', 'LOBBY_UPDATE', '--count', 'all');
    const { faults } = JSON.parse((await run('fault', 'list', '--json')).stdout);
    expect(faults).toMatchObject([
      { kind: 'status', left: 1 },
      { kind: 'drop', match: { user_id: '10', event: 'LOBBY_UPDATE' }, left: null },
    ]);
    expect(await run('fault', 'clear')).toEqual(done('All faults are removed.\n'));
    expect(service.faults.armed).toEqual([]);
  });

  it('show its log', async () => {
    const { entries } = JSON.parse(`{"entries":[${(await run('logs', '--json')).stdout.trim().split('\n').join()}]}`);
    const after = String(entries.at(-1)?.number ?? 0);
    await backend().lobbies.create({});
    const { stdout } = await run('logs', '--after', after);
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}request {5}createLobby {2}201 {2}by bot 1\n$/);
  });

  it('follow its log until SIGINT, with the service of a ready file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-logs-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'ready.json'), JSON.stringify(service.readyLine));
    const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
    const args = [main, 'logs', '--follow', '--json', '--ready-file', 'ready.json'];
    await backend().lobbies.create({});
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.on('data', chunk => {
      stdout += chunk;
    });
    const ended = once(child, 'close');
    await expect.poll(() => stdout).toContain('"route":"createLobby"');
    await backend()
      .lobbies.get('7')
      .catch(() => {});
    await expect.poll(() => stdout).toContain('"route":"getLobby","status":404');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('name what is wrong with a fault by its options, with exit code 2', async () => {
    const kinds = controlCommands.fault.add.words;
    const wrong = [
      [['fault', 'add', 'quake'], `KIND: must be one of ${kinds.map(kind => `"${kind}"`).join(', ')} `],
      [['fault', 'add', 'status'], ': --status: is required'],
      [['fault', 'add', 'rate_limit', '--retry-after-ms', '999999999999'], ': --retry-after-ms: must be'],
      [['fault', 'add', 'latency', '--route', 'x'], ': --ms: is required (required); --route: must be one of "getG'],
    ] as const;
    for (const [args, told] of wrong) {
      expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(told) });
    }
  });

  it('fail with 1 and the reason', async () => {
    const failures = [
      [['token', 'nobody'], 'There is no user "nobody"'],
      [['token', '77'], 'There is no user 77'],
      [['users', '--ready-file', 'none.json'], 'There is no ready file none.json.'],
      [
        ['users', '--ready-file', import.meta.dirname],
        `The ready file ${import.meta.dirname} cannot be read: ${import.meta.dirname} is a folder, not a file`,
      ],
      [['users', '--control', service.controlBase, '--control-token', 'wrong'], 'does not accept the control token'],
      [['users', '--control', service.controlBase, '--control-token', '-Xy'], 'does not accept the control token'],
      [['users', '--control', service.webBase, '--control-token', 'x'], 'is not the address of a control API'],
      [
        ['users', '--control', 'http://127.0.0.1:1', '--control-token', 'x'],
        'http://127.0.0.1:1 does not answer: bad port. Check that it is running.',
      ],
    ] as const;
    for (const [args, told] of failures) {
      expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(told) });
    }
  });

  it.each([
    [200, '<html>'],
    [200, ''],
    [404, '<html>'],
    [404, '{"message":"404: Not Found","code":0}'],
  ])('say in one line that another program answers: %i %s', async (status, body) => {
    const other = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const commands = [['users'], ['token', 'ada'], ['clock', 'show'], ['fault', 'clear'], ['use', '/rally'], ['logs']];
    for (const command of commands) {
      expect(await run(...command, '--control', url, '--control-token', 'x')).toEqual({
        code: 1,
        stdout: '',
        stderr: `rallypoint: ${url} is not the address of a control API, which is the control_base of the ready line. Does another program answer there?\n`,
      });
    }
  });

  it('say in one line that a service which has accepted the connection does not answer in time', async () => {
    const frozen = createServer((request, response) => {
      // Half of an answer is none.
      if (request.url === '/lobbies?') response.writeHead(200).write('{');
    }).listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    onTestFinished(() => {
      frozen.closeAllConnections();
      frozen.close();
    });
    const url = `http://127.0.0.1:${(frozen.address() as AddressInfo).port}`;
    const commands = [['users'], ['lobbies'], ['token', 'ada'], ['clock', 'show'], ['fault', 'clear'], ['logs', '-f']];
    const options = ['--control', url, '--control-token', 'x', '--timeout', '20ms'];
    for (const command of commands) {
      expect(await run(...command, ...options)).toEqual({
        code: 1,
        stdout: '',
        stderr: `rallypoint: The service at ${url} did not answer within 20 ms. Check that it is not stopped; --timeout waits longer.\n`,
      });
    }
  });

  it('stop following the log when nobody reads it any more', async () => {
    const stdout = Object.assign(new EventEmitter(), {
      write: () => process.nextTick(() => stdout.listenerCount('error') > 0 && stdout.emit('error')),
    });
    await backend().lobbies.create({});
    const code = await rallypoint(['logs', '--follow'], {
      ...{ stdout, stderr: { write: () => {} }, askHidden: async () => undefined, askWhether: async () => undefined },
      environment: { RALLYPOINT_CONTROL_URL: service.controlBase, RALLYPOINT_CONTROL_TOKEN: service.controlToken },
    });
    expect(code).toBe(0);
  });

  it('accept an address with a slash at its end and blanks around it', async () => {
    const environment = {
      RALLYPOINT_CONTROL_URL: ` ${service.controlBase}/ \n`,
      RALLYPOINT_CONTROL_TOKEN: service.controlToken,
    };
    expect((await runWith(environment, ['users', '--json'])).code).toBe(0);
  });

  it('never repeat a password in the address of the control API', async () => {
    for (const address of [
      'http://me:hunter2@127.0.0.1:1',
      'http://127.0.0.1:1?hunter2',
      'http://127.0.0.1:1#hunter2',
      'me:hunter2@x',
    ]) {
      const { code, stderr } = await run('users', '--control', address, '--control-token', 'x');
      expect([code, stderr]).toEqual([
        2,
        'rallypoint: --control must be an http: or https: address without user, query or fragment.\n',
      ]);
    }
  });

  it('never repeat a control token', async () => {
    const answer = await run('users', '--control', service.controlBase, '--control-token', 'hun\nter2');
    expect(answer).toEqual({
      code: 2,
      stdout: '',
      stderr: 'rallypoint: --control-token must be printable ASCII without spaces.\n',
    });
  });

  it('reject a clock that cannot be moved', async () => {
    const real = await startService({});
    onTestFinished(() => real.close());
    const environment = { RALLYPOINT_CONTROL_URL: real.controlBase, RALLYPOINT_CONTROL_TOKEN: real.controlToken };
    const { code, stderr } = await runWith(environment, ['clock', 'advance', '1s']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--virtual-clock') });
  });

  it('reject wrong usage with 2', async () => {
    const wrong = [
      [['users', 'ada'], 'does not take "ada"'],
      [['users', '--limit', 'x'], '--limit must be a whole number from 1 to 1000 (got "x").'],
      [['users', '--limit', '0'], '--limit must be a whole number from 1 to 1000 (got "0").'],
      [['lobbies', '--limit', '1001'], '--limit must be a whole number from 1 to 1000 (got "1001").'],
      [['users', '--timeout', 'soon'], '--timeout: A duration is'],
      [['clock', 'advance', '9999999d'], 'No id can be dated after'],
      [['help', 'users', 'ada'], '"rallypoint help users" does not take "ada".'],
      [['help', 'serve', 'now'], '"rallypoint help serve" does not take "now".'],
      [['help', 'fault', 'add', 'drop'], '"rallypoint help fault" does not take "drop".'],
      [['help', 'commands', 'plan', 'x'], '"rallypoint help commands" does not take "x".'],
      [['completion', 'bash', 'zsh'], '"rallypoint completion" takes one shell (got "zsh" too).'],
      [['users', '--after', 'ada'], '--after must be an id, a whole number (got "ada").'],
      [['fault', 'add', 'drop', '--application', 'Starfall'], '--application must be an id, a whole number'],
      [['users', '--control', 'ftp://x'], '--control must be an http: or https: address without user, query or'],
      [['fault', 'add', 'latency', '--ms', '-5'], '--ms must be a whole number (got "-5").'],
      [['users', '--limit', '-f'], '--limit needs a value: --limit N.'],
      [['users', '--timeout', '0'], '--timeout must be from 1ms to 24d (got "0").'],
      [['use', '/rally', '--wait', '25d'], '--wait must be from 1ms to 24d (got "25d").'],
      [['token'], '"rallypoint token" needs USER'],
      [['clock', 'advance'], 'needs DURATION'],
      [['clock', 'advance', 'soon'], 'DURATION: A duration is'],
      [['clock', 'advanc'], 'Did you mean "advance"?'],
      [['help', 'fault', 'ad'], 'Did you mean "add"?'],
      [['fault', '--json'], 'has no option --json'],
      [['logs', '--folow'], 'Did you mean "--follow"?'],
    ] as const;
    for (const [args, told] of wrong) {
      expect(await run(...args)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(told) });
    }
    const half = await runWith({ RALLYPOINT_CONTROL_URL: service.controlBase }, ['users']);
    expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('belong together') });
  });

  it('show their help', async () => {
    for (const command of ['users', 'lobbies', 'token', 'clock', 'fault', 'use', 'logs']) {
      const { code, stdout } = await run(command, '--help');
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(`^Usage: rallypoint ${command}`) });
      expect((await run('help', command)).stdout).toBe(stdout);
    }
    const { stdout } = await run('fault', 'add', '--help');
    expect(stdout).toContain('KIND is one of latency, status');
    expect((await run('help', 'fault', 'add')).stdout).toBe(stdout);
    expect((await run('clock')).stdout).toContain('advance DURATION');
  });
});
