import { cpus } from 'node:os';
import type { BenchRow } from './row.ts';
import { pinned } from './support/child.ts';

/**
 * Runs the benches named on the command line, or all, and prints one table. Each row is a ratio of two sides measured
 * in turn; figures of one side alone say more about the machine than about the code.
 */
const benches: Readonly<Record<string, () => Promise<{ run(): Promise<BenchRow[]> }>>> = {
  http: () => import('./http.ts'),
  durable: () => import('./durable.ts'),
  postgres: () => import('./postgres.ts'),
  'fan-out': () => import('./fan-out.ts'),
  presence: () => import('./presence.ts'),
  delivery: () => import('./delivery.ts'),
  'large-lobby': () => import('./large-lobby.ts'),
  reconnect: () => import('./reconnect.ts'),
  lobbies: () => import('./lobbies.ts'),
  scale: () => import('./scale.ts'),
  backend: () => import('./backend.ts'),
  rulebook: () => import('./rulebook.ts'),
  commands: () => import('./commands.ts'),
  'client-state': () => import('./client-state.ts'),
  friends: () => import('./friends.ts'),
  import: () => import('./import.ts'),
  bridge: () => import('./bridge.ts'),
  sizes: () => import('./sizes.ts'),
  'cold-start': () => import('./cold-start.ts'),
  forwarder: () => import('./forwarder.ts'),
  'sign-in': () => import('./sign-in.ts'),
  intake: () => import('./intake.ts'),
  cluster: () => import('./cluster.ts'),
  console: () => import('./console.ts'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`No bench is called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}

console.log(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.versions.node}, ${process.platform}`);
console.log(pinned ? 'Servers have the first core to themselves.\n' : 'Without taskset: servers share all cores.\n');
console.log('| What | Ours | Against | Ratio | Goal | |\n|---|---|---|---|---|---|');
let missed = 0;
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  process.stderr.write(`${name} …\n`);
  const bench = await benches[name]?.();
  for (const { name: what, ours, peer, ratio, goal, ok } of (await bench?.run()) ?? []) {
    console.log(`| ${what} | ${ours} | ${peer} | ${ratio.toFixed(2)} | ${goal} | ${ok ? 'met' : 'missed'} |`);
    if (!ok) missed++;
  }
}
process.exitCode = missed > 0 ? 1 : 0;
