import { createBackend } from '@rallypoint/sdk/backend';
import { REST } from 'discord.js';
import { Agent, request } from 'undici';
import { type BenchRow, microseconds, perSecond, type Round, row } from './row.ts';
import type { Answer } from './support/answer.ts';
import { startServer } from './support/child.ts';

/**
 * What a call of the backend costs the game server that makes it: CPU against `undici.request` with nothing around it and against
 * @discordjs/rest, and calls a second within one rate-limit bucket against @discordjs/rest.
 */
const rounds = 9;
const sideBySide = 32;
const lobby = {
  id: '1',
  application_id: '100',
  metadata: { map: 'harbour', mode: 'ranked' },
  members: [
    { id: '1', metadata: { team: 'red' }, flags: 0 },
    { id: '2', metadata: { team: 'blue' }, flags: 1 },
  ],
  flags: 0,
};
const answer: Answer = {
  status: 200,
  headers: {
    'content-type': 'application/json',
    'x-ratelimit-limit': '1000000',
    'x-ratelimit-remaining': '999999',
    'x-ratelimit-reset': (Date.now() / 1000 + 3600).toFixed(3),
    'x-ratelimit-reset-after': '3600.000',
    'x-ratelimit-bucket': '5a9d2cbf1f6c4f70b3a6e1c0d4f8a7b2',
  },
  body: JSON.stringify(lobby),
};

/** As long as to a service in the same data centre: whoever lets calls wait for each other waits for that each time. */
const delayMs = 1;

export async function run(): Promise<BenchRow[]> {
  return [
    await against({}, compareCpu('backend: GET a lobby, CPU, against undici.request', 1.8), undiciCall),
    await against({}, compareCpu('backend: GET a lobby, CPU, against @discordjs/rest', 0.9), restCall),
    await against(
      { delayMs },
      compareRate(`backend: calls in one bucket at ${delayMs} ms, against @discordjs/rest`),
      restCall,
    ),
  ];
}

type Compare = (ours: Call, peer: Call) => Promise<BenchRow>;

async function against(
  network: { readonly delayMs?: number },
  compare: Compare,
  openPeer: (base: string) => { readonly call: Call; close(): unknown },
): Promise<BenchRow> {
  const server = await startServer('bare', { GET: { ...answer, ...network } });
  const base = `http://127.0.0.1:${server.ready.port}`;
  const backend = createBackend({ applicationId: '100', botToken: 'x', baseUrl: base, globalLimit: 'off' });
  const peer = openPeer(base);
  try {
    return await compare(() => backend.lobbies.get('1'), peer.call);
  } finally {
    backend.close();
    await peer.close();
    await server.stop();
  }
}

function undiciCall(base: string) {
  const dispatcher = new Agent({ connections: 128 });
  const call = async () => {
    const { body } = await request(`${base}/api/v10/lobbies/1`, { dispatcher, headers: { authorization: 'Bot x' } });
    return body.json();
  };
  return { call, close: () => dispatcher.destroy() };
}

function restCall(base: string) {
  const rest = new REST({ api: `${base}/api`, globalRequestsPerSecond: Number.MAX_SAFE_INTEGER }).setToken('x');
  return { call: () => rest.get('/lobbies/1'), close: () => rest.clearHandlerSweeper() };
}

type Call = () => Promise<unknown>;

function compareCpu(name: string, value: number): Compare {
  const calls = 8_000;
  const cpu = async (call: Call) => {
    const before = process.cpuUsage();
    await callOften(call, calls);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  };
  return async (ours, peer) => row(name, microseconds, await inTurn(ours, peer, cpu), { sign: '≤', value });
}

function compareRate(name: string): Compare {
  const calls = 1_000;
  const rate = async (call: Call) => {
    const started = performance.now();
    await callOften(call, calls);
    return calls / ((performance.now() - started) / 1000);
  };
  return async (ours, peer) => row(name, perSecond, await inTurn(ours, peer, rate), { sign: '≥', value: 3 });
}

async function inTurn(ours: Call, peer: Call, measure: (call: Call) => Promise<number>): Promise<Round[]> {
  for (const call of [ours, peer, ours, peer]) await measure(call);
  const figures: Round[] = [];
  for (let round = 0; round < rounds; round++) figures.push({ ours: await measure(ours), peer: await measure(peer) });
  return figures;
}

async function callOften(call: Call, calls: number): Promise<void> {
  let left = calls;
  const lane = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: sideBySide }, lane));
}

if (import.meta.main) console.table(await run());
