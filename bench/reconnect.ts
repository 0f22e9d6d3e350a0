import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchRow, row, type Unit } from './row.ts';
import { startServer } from './support/child.ts';
import { bot, giveTokens } from './support/players.ts';
import { ReturningClients } from './support/returning.ts';

/**
 * Players of lobbies of 25 who are all connected when the service is killed, and who all come back to the next process together:
 * how long that takes from its start until the last one has resumed, and how many connections it resets meanwhile. Held against
 * fixed bounds.
 */
const sockets = 18_000;
const lobbySize = 25;
const bounds = { seconds: 20, resets: 0 };

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  try {
    const service = await startServer('fan-out', { players: sockets, data: folder });
    const { port, pid } = service.ready;
    const tokens = await giveTokens(service, sockets);
    await createLobbies(port);
    const clients = new ReturningClients(port);
    await clients.add(tokens, 500);
    process.kill(pid as number, 'SIGKILL');
    const start = performance.now();
    const again = await startServer('fan-out', { players: sockets, data: folder, port });
    // What was on its way to the process that is gone is reset by the system, whatever the next one does.
    clients.counts = { resets: 0, identified: 0, resumed: 0 };
    const startSeconds = (performance.now() - start) / 1000;
    await clients.all();
    const backSeconds = (performance.now() - start) / 1000;
    const cpu = (await again.cpu()) / 1_000_000;
    const { resets, identified } = clients.counts;
    process.stderr.write(
      `ready after ${seconds(startSeconds)}; ${seconds(cpu)} of CPU until all were back; ${resets} resets, ${identified} begun anew\n`,
    );
    clients.close();
    await again.stop();
    return [
      against(`${sockets} sockets, killed: all back after`, seconds, backSeconds, bounds.seconds),
      against('the same: connections reset, sessions begun anew', count, resets + identified, bounds.resets),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createLobbies(port: number): Promise<void> {
  for (let first = 1; first <= sockets; first += lobbySize) {
    const members = Array.from({ length: Math.min(lobbySize, sockets - first + 1) }, (_, n) => ({
      id: String(first + n),
    }));
    const response = await fetch(`http://127.0.0.1:${port}/api/v10/lobbies`, {
      method: 'POST',
      headers: { authorization: bot, 'content-type': 'application/json' },
      body: JSON.stringify({ members, idle_timeout_seconds: 3600 }),
    });
    if (response.status !== 201) throw new Error(await response.text());
    await response.arrayBuffer();
  }
}

function against(name: string, unit: Unit, ours: number, bound: number): BenchRow {
  // A ratio to a bound of nothing would be none.
  return {
    ...row(name, unit, [{ ours, peer: bound }], { sign: '≤', value: 1 }),
    ...(bound === 0 && { ratio: ours, goal: '≤ 0', ok: ours === 0 }),
  };
}

const seconds: Unit = figure => `${figure.toFixed(1)} s`;
const count: Unit = figure => String(figure);

if (import.meta.main) console.table(await run());
