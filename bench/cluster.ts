import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type ClusterBus, openClusterBus } from '../src/service/cluster/cluster-bus.ts';
import { openPostgres } from '../src/service/store/postgres/postgres.ts';
import { openPostgresStore } from '../src/service/store/postgres/store.ts';
import { silentLogger, systemClock } from '../src/wire/clock/ports.ts';
import { startEngines } from '../test/support/engines/cluster.ts';
import { needs } from '../test/support/runs/parts.ts';
import { type BenchRow, median, microseconds, type Round, row } from './row.ts';

const topic = 'lobby/1';
const rounds = 5;
const events = 200;

/** The time of all processes of this machine, in microseconds. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1000;
}

/**
 * An event from its transaction to a listener at another node, against a listener at the node that commits it: PostgreSQL that writes
 * each commit to disk, and Redis.
 */
export async function run(): Promise<BenchRow[]> {
  const engines = await needs('postgres', 'redis');
  if (engines.missing !== undefined) {
    process.stderr.write(`cluster: skipped, ${engines.missing}\n`);
    return [];
  }
  return [await acrossNodes()];
}

async function acrossNodes(): Promise<BenchRow> {
  const engines = await startEngines('fsync = on');
  const here = await engines.node();
  const there = fork(import.meta.filename, [engines.url, engines.redis.url()]);
  await once(there, 'message');
  const store = openPostgresStore({
    ...{ postgres: engines.postgres, log: silentLogger, onAnnounced: () => here.publish() },
  });
  const announce = () =>
    store.transact(topic, transaction =>
      transaction.announce({ to: topic, event: { name: 'LOBBY_UPDATE', data: JSON.stringify('x'.repeat(400)) } }),
    );
  try {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      const one = await measure(here, there, announce);
      // The first round warms both sides up.
      if (round > 0) measured.push(one);
    }
    const goal = { sign: '≤', value: 3 } as const;
    return row('an event at another node, p50, against the node that commits it', microseconds, measured, goal);
  } finally {
    there.kill();
    await engines.remove();
  }
}

async function measure(here: ClusterBus, there: ChildProcess, announce: () => Promise<unknown>): Promise<Round> {
  const [ours, peer]: [number[], number[]] = [[], []];
  for (let event = 0; event < events; event++) {
    const received = Promise.withResolvers<number>();
    const stop = here.subscribe(topic, () => received.resolve(now()));
    const elsewhere = once(there, 'message');
    const begun = now();
    await announce();
    peer.push((await received.promise) - begun);
    const [at] = await elsewhere;
    ours.push(Number(at) - begun);
    stop();
    await setTimeout(1);
  }
  return { ours: median(ours), peer: median(peer) };
}

/** The other node, in a process of its own: it tells when it has received an event. */
async function listen(url: string, redisUrl: string): Promise<void> {
  const postgres = await openPostgres(url, { connections: 2, commitConnections: 1 });
  const bus = await openClusterBus({ postgres, redisUrl, clock: systemClock });
  bus.subscribe(topic, () => void process.send?.(now()));
  process.send?.('ready');
}

const [, script, url, redisUrl] = process.argv;
if (script === import.meta.filename && url && redisUrl) await listen(url, redisUrl);
