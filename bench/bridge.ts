import { serialize } from 'node:v8';
import { MessageChannel } from 'node:worker_threads';
import { MainConnection } from '../src/sdk/bridge/main-connection.ts';
import { WindowConnection } from '../src/sdk/bridge/window-connection.ts';
import { LobbyStore } from '../src/sdk/lobby/store.ts';
import { silentLogger } from '../src/wire/clock/ports.ts';
import { type BenchRow, microseconds, type Round, row, type Unit } from './row.ts';

/**
 * An event of a lobby from the client of the main process to the state of a window, against sending the whole snapshot as
 * `webContents.send` does: by structured clone. CPU is that of both ends together.
 */
export async function run(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const members of [10, 1000]) {
    const cpu: Round[] = [];
    const bytes: Round[] = [];
    for (let round = 0; round < 7; round++) {
      const ours = await patched(members);
      const peer = await whole(members);
      if (round < 2) continue;
      cpu.push({ ours: ours.cpu, peer: peer.cpu });
      bytes.push({ ours: ours.bytes, peer: peer.bytes });
    }
    const goal = members === 10 ? goals.small : goals.large;
    rows.push(row(`an event to a window, ${members} members, CPU`, microseconds, cpu, { sign: '≤', value: goal.cpu }));
    rows.push(row(`the same, bytes of its message`, bytesOf, bytes, { sign: '≤', value: goal.bytes }));
  }
  return rows;
}

/** A small lobby must not cost more than sending it whole; a large one must cost next to nothing beside it. */
const goals = { small: { cpu: 1.2, bytes: 0.2 }, large: { cpu: 0.1, bytes: 0.01 } } as const;
const bytesOf: Unit = figure => `${Math.round(figure).toLocaleString('en-US')} B`;
const events = 300;

interface Cost {
  readonly cpu: number;
  readonly bytes: number;
}

/** The client's lobbies, of which a member changes with every event. */
function openLobby(count: number) {
  const lobby_id = '1054951789318900000';
  const application_id = '1054951789318900001';
  const memberOf = (place: number, score: number) => ({
    user_id: String(1_054_951_789_318_910_000n + BigInt(place) * 4_194_304n),
    metadata: { team: 'red', score: String(score) },
    flags: 0,
    connected: true,
  });
  const members = Array.from({ length: count }, (_, place) => memberOf(place, 0));
  const store = new LobbyStore(silentLogger);
  const base = { id: lobby_id, application_id, metadata: { map: 'harbour' }, flags: 0 };
  store.apply('READY', { lobbies: [{ ...base, members, voice_states: [], region: 'local' }] });
  let score = 0;
  const change = () => {
    const member = memberOf((++score * 7919) % count, score);
    store.apply('LOBBY_MEMBER_UPDATE', { lobby_id, application_id, member });
  };
  return { store, change };
}

async function patched(members: number): Promise<Cost> {
  const { store, change } = openLobby(members);
  const { port1, port2 } = new MessageChannel();
  let bytes = 0;
  let isCounting = false;
  const connection = new WindowConnection({
    port: {
      on: (event: string, listener: (event: never) => void) => {
        if (event === 'message') port1.on('message', data => listener({ data } as never));
      },
      postMessage: message => {
        if (isCounting) bytes += serialize(message).length;
        port1.postMessage(message);
      },
      start() {},
      close: () => port1.close(),
    },
    shared: { states: { lobbies: () => store.lobbies$ }, events: {}, calls: {} },
    logger: silentLogger,
    defer: setImmediate,
    onClose() {},
  });
  const window = new MainConnection();
  window.connect(port2 as unknown as Parameters<MainConnection['connect']>[0]);
  let arrived = () => {};
  window.state$('lobbies').subscribe(() => arrived());
  const next = () =>
    new Promise<void>(resolve => {
      arrived = resolve;
    });
  await next();
  const cost = await costOf(async () => {
    change();
    await next();
  });
  isCounting = true;
  change();
  await next();
  connection.close();
  port2.close();
  return { cpu: cost, bytes };
}

async function whole(members: number): Promise<Cost> {
  const { store, change } = openLobby(members);
  const { port1, port2 } = new MessageChannel();
  let arrived = () => {};
  port2.on('message', () => arrived());
  let isWatching = false;
  const subscription = store.lobbies$.subscribe(lobbies => {
    if (isWatching) setImmediate(() => port1.postMessage(lobbies));
  });
  isWatching = true;
  const cost = await costOf(async () => {
    const next = new Promise<void>(resolve => {
      arrived = resolve;
    });
    change();
    await next;
  });
  subscription.unsubscribe();
  port1.close();
  port2.close();
  return { cpu: cost, bytes: serialize(store.lobbies).length };
}

/** Of one event, in microseconds of CPU. */
async function costOf(event: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < events; n++) await event();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / events;
}

if (import.meta.main) console.table(await run());
