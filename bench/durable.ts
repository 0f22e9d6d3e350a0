import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchRow, perSecond, type Round, row } from './row.ts';
import { recordAnswer } from './support/answer.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { httpRequest, run as load } from './support/load.ts';

/** Lobbies created a second, each on disk before its answer, against SQLite with group commit behind bare `node:http`. */
const bot = 'Bot bench-token';
const rounds = 7;
/** Of one turn: enough for V8 to have compiled both sides before what is counted begins. */
const requests = 12_800;
/** Before each turn, so that the system does not write what the other side has left to it. */
const restMs = 300;
const body = JSON.stringify({
  metadata: { map: 'harbour', mode: 'ranked' },
  members: [
    { id: '1', metadata: { team: 'red' } },
    { id: '2', metadata: { team: 'blue' } },
  ],
});

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  const service = await startServer('service', { data: join(folder, 'service') });
  const answer = await recordAnswer(`http://127.0.0.1:${service.ready.port}/api/v10/lobbies`, 'POST', bot, body);
  const limit = await startServer('sqlite', { folder, answer });
  try {
    return [await measure(service, limit, 32, 0.45), await measure(service, limit, 256, 0.4)];
  } finally {
    await Promise.all([service.stop(), limit.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  service: ServerProcess,
  limit: ServerProcess,
  connections: number,
  value: number,
): Promise<BenchRow> {
  const side = async (server: ServerProcess) => {
    await sleep(restMs);
    const request = () => httpRequest('POST', '/api/v10/lobbies', bot, body);
    return requests / (await load({ port: server.ready.port, connections, requests, status: 201, request }));
  };
  await side(service);
  await side(limit);
  const figures: Round[] = [];
  for (let round = 0; round < rounds; round++) figures.push({ ours: await side(service), peer: await side(limit) });
  return row(`durable creates, ${connections} connections`, perSecond, figures, { sign: '≥', value });
}
