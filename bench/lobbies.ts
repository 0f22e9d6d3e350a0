import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchRow, microseconds, type Round, row, type Unit } from './row.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { fillWithLobbies, lobbyId } from './support/fill.ts';
import { httpRequest, run as load } from './support/load.ts';

/** What lobbies cost by being there: memory, CPU of doing nothing, CPU of one operation among few and among many. */
const bot = 'Bot bench-token';
const few = 1_000;
const many = 1_000_000;
const connections = 32;
const rounds = 7;

export async function run(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  try {
    return [await memoryOfIdle(), ...(await amongMany(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const lobbyBody = JSON.stringify({
  metadata: { map: 'harbour', mode: 'ranked' },
  members: [
    { id: '1', metadata: { team: 'red' } },
    { id: '2', metadata: { team: 'blue' } },
  ],
  idle_timeout_seconds: 604_800,
});

const kibibytes: Unit = bytes => `${(bytes / 1024).toFixed(2)} KiB`;
const ofCore: Unit = share => `${share.toFixed(5)} core`;
// The goals that are no ratios stand on the other side.
const memoryGoal = 3.5 * 1024;
const idleGoal = 0.002;

/** A service that keeps all in memory grows by this much a lobby of two members. */
async function memoryOfIdle(): Promise<BenchRow> {
  const perRound = 25_000;
  const service = await startServer('service', {});
  const create = () => createLobbies(service, perRound);
  try {
    await create();
    const figures: Round[] = [];
    for (let round = 0; round < 4; round++) {
      const before = await service.memory();
      await create();
      figures.push({ ours: ((await service.memory()) - before) / perRound, peer: memoryGoal });
    }
    return row('memory of an idle lobby, against the goal', kibibytes, figures, { sign: '≤', value: 1 });
  } finally {
    await service.stop();
  }
}

async function createLobbies({ ready: { port } }: ServerProcess, requests: number): Promise<void> {
  const request = () => httpRequest('POST', '/api/v10/lobbies', bot, lobbyBody);
  await load({ port, connections, requests, status: 201, request });
}

/** The same calls to a service that holds a thousand lobbies and to one that holds a million, both on disk. */
async function amongMany(folder: string): Promise<BenchRow[]> {
  const [fewFolder, manyFolder] = [join(folder, 'few'), join(folder, 'many')];
  await fillWithLobbies(fewFolder, few);
  await fillWithLobbies(manyFolder, many);
  const small = await startServer('service', { data: fewFolder });
  const large = await startServer('service', { data: manyFolder });
  try {
    const idle = await idleCost(large);
    const rows: BenchRow[] = [];
    for (const one of cases) rows.push(await compare(one, small, large));
    return [...rows, idle];
  } finally {
    await Promise.all([small.stop(), large.stop()]);
  }
}

interface Case {
  readonly name: string;
  readonly method: string;
  readonly status: number;
  readonly requests: number;
  readonly most: number;
  path(n: number): string;
  body?(n: number): string;
}

/** Both are asked about the same thousand lobbies, so that only what else is there makes a difference. */
const cases: readonly Case[] = [
  {
    name: 'GET a lobby',
    method: 'GET',
    status: 200,
    requests: 15_000,
    most: 1.15,
    path: n => `/api/v10/lobbies/${lobbyId(n % few)}`,
  },
  {
    name: 'PUT a member',
    method: 'PUT',
    status: 200,
    requests: 8_000,
    most: 1.3,
    path: n => `/api/v10/lobbies/${lobbyId(n % few)}/members/1`,
    body: n => JSON.stringify({ metadata: { team: 'red', slot: String(n) } }),
  },
  {
    name: 'POST a lobby',
    method: 'POST',
    status: 201,
    requests: 4_000,
    most: 1.3,
    path: () => '/api/v10/lobbies',
    body: () => lobbyBody,
  },
];

async function compare(one: Case, small: ServerProcess, large: ServerProcess): Promise<BenchRow> {
  await cpuPerRequest(small, one);
  await cpuPerRequest(large, one);
  const figures: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    figures.push({ ours: await cpuPerRequest(large, one), peer: await cpuPerRequest(small, one) });
  }
  const name = `${one.name}, CPU, 1,000,000 lobbies against 1,000`;
  return row(name, microseconds, figures, { sign: '≤', value: one.most });
}

async function cpuPerRequest(server: ServerProcess, { method, status, requests, path, body }: Case): Promise<number> {
  const before = await server.cpu();
  const request = (n: number) => httpRequest(method, path(n), bot, body?.(n));
  await load({ port: server.ready.port, connections, requests, status, request });
  return ((await server.cpu()) - before) / requests;
}

/** A service with a million idle lobbies, which nobody calls. */
async function idleCost(service: ServerProcess): Promise<BenchRow> {
  const spanMs = 5_000;
  const figures: Round[] = [];
  await sleep(spanMs); // what its start left to do
  for (let round = 0; round < 3; round++) {
    const before = await service.cpu();
    await sleep(spanMs);
    figures.push({ ours: ((await service.cpu()) - before) / (spanMs * 1000), peer: idleGoal });
  }
  return row('1,000,000 idle lobbies, against the goal', ofCore, figures, { sign: '≤', value: 1 });
}

if (import.meta.main) console.table(await run());
