import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../src/model/version.ts';
import { needs } from '../support/runs/parts.ts';

const root = resolve(import.meta.dirname, '../..');
const main = join(root, 'src', 'cli', 'main.ts');

interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  /** The exit code once it has ended, and all it wrote. */
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** The first line on stdout, parsed. */
  readonly ready: Promise<Record<string, unknown>>;
}

/** Runs `rallypoint …` from the source. */
function rallypoint(...args: readonly string[]): Run {
  return run(main, args);
}

function run(program: string, args: readonly string[]): Run {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder() });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      stdout += chunk;
      if (/^\{.*\n/.test(stdout)) resolve(JSON.parse(stdout.split('\n', 1)[0] ?? ''));
    });
    child.on('close', () => reject(new Error(`It ended without a ready line: ${stderr}`)));
  });
  ready.catch(() => {});
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  return { child, ready, ended };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'rallypoint-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const posix = await needs('posix');

describe('rallypoint', () => {
  it.skipIf(posix.missing || !existsSync('/dev/full')).each([
    { to: '> /dev/full', code: 1, said: /^rallypoint: The output could not be written: ENOSPC.*\n$/ },
    { to: '| true', code: 0, said: /^$/ },
  ])(`fails when its output is lost, unless nobody reads it: --help $to${posix.note}`, async ({ to, code, said }) => {
    const script = `{ "$0" "$1" --help; echo $? >&3; } 3>"$2" ${to}`;
    const file = join(folder(), 'code');
    const child = spawn('sh', ['-c', script, process.execPath, main, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(stderr).toMatch(said);
    expect(Number(readFileSync(file, 'utf8'))).toBe(code);
  });

  it.skipIf(posix.missing || !existsSync('/dev/full'))(
    `serves although its ready line is lost, and says so${posix.note}`,
    async () => {
      const script = 'exec "$0" "$1" serve --memory --port 0 > /dev/full';
      const child = spawn('sh', ['-c', script, process.execPath, main], { stdio: ['ignore', 'ignore', 'pipe'] });
      const closed = once(child, 'close');
      let said = '';
      let isTold = false;
      for await (const part of child.stderr) {
        said += part;
        if (isTold || !said.includes('accepts traffic') || !said.includes('could not be written')) continue;
        // Once: a second signal would end it with 1.
        isTold = true;
        child.kill('SIGTERM');
      }
      expect(await closed).toEqual([0, null]);
      expect(said).toContain('rallypoint: The output could not be written: ENOSPC');
    },
  );

  it('shows help and version on stdout, with exit code 0', async () => {
    const [help, topic, serveHelp, shown] = await Promise.all(
      [['--help'], ['help', 'serve'], ['serve', '-h'], ['--version']].map(args => rallypoint(...args).ended),
    );
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('serve  ') });
    expect(topic).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('--virtual-clock') });
    expect(serveHelp).toEqual(topic);
    expect(shown).toEqual({ code: 0, stderr: '', stdout: `${version}\n` });
  });

  it('shows its help when it is called bare', async () => {
    const [bare, help, bareCommands, commandsHelp] = await Promise.all(
      [[], ['--help'], ['commands'], ['help', 'commands']].map(args => rallypoint(...args).ended),
    );
    expect(bare).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Usage: rallypoint <command>') });
    expect(bare).toEqual(help);
    expect(bareCommands).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: rallypoint commands <action>'),
    });
    expect(bareCommands).toEqual(commandsHelp);
  });

  it('suggests the nearest command and option', async () => {
    const suggestions = [
      [['srve'], 'serve'],
      [['doctr'], 'doctor'],
      [['help', 'srve'], 'serve'],
      [['--halp'], '--help'],
      [['serve', '--fixture', 'x'], '--fixtures'],
      [['commands', 'dploy'], 'deploy'],
      [['help', 'commands', 'dploy'], 'deploy'],
      [['commands', 'plan', '--baseurl', 'x'], '--base-url'],
      [['completion', 'bsh'], 'bash'],
    ] as const;
    const runs = suggestions.map(async ([args, meant]) => ({ ...(await rallypoint(...args).ended), meant }));
    for (const { code, stderr, meant } of await Promise.all(runs)) {
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`Did you mean "${meant}"?`) });
    }
  });

  it('rejects wrong usage in one line on stderr, with exit code 2', async () => {
    const runs = [['srve'], ['help', 'srve'], ['--halp'], ['serve', '--port', 'x'], ['serve', '--store', 'mysql:']];
    for (const { code, stdout, stderr } of await Promise.all(runs.map(args => rallypoint(...args).ended))) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^rallypoint: [^\n]+\n$/);
    }
  });
});

describe('rallypoint serve', () => {
  it('prints one ready line, writes the same to the ready file, answers, and ends with 0 on SIGTERM', async () => {
    const file = join(folder(), 'ready.json');
    writeFileSync(file, 'left by another');
    const { child, ready, ended } = rallypoint('serve', '--memory', '--port', '0', '--ready-file', file);
    const line = await ready;
    const web = line.web_base as string;
    expect(line).toEqual({
      event: 'ready',
      api_base: `${web}/api`,
      web_base: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      gateway: `${web.replace('http', 'ws')}/gateway`,
      control_base: `${web}/control`,
      control_token: expect.stringMatching(/^[\w-]{32,}$/),
      console_url: `${web}/console#token=${line.control_token}`,
      pid: child.pid,
      version,
    });
    expect(Object.keys(line)[0]).toBe('event');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(line);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await fetch(`${line.api_base}/v10/gateway`)).status).toBe(200);

    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(stdout).toBe(`${JSON.stringify(line)}\n`);
    expect(existsSync(file)).toBe(false);
    for (const entry of stderr.trim().split('\n')) expect(JSON.parse(entry)).toHaveProperty('level');
    expect(stderr).not.toContain(line.control_token);
  });

  it('names the port for operators in the ready line, and a taken one on stderr', async () => {
    const args = ['serve', '--memory', '--port', '0', '--log-requests', '--ops-port'];
    const { child, ready, ended } = rallypoint(...args, '0');
    const { api_base, ops_base } = await ready;
    expect(ops_base).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${ops_base}/readyz`)).status).toBe(200);
    const answer = await fetch(`${api_base}/v10/gateway`);
    const { port } = new URL(ops_base as string);
    const second = await rallypoint(...args, port).ended;
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toBe(
      `rallypoint: Port ${port} of 127.0.0.1 is taken. Give another one by --ops-port, or --ops-port 0 for any free one.\n`,
    );
    child.kill('SIGTERM');
    const lines = (await ended).stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        request_id: answer.headers.get('x-request-id'),
        route: '/api/v10/gateway',
        status: 200,
      }),
    );
  });

  it('does the same from the built package', async () => {
    const { child, ready, ended } = run(join(root, 'bin', 'rallypoint.js'), ['serve', '--memory', '--port', '0']);
    const { api_base, web_base } = await ready;
    expect((await fetch(`${api_base}/v10/gateway`)).status).toBe(200);
    expect(await (await fetch(`${web_base}/metrics`)).text()).toContain('nodejs_eventloop_lag_p99_seconds');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('furnishes itself from a file, keeps its state in a folder, and ends with 0 on SIGINT', async () => {
    const place = folder();
    const fixtures = join(place, 'fixtures.json');
    const data = join(place, 'state');
    const bot_token = 'MQ.secret.token';
    writeFileSync(fixtures, JSON.stringify({ applications: [{ id: '1', bot_token }], users: [{}] }));
    const args = [
      'serve',
      '--port',
      '0',
      '--data',
      data,
      '--fixtures',
      fixtures,
      '--limits',
      'off',
      '--log-level',
      'silent',
    ];
    const headers = { authorization: `Bot ${bot_token}`, 'content-type': 'application/json' };

    const first = rallypoint(...args);
    const { api_base } = await first.ready;
    const body = JSON.stringify({ metadata: { map: 'harbour' } });
    const created = await fetch(`${api_base}/v10/lobbies`, { method: 'POST', headers, body });
    const lobby = (await created.json()) as { id: string };
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(data)).toContain('rallypoint.sqlite');

    const second = rallypoint(...args);
    const again = await fetch(`${(await second.ready).api_base}/v10/lobbies/${lobby.id}`, { headers });
    expect(await again.json()).toEqual(lobby);
  });

  it('moves time by the control API with --virtual-clock alone', async () => {
    for (const [options, status] of [
      [['--virtual-clock'], 200],
      [[], 409],
    ] as const) {
      const { ready } = rallypoint('serve', '--memory', '--port', '0', ...options);
      const { control_base, control_token } = await ready;
      const answer = await fetch(`${control_base}/clock`, {
        method: 'POST',
        headers: { authorization: `Bearer ${control_token}` },
        body: '{"advance_ms":60000}',
      });
      expect(answer.status).toBe(status);
    }
  });

  it('says in one line what keeps it from starting, with exit code 1', async () => {
    const place = folder();
    const write = (name: string, text: string) => {
      writeFileSync(join(place, name), text);
      return join(place, name);
    };
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const fixtures = (path: string) => rallypoint('serve', '--memory', '--port', '0', '--fixtures', path).ended;
    const [inUse, absent, garbled, wrong, noFolder, noData] = await Promise.all([
      rallypoint('serve', '--memory', '--port', String(port)).ended,
      fixtures(join(place, 'absent.json')),
      fixtures(write('garbled.json', '{"bot_token": "hunter2",')),
      fixtures(write('wrong.json', '{"users": [{"nme": "x"}], "guilds": 5}')),
      rallypoint('serve', '--memory', '--port', '0', '--ready-file', join(place, 'no', 'ready.json')).ended,
      rallypoint('serve', '--port', '0', '--data', write('file', '')).ended,
    ]);
    for (const { code, stdout, stderr } of [inUse, absent, garbled, wrong, noFolder, noData]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^rallypoint: [^\n]+\n$/);
    }
    expect(inUse.stderr).toContain(`Port ${port} of 127.0.0.1 is taken`);
    expect(absent.stderr).toContain('absent.json cannot be read');
    expect(garbled.stderr).toContain(
      'garbled.json is not JSON: line 1, column 25: the "{" of line 1, column 1 is not closed.',
    );
    expect(garbled.stderr).not.toContain('hunter2');
    expect(wrong.stderr).toMatch(/users\.0\.nme: .*; guilds: must be a list/);
    expect(noFolder.stderr).toContain('ready.json cannot be written');
    expect(noData.stderr).toContain('rallypoint.sqlite cannot be opened');
  });

  it('continues when its stdout is no longer read', async () => {
    const { child, ready, ended } = rallypoint('serve', '--memory', '--port', '0', '--log-level', 'silent');
    const { api_base } = await ready;
    child.stdout.destroy();
    expect((await fetch(`${api_base}/v10/gateway`)).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('warns of a public URL without a trusted proxy, however little it logs', async () => {
    const options = ['--memory', '--port', '0', '--log-level', 'silent', '--public-url', 'https://play.example'];
    const { child, ready, ended } = rallypoint('serve', ...options);
    await ready;
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^\nWARNING: .*--trusted-proxy/) });
  });
});
