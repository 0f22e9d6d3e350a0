import { WebSocket } from 'ws';
import { opcodes } from '../src/model/gateway.ts';
import { Client } from '../src/sdk/client.ts';
import { LobbyStore } from '../src/sdk/lobby/store.ts';
import { silentLogger } from '../src/wire/clock/ports.ts';
import { type BenchRow, perSecond, type Round, row } from './row.ts';
import { startServer } from './support/child.ts';

/**
 * The client's lobby state in a lobby of 1,000 members of which one after another changes: the store against a map that
 * is changed in place, and the whole client, from the socket to the state, against `ws` with `JSON.parse`.
 */
export async function run(): Promise<BenchRow[]> {
  return [
    row('lobby state, store alone', perSecond, storeRounds(0), { sign: '≥', value: 0.2 }),
    row('lobby state, 100 watch one member each', perSecond, storeRounds(100), { sign: '≥', value: 0.1 }),
    ...(await socketRows()),
  ];
}

const membersCount = 1_000;
const lobbyId = '1054951789318900000';
const base = { application_id: '1054951789318900001', metadata: { map: 'harbour' }, flags: 0 };

interface MemberEvent {
  readonly lobby_id: string;
  readonly application_id: string;
  readonly member: {
    readonly user_id: string;
    readonly metadata: Readonly<Record<string, string>>;
    readonly flags: number;
    readonly connected: boolean;
  };
}

function userId(place: number): string {
  return String(1_054_951_789_318_910_000n + BigInt(place) * 4_194_304n);
}

/** The change number `count`; one after another it is every member's turn, in an order that no cache foresees. */
function changeOf(count: number): MemberEvent {
  const metadata = { team: count % 2 === 0 ? 'red' : 'blue', score: String(count) };
  const member = { user_id: userId((count * 7_919) % membersCount), metadata, flags: 0, connected: true };
  return { member, lobby_id: lobbyId, application_id: base.application_id };
}

function lobbies() {
  const members = Array.from({ length: membersCount }, (_, place) => ({
    user_id: userId(place),
    metadata: { team: 'red', score: '0' },
    flags: 0,
    connected: true,
  }));
  return [{ id: lobbyId, ...base, members, voice_states: [], region: 'local' }];
}

/** Both sides take events as they are parsed: nobody has looked at them before. */
function storeRounds(watchers: number): Round[] {
  const texts = Array.from({ length: 4_000 }, (_, count) => JSON.stringify(changeOf(count + 1)));
  const parsed = (): MemberEvent[] => texts.map(text => JSON.parse(text));
  const store = new LobbyStore(silentLogger);
  store.apply('READY', { lobbies: lobbies() });
  for (let i = 0; i < watchers; i++) store.member$(lobbyId, userId(i * 10)).subscribe(() => {});
  const plain = new Map(
    lobbies().map(({ id, members }) => [id, new Map<string, object>(members.map(one => [one.user_id, one]))]),
  );

  const rounds: Round[] = [];
  for (let round = 0; round < 120; round++) {
    const ours = rateOf(parsed(), event => store.apply('LOBBY_MEMBER_UPDATE', event));
    const peer = rateOf(parsed(), ({ lobby_id, member }) => plain.get(lobby_id)?.set(member.user_id, member));
    if (round >= 20) rounds.push({ ours, peer });
  }
  return rounds;
}

function rateOf(events: readonly MemberEvent[], take: (event: MemberEvent) => void): number {
  const started = performance.now();
  for (const event of events) take(event);
  return (events.length / (performance.now() - started)) * 1_000;
}

const socketEvents = 40_000;

/** Of the processor's time, and of the wall's: what a client does beside its thread counts in the first alone. */
async function socketRows(): Promise<BenchRow[]> {
  const dispatch = (t: string, s: number, d: unknown) => JSON.stringify({ op: opcodes.DISPATCH, t, s, d });
  const server = await startServer('gateway', {
    hello: JSON.stringify({ op: opcodes.HELLO, d: { heartbeat_interval: 40_000 } }),
    ready: dispatch('READY', 1, { session_id: 'bench', user: { id: '9' }, lobbies: lobbies() }),
    events: Array.from({ length: socketEvents }, (_, n) => dispatch('LOBBY_MEMBER_UPDATE', n + 2, changeOf(n + 1))),
  });
  try {
    const cpu: Round[] = [];
    const wall: Round[] = [];
    for (let round = 0; round < 9; round++) {
      const ours = await clientRate(server.ready.port);
      const peer = await parseRate(server.ready.port);
      if (round < 2) continue;
      cpu.push({ ours: ours.cpu, peer: peer.cpu });
      wall.push({ ours: ours.wall, peer: peer.wall });
    }
    return [
      row('lobby state, from the socket on', perSecond, cpu, { sign: '≥', value: 0.5 }),
      row('the same by wall time', perSecond, wall, { sign: '≥', value: 0.5 }),
    ];
  } finally {
    await server.stop();
  }
}

/** Events a second into a client's state, from READY to the last. */
async function clientRate(port: number): Promise<Rate> {
  const client = new Client({ baseUrl: `http://127.0.0.1:${port}` });
  client.updateToken('bench-token');
  const ended = Promise.withResolvers<void>();
  const { member } = changeOf(socketEvents);
  client.member$(lobbyId, member.user_id).subscribe(shown => {
    if (shown?.metadata.score === member.metadata.score) ended.resolve();
  });
  let started = now();
  client.status$.subscribe(({ status }) => {
    if (status === 'ready') started = now();
  });
  await client.connect();
  await ended.promise;
  const rate = rateSince(started);
  await client.close();
  return rate;
}

/** The same with nothing but `ws` and `JSON.parse`. */
async function parseRate(port: number): Promise<Rate> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  const ended = Promise.withResolvers<void>();
  let started = now();
  socket.on('message', data => {
    const { op, t, s } = JSON.parse(String(data));
    if (op === opcodes.HELLO) socket.send('{}');
    else if (t === 'READY') started = now();
    else if (s === socketEvents + 1) ended.resolve();
  });
  await ended.promise;
  const rate = rateSince(started);
  socket.terminate();
  return rate;
}

interface Moment {
  readonly cpu: NodeJS.CpuUsage;
  readonly wallMs: number;
}

/** Events a second, of CPU time of this process and of wall time. */
interface Rate {
  readonly cpu: number;
  readonly wall: number;
}

function now(): Moment {
  return { cpu: process.cpuUsage(), wallMs: performance.now() };
}

function rateSince({ cpu, wallMs }: Moment): Rate {
  const { user, system } = process.cpuUsage(cpu);
  return {
    cpu: (socketEvents / (user + system)) * 1_000_000,
    wall: (socketEvents / (performance.now() - wallMs)) * 1000,
  };
}

if (import.meta.main) console.table(await run());
