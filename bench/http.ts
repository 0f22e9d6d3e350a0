import { type BenchRow, type Goal, microseconds, type Round, row } from './row.ts';
import { recordAnswer } from './support/answer.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { httpRequest, type Load, run as load } from './support/load.ts';

/** CPU of one request to the service in memory, against `node:http` that answers the same bytes. */
const bot = 'Bot bench-token';
const connections = 32;
const requests = 15000;
const rounds = 7;

const lobbyBody = JSON.stringify({
  metadata: { map: 'harbour', mode: 'ranked' },
  members: [
    { id: '1', metadata: { team: 'red' } },
    { id: '2', metadata: { team: 'blue' }, flags: 1 },
  ],
});
const memberBody = (n: number) => JSON.stringify({ metadata: { team: n % 2 === 0 ? 'red' : 'blue', slot: String(n) } });

/** One row: a call, to the service and to a server that answers the same bytes. */
export interface Case {
  readonly name: string;
  readonly method: string;
  path(n: number): string;
  body?(n: number): string;
  /** Of one turn; default {@link requests}. */
  readonly requests?: number;
  readonly goal: Goal;
}

export async function run(): Promise<BenchRow[]> {
  const service = await startServer('service', {});
  try {
    const base = `http://127.0.0.1:${service.ready.port}`;
    const lobby = JSON.parse((await recordAnswer(`${base}/api/v10/lobbies`, 'POST', bot, lobbyBody)).body) as {
      id: string;
    };
    const path = `/api/v10/lobbies/${lobby.id}`;
    const cases: readonly Case[] = [
      { name: 'GET a lobby, CPU', method: 'GET', path: () => path, goal: { sign: '≤', value: 2.2 } },
      {
        name: 'PUT a member, CPU',
        method: 'PUT',
        path: n => `${path}/members/${(n % 2) + 1}`,
        body: memberBody,
        goal: { sign: '≤', value: 2.8 },
      },
      // Last, because it leaves a hundred thousand lobbies behind; what those cost the others is measured in lobbies.ts.
      {
        name: 'POST a lobby with 2 members, CPU',
        method: 'POST',
        path: () => '/api/v10/lobbies',
        body: () => lobbyBody,
        goal: { sign: '≤', value: 3.8 },
      },
    ];
    const rows: BenchRow[] = [];
    for (const one of cases) rows.push(await measure(service, base, one));
    return rows;
  } finally {
    await service.stop();
  }
}

/** CPU of one request to the service, and of the same to `node:http` that answers the same bytes. */
export async function measure(
  service: ServerProcess,
  base: string,
  { name, method, path, body, requests: count = requests, goal }: Case,
): Promise<BenchRow> {
  const answer = await recordAnswer(base + path(0), method, bot, body?.(0));
  const bare = await startServer('bare', { [method]: answer });
  try {
    const side = (server: ServerProcess) =>
      cpuPerRequest(server, {
        port: server.ready.port,
        connections,
        requests: count,
        status: answer.status,
        request: n => httpRequest(method, path(n), bot, body?.(n)),
      });
    await side(service);
    await side(bare);
    const figures: Round[] = [];
    for (let round = 0; round < rounds; round++) figures.push({ ours: await side(service), peer: await side(bare) });
    return row(name, microseconds, figures, goal);
  } finally {
    await bare.stop();
  }
}

async function cpuPerRequest(server: ServerProcess, work: Load): Promise<number> {
  const before = await server.cpu();
  await load(work);
  return ((await server.cpu()) - before) / work.requests;
}
