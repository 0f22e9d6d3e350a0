import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchRow, milliseconds, row, type Unit } from './row.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { httpRequest, run as load } from './support/load.ts';
import { bot, connectPlayers, createLobby, giveTokens } from './support/players.ts';

/**
 * A lobby of a thousand members, all of them connected, on a data folder: what connecting them takes, what their sockets
 * hold, and what a start takes after the lobby was edited for a while and the process was killed. Held against fixed bounds.
 */
const members = 1000;
const editsUnderWay = 16;
const edits = 4000;
const bounds = { connectMs: 4, heapBytes: 30 * 1024, restartMs: 1000, restartBytes: 300 * 1024 * 1024 };

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  try {
    const service = await startServer('fan-out', { players: members, data: folder });
    const tokens = await giveTokens(service, members);
    const lobby = await createLobby(service, members);
    const before = { cpu: await service.cpu(), heap: await service.heap() };
    const sockets = await connectPlayers(service, tokens);
    const connectMs = ((await service.cpu()) - before.cpu) / 1000 / members;
    const heapBytes = ((await service.heap()) - before.heap) / members;
    await edit(service, lobby);
    process.kill(service.ready.pid as number, 'SIGKILL');
    sockets.close();
    const file = statSync(join(folder, 'rallypoint.sqlite')).size;
    process.stderr.write(`the database takes ${megabytes(file)} after ${edits} edits\n`);
    const start = performance.now();
    const again = await startServer('fan-out', { players: members, data: folder });
    const answer = await fetch(`http://127.0.0.1:${again.ready.port}/api/v10/gateway`);
    await answer.arrayBuffer();
    const restartMs = performance.now() - start;
    const back = await connectPlayers(again, tokens.slice(0, 1));
    const restartBytes = peakMemory(again.ready.pid as number);
    back.close();
    await again.stop();
    return [
      against('connecting 1,000 members of one lobby, CPU for each', milliseconds, connectMs, bounds.connectMs),
      against('memory in use for each of them right after READY', kibibytes, heapBytes, bounds.heapBytes),
      against(
        'killed after 4,000 edits of that lobby: start to first answer',
        milliseconds,
        restartMs,
        bounds.restartMs,
      ),
      against('the same: most memory until sessions begin', megabytes, restartBytes, bounds.restartBytes),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function edit({ ready: { port } }: ServerProcess, lobby: string): Promise<void> {
  let n = 0;
  const body = () => JSON.stringify({ metadata: { round: String(n++) } });
  const request = () => httpRequest('PATCH', `/api/v10/lobbies/${lobby}`, bot, body());
  await load({ port, connections: editsUnderWay, requests: edits, status: 200, request });
}

function against(name: string, unit: Unit, ours: number, bound: number): BenchRow {
  return row(name, unit, [{ ours, peer: bound }], { sign: '≤', value: 1 });
}

function peakMemory(pid: number): number {
  const [, kilobytes = 'NaN'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const kibibytes: Unit = figure => `${(figure / 1024).toFixed(1)} KiB`;
const megabytes: Unit = figure => `${(figure / 1024 / 1024).toFixed(0)} MiB`;
