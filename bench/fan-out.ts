import { type BenchRow, microseconds, type Round, row, type Unit } from './row.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { httpRequest, run as load } from './support/load.ts';
import { bot, connectPlayers, createLobby, giveTokens } from './support/players.ts';
import { Sockets } from './support/sockets.ts';

/**
 * Events to many sockets: CPU for each event and socket, the request and the commit that made the event included,
 * against a request to `node:http` that sends one buffer to each in a loop over `ws`, and against one that lets a room
 * of Colyseus broadcast. And what a connected socket costs in memory.
 */
const underWay = 16;
const framesPerSide = 200_000;
const rounds = 7;
const memoryRounds = 3;
const firstSockets = 1000;

/** What one event looks like when it leaves; the peer sends as much. */
const event = {
  ...{ op: 0, t: 'LOBBY_MEMBER_UPDATE', s: 1_000_000 },
  d: {
    member: { user_id: '1', metadata: { team: 'red', slot: '10' }, flags: 0, connected: true },
    ...{ lobby_id: '1573392130716467200', application_id: '1000000000' },
  },
};
const answer = JSON.stringify({ id: '1', metadata: null, flags: 0 });

export async function run(): Promise<BenchRow[]> {
  return [
    await fanOut(25, openLoop, 0.6),
    await fanOut(250, openLoop, 0.4),
    await fanOut(1000, openLoop, 0.4),
    await fanOut(25, openColyseus, 1),
    await fanOut(250, openColyseus, 0.4),
    await fanOut(1000, openColyseus, 0.4),
    // So many that what a process reserves ahead, some ten megabytes, does not count.
    await memory(8000, 1.5),
  ];
}

/** Who else sends events: a server that sends one for each request, and the sockets that hear it. */
export interface Peer {
  readonly name: string;
  readonly server: ServerProcess;
  readonly clients: Sockets;
}

export async function openLoop(sockets: number): Promise<Peer> {
  const server = await startServer('raw-ws', { event: JSON.stringify(event), answer });
  const clients = await Sockets.open(server.ready.port, '/', sockets, () => undefined);
  return { name: 'ws', server, clients };
}

export async function openColyseus(sockets: number): Promise<Peer> {
  const server = await startServer('colyseus', { players: sockets, type: event.t, event: event.d, answer });
  const { socketsPort, paths } = server.ready as unknown as { socketsPort: number; paths: readonly string[] };
  const clients = await Sockets.open(
    socketsPort,
    n => paths[n] ?? '',
    sockets,
    () => undefined,
  );
  await clients.quiet();
  clients.send(joined);
  await clients.quiet();
  return { name: 'Colyseus', server, clients };
}

export async function openSocketIo(sockets: number): Promise<Peer> {
  const server = await startServer('socket-io', { type: event.t, event: event.d, answer });
  const { socketsPort } = server.ready as unknown as { socketsPort: number };
  const path = '/socket.io/?EIO=4&transport=websocket';
  // `40` asks for the default namespace.
  const clients = await Sockets.open(socketsPort, path, sockets, () => '40');
  await clients.quiet();
  return { name: 'socket.io', server, clients };
}

/** What a client of Colyseus says when it has taken in the room it joined: one byte. */
const joined = String.fromCharCode(10);

async function fanOut(sockets: number, openPeer: (sockets: number) => Promise<Peer>, value: number): Promise<BenchRow> {
  const service = await startServer('fan-out', { players: sockets });
  const { name, server: peer, clients: theirs } = await openPeer(sockets);
  const tokens = await giveTokens(service, sockets);
  const lobby = await createLobby(service, sockets);
  const ours = await connectPlayers(service, tokens);
  await ours.quiet();
  const events = Math.max(10 * underWay, Math.ceil(framesPerSide / sockets));
  const request = requestEvent(lobby);
  const side = async (server: ServerProcess, clients: Sockets) => {
    const { port } = server.ready;
    const before = await server.cpu();
    const asked = load({ port, connections: underWay, requests: events, status: 200, request });
    await Promise.all([asked, clients.frames(events * sockets)]);
    return ((await server.cpu()) - before) / (events * sockets);
  };
  try {
    await side(service, ours);
    await side(peer, theirs);
    const figures: Round[] = [];
    for (let n = 0; n < rounds; n++) {
      await ours.heartbeat();
      figures.push({ ours: await side(service, ours), peer: await side(peer, theirs) });
    }
    return row(`one event to ${sockets} sockets, CPU for each, against ${name}`, microseconds, figures, {
      sign: '≤',
      value,
    });
  } finally {
    ours.close();
    theirs.close();
    await Promise.all([service.stop(), peer.stop()]);
  }
}

/** Makes requests that change a member of the lobby, each in another way than the one before. */
export function requestEvent(lobby: string): () => string {
  let put = 0;
  return () => httpRequest('PUT', `/api/v10/lobbies/${lobby}/members/1`, bot, memberBody(put++));
}

/** What the process takes for so many sockets that are connected, have identified and sent a heartbeat. */
async function memory(sockets: number, value: number): Promise<BenchRow> {
  const figures: Round[] = [];
  for (let n = 0; n < memoryRounds; n++) {
    const service = await startServer('fan-out', { players: sockets });
    const peer = await startServer('raw-ws', { event: JSON.stringify(event), answer: '{}' });
    const tokens = await giveTokens(service, sockets);
    const grown = async (server: ServerProcess, connect: (count: number) => Promise<Sockets>) => {
      // What a process compiles and reserves for its first sockets stays when they are gone.
      const first = await connect(firstSockets);
      first.send(JSON.stringify({ op: 1, d: 1 }));
      await first.quiet();
      first.close();
      const before = await server.memory();
      const clients = await connect(sockets);
      clients.send(JSON.stringify({ op: 1, d: 1 }));
      await clients.quiet();
      const used = ((await server.memory()) - before) / sockets;
      clients.close();
      return used;
    };
    figures.push({
      ours: await grown(service, count => connectPlayers(service, tokens.slice(0, count))),
      peer: await grown(peer, count => Sockets.open(peer.ready.port, '/', count, () => undefined)),
    });
    await Promise.all([service.stop(), peer.stop()]);
  }
  return row('memory of a connected socket', kibibytes, figures, { sign: '≤', value });
}

const kibibytes: Unit = figure => `${(figure / 1024).toFixed(1)} KiB`;

const memberBody = (n: number) => JSON.stringify({ metadata: { team: n % 2 === 0 ? 'red' : 'blue', slot: String(n) } });
