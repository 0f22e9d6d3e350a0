import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type BenchRow, milliseconds, type Round, row } from './row.ts';

/** What it costs a game, and its server, to import this package in a fresh process, against others of the kind. */
export async function run(): Promise<BenchRow[]> {
  return [
    await against('import of the client', '@rallypoint/sdk', 'discord.js', 0.25),
    await against('import of the backend module', '@rallypoint/sdk/backend', '@discordjs/rest', 0.5),
  ];
}

async function against(what: string, name: string, peer: string, most: number): Promise<BenchRow> {
  const rounds: Round[] = [];
  for (let round = 0; round < roundCount; round++) {
    rounds.push({ ours: await importMs(name), peer: await importMs(peer) });
  }
  return row(`${what}, against ${peer}`, milliseconds, rounds, { sign: '≤', value: most });
}

const roundCount = 11;
const root = new URL('..', import.meta.url).pathname;

async function importMs(name: string): Promise<number> {
  const program = `const started = performance.now();
    await import('${name}');
    console.log(performance.now() - started);
    process.exit();`;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return Number(stdout);
}

if (import.meta.main) console.table(await run());
