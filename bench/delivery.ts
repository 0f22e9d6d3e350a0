import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openColyseus, openLoop, openSocketIo, type Peer, requestEvent } from './fan-out.ts';
import { type BenchRow, type Goal, median, microseconds, perSecond, type Round, row, type Unit } from './row.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { run as load } from './support/load.ts';
import { connectPlayers, createLobby, giveTokens } from './support/players.ts';
import type { Sockets } from './support/sockets.ts';

/**
 * Events against servers that keep nothing: deliveries a second and CPU for each delivery of events that are on disk before they
 * leave, and the time from the request of one event until it has reached every socket of a service in memory.
 */
export async function run(): Promise<BenchRow[]> {
  const many = { sockets: 1000, isDurable: true, figure: deliveries, goal: { sign: '≥', value: 3.5 } } as const;
  const few = { sockets: 25, isDurable: false } as const;
  return [
    await compare({ ...many, name: 'one durable event to 1000 sockets, deliveries, against ws', openPeer: openLoop }),
    await compare({
      ...many,
      name: 'one durable event to 1000 sockets, deliveries, against Colyseus',
      openPeer: openColyseus,
    }),
    await compare({
      ...few,
      name: 'one event to 25 sockets, p50, against socket.io',
      openPeer: openSocketIo,
      figure: latency,
      goal: { sign: '≤', value: 1.5 },
    }),
    await compare({
      ...few,
      name: 'one durable event to 25 sockets, p50, against the same without a disk',
      isDurable: true,
      openPeer: sockets => openService(sockets),
      figure: latency,
      goal: { sign: '≤', value: 3.5 },
    }),
    await compare({
      ...few,
      name: 'one durable event to 25 sockets, CPU for each, against ws',
      isDurable: true,
      openPeer: openLoop,
      figure: cpu,
      goal: { sign: '≤', value: 0.6 },
    }),
  ];
}

const rounds = 5;
const underWay = 16;

/** Measures one side: a server that sends an event for each request, and the sockets that receive it. */
interface Figure {
  readonly unit: Unit;
  /** Rounds that are not counted, before the others. */
  readonly warmUps: number;
  of(side: Side): Promise<number>;
}
interface Side {
  readonly server: ServerProcess;
  readonly clients: Sockets;
  readonly sockets: number;
  request(): string;
}

const deliveries: Figure = {
  unit: perSecond,
  warmUps: 1,
  of: async side => {
    const start = performance.now();
    const count = await send(side, 8 * underWay);
    return count / ((performance.now() - start) / 1000);
  },
};

const cpu: Figure = {
  unit: microseconds,
  // After some 18,000 requests V8's last compiler comes to most of the functions, and works as long as a round on the same core.
  warmUps: 8,
  of: async side => {
    const before = await side.server.cpu();
    const count = await send(side, 200 * underWay);
    return ((await side.server.cpu()) - before) / count;
  },
};

const latency: Figure = {
  unit: microseconds,
  warmUps: 1,
  of: async ({ server: { ready }, clients, sockets, request }) => {
    const connection = connect(ready.port, '127.0.0.1').setNoDelay(true).resume();
    await once(connection, 'connect');
    const times: number[] = [];
    for (let n = 0; n < 500; n++) {
      const received = clients.frames(sockets);
      const start = performance.now();
      connection.write(request());
      await received;
      times.push((performance.now() - start) * 1000);
      // The answer, and whatever the server does behind it, is no part of the next event's time.
      await setTimeout(1);
    }
    connection.destroy();
    return median(times);
  },
};

/** Has so many events sent; gives how many frames were received. */
async function send({ server: { ready }, clients, sockets, request }: Side, events: number): Promise<number> {
  const asked = load({ port: ready.port, connections: underWay, requests: events, status: 200, request });
  await Promise.all([asked, clients.frames(events * sockets)]);
  return events * sockets;
}

/** Our service with a lobby of so many, all connected. @param data its data folder; without one it keeps everything in memory */
async function openService(sockets: number, data?: string): Promise<Opened> {
  const server = await startServer('fan-out', { players: sockets, ...(data !== undefined && { data }) });
  const tokens = await giveTokens(server, sockets);
  const lobby = await createLobby(server, sockets);
  const clients = await connectPlayers(server, tokens);
  await clients.quiet();
  return { server, clients, request: requestEvent(lobby), keepAlive: () => clients.heartbeat() };
}

interface Opened extends Omit<Side, 'sockets'> {
  /** Called before each round, so that the service does not close the sockets. */
  keepAlive(): Promise<void>;
}

interface Comparison {
  readonly name: string;
  readonly sockets: number;
  /** The service has a data folder. */
  readonly isDurable: boolean;
  /** Gives the other side; the requests it gets are ours if it names none. */
  readonly openPeer: (sockets: number) => Promise<Peer | Opened>;
  readonly figure: Figure;
  readonly goal: Goal;
}

async function compare({ name, sockets, isDurable, openPeer, figure, goal }: Comparison): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  const service = await openService(sockets, isDurable ? folder : undefined);
  const peer = await openPeer(sockets);
  const ours = () => figure.of({ ...service, sockets });
  const theirs = () => figure.of({ ...service, ...peer, sockets });
  try {
    const figures: Round[] = [];
    for (let n = 0; n < figure.warmUps + rounds; n++) {
      await service.keepAlive();
      if ('keepAlive' in peer) await peer.keepAlive();
      figures.push({ ours: await ours(), peer: await theirs() });
    }
    return row(name, figure.unit, figures.slice(figure.warmUps), goal);
  } finally {
    service.clients.close();
    peer.clients.close();
    await Promise.all([service.server.stop(), peer.server.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) console.table(await run());
