import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchRow, row, type Unit } from './row.ts';
import { httpRequest, run as load } from './support/load.ts';
import { bot, connectPlayers, createLobby, giveTokens } from './support/players.ts';

/**
 * What `rallypoint serve` holds after a burst: 1,000 players are connected, their lobby is edited, large bodies come, then all
 * leave. Resident memory at its most, and half a minute later. Settings of the allocator are taken from the environment.
 */
const players = 1000;
const edits = { connections: 16, requests: 60 };
const bodies = { connections: 32, requests: 100 };
const idleMs = 30_000;
const bound = 200 * 1024 * 1024;

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  const fixtures = join(folder, 'fixtures.json');
  const users = Array.from({ length: players }, (_, n) => ({ id: String(n + 1), username: `player${n + 1}` }));
  writeFileSync(fixtures, JSON.stringify({ applications: [{ id: '1000000000', bot_token: 'bench-token' }], users }));
  const command = new URL('../bin/rallypoint.js', import.meta.url).pathname;
  const options = ['--data', join(folder, 'data'), '--fixtures', fixtures, '--limits', 'off', '--log-level', 'error'];
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { web_base, control_base, control_token } = JSON.parse(String(line)) as Record<string, string>;
    const ready = {
      port: Number(new URL(web_base ?? '').port),
      controlBase: control_base,
      controlToken: control_token,
    };
    await burst({ ready } as unknown as Parameters<typeof connectPlayers>[0]);
    await wait(idleMs);
    const { VmHWM: most, VmRSS: after } = memoryOf(child.pid as number);
    process.stderr.write(`${mebibytes(most)} at most, ${mebibytes(after)} after ${idleMs / 1000} s without requests\n`);
    const name = 'resident memory half a minute after a burst of players and bodies';
    return [row(name, mebibytes, [{ ours: after, peer: bound }], { sign: '≤', value: 1 })];
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function burst(service: Parameters<typeof connectPlayers>[0]): Promise<void> {
  const { port } = service.ready;
  const tokens = await giveTokens(service, players);
  const lobby = await createLobby(service, players);
  const sockets = await connectPlayers(service, tokens);
  let round = 0;
  const edit = () => JSON.stringify({ metadata: { round: String(round++) } });
  const patch = () => httpRequest('PATCH', `/api/v10/lobbies/${lobby}`, bot, edit());
  await load({ ...edits, port, status: 200, request: patch });
  const invalid = JSON.stringify(
    Array.from({ length: 100 }, (_, n) => ({ name: `c${n}`, description: 'x'.repeat(40_000) })),
  );
  const put = () => httpRequest('PUT', '/api/v10/applications/1000000000/commands', bot, invalid);
  await load({ ...bodies, port, status: 400, request: put });
  sockets.close();
}

function memoryOf(pid: number): Record<'VmHWM' | 'VmRSS', number> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  return { VmHWM: read('VmHWM'), VmRSS: read('VmRSS') };
}

const mebibytes: Unit = figure => `${(figure / 1024 / 1024).toFixed(0)} MiB`;
