import { relationshipTypes } from '../src/model/relationship.ts';
import { openLoop } from './fan-out.ts';
import { type BenchRow, microseconds, milliseconds, type Round, row } from './row.ts';
import { type ServerProcess, startServer } from './support/child.ts';
import { httpRequest, run as load } from './support/load.ts';
import { giveTokens } from './support/players.ts';
import { Sockets } from './support/sockets.ts';

/**
 * A user with a thousand friends, all of them online: CPU of a presence change for each of them, the request and the commit that made it
 * included, against a request to `node:http` that sends one buffer to each in a loop over `ws`; and what the user's own READY costs.
 */
const friends = 1000;
const underWay = 16;
const changes = 200;
const rounds = 5;
const identifies = 20;
/** What READY may take. */
const readyMs = 20;

const path = '/gateway?v=10&encoding=json';
/** Presences of friends. */
const intents = 2 ** 23;
/** With all friends in their two lists. */
const capabilities = 2 ** 4 + 2 ** 16;

export async function run(): Promise<BenchRow[]> {
  const service = await startServer('fan-out', { players: friends + 1 });
  const peer = await openLoop(friends);
  const tokens = await giveTokens(service, friends + 1);
  await befriend(service);
  const [own = '', ...others] = tokens;
  const watching = await connect(service, others);
  const user = await connect(service, [own]);
  await watching.quiet();
  try {
    const change = changeStatus(own);
    const ours = async () => {
      const { port } = service.ready;
      const before = await service.cpu();
      const asked = load({ port, connections: underWay, requests: changes, status: 200, request: change });
      await Promise.all([asked, watching.frames(changes * friends)]);
      return ((await service.cpu()) - before) / (changes * friends);
    };
    const theirs = async () => {
      const { port } = peer.server.ready;
      const before = await peer.server.cpu();
      const asked = load({ port, connections: underWay, requests: changes, status: 200, request: change });
      await Promise.all([asked, peer.clients.frames(changes * friends)]);
      return ((await peer.server.cpu()) - before) / (changes * friends);
    };
    await ours();
    await theirs();
    const figures: Round[] = [];
    for (let n = 0; n < rounds; n++) {
      await watching.heartbeat();
      await user.heartbeat();
      figures.push({ ours: await ours(), peer: await theirs() });
    }
    const ready: Round[] = [];
    for (let n = 0; n < rounds; n++) ready.push({ ours: await identified(service, own), peer: readyMs });
    const name = `a presence change to ${friends} friends, CPU for each, against ${peer.name}`;
    return [
      row(name, microseconds, figures, { sign: '≤', value: 0.35 }),
      row(`READY with ${friends} friends online, CPU, against ${readyMs} ms`, milliseconds, ready, {
        sign: '≤',
        value: 1,
      }),
    ];
  } finally {
    for (const sockets of [watching, user, peer.clients]) sockets.close();
    await Promise.all([service.stop(), peer.server.stop()]);
  }
}

/** CPU of the service for each session that begins, in milliseconds. */
async function identified(service: ServerProcess, token: string): Promise<number> {
  const before = await service.cpu();
  for (let n = 0; n < identifies; n++) {
    const session = await Sockets.open(service.ready.port, path, 1, () => identifyOf(token));
    // Hello, READY and READY_SUPPLEMENTAL.
    await session.frames(3);
    session.close();
  }
  return ((await service.cpu()) - before) / identifies / 1000;
}

function connect(service: ServerProcess, tokens: readonly string[]): Promise<Sockets> {
  return Sockets.open(service.ready.port, path, tokens.length, n => identifyOf(tokens[n] ?? ''));
}

function identifyOf(token: string): string {
  return JSON.stringify({ op: 2, d: { token: `Bearer ${token}`, intents, capabilities, properties: {} } });
}

/** Makes the first player a friend of all others. */
async function befriend({ ready }: ServerProcess): Promise<void> {
  const address = `${ready.controlBase}/snapshot`;
  const headers = { authorization: `Bearer ${ready.controlToken}` };
  const snapshot = (await (await fetch(address, { headers })).json()) as { content: { relationships: object[] } };
  for (let n = 2; n <= friends + 1; n++)
    for (const [user_id, target_id] of [
      ['1', String(n)],
      [String(n), '1'],
    ] as const) {
      const side = { user_id, target_id, type: relationshipTypes.FRIEND, since_ms: 0 };
      snapshot.content.relationships.push({ ...side, nickname: null, note: null, origin_application_id: null });
    }
  const { ok, status } = await fetch(address, { method: 'PUT', headers, body: JSON.stringify(snapshot) });
  if (!ok) throw new Error(`The snapshot was answered with ${status}.`);
}

/** Requests that change the player's custom status, each in another way than the one before. */
function changeStatus(token: string): () => string {
  let n = 0;
  const body = () => JSON.stringify({ custom_status: { text: `Wave ${n++}` } });
  return () => httpRequest('PATCH', '/api/v10/users/@me/settings', `Bearer ${token}`, body());
}
