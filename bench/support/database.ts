import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned } from './child.ts';

/** CPU microseconds that a private PostgreSQL has used so far, with all of its processes. @param url of one of its databases */
export function databaseCpu(url: string): number {
  let ticks = 0;
  for (const [at, { stat }] of processesOf(url).entries()) {
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = stat.slice(11, 15);
    ticks += user + system + (at === 0 ? endedUser + endedSystem : 0);
  }
  return ticks * 10_000;
}

/**
 * Gives a private PostgreSQL the second core, so that it has the same processor whoever sends the statements: nodes, which are on the
 * first, or `pgbench`. @param url of one of its databases
 */
export function pinDatabase(url: string): void {
  if (!pinned) return;
  for (const { id } of processesOf(url)) {
    try {
      execFileSync('taskset', ['-p', '-c', '1', String(id)], { stdio: 'ignore' });
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** The server's first process, and then all others. */
function processesOf(url: string): { readonly id: number; readonly stat: readonly number[] }[] {
  const folder = new URL(url).searchParams.get('host') ?? '';
  const server = Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const found: { readonly id: number; readonly stat: readonly number[] }[] = [];
  for (const name of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const [id, stat] = [Number(name), statOf(name)];
    if (!stat) continue;
    if (id === server) found.unshift({ id, stat });
    else if (stat[1] === server) found.push({ id, stat });
  }
  return found;
}

/** The fields behind the name of the program: the state, the parent … */
function statOf(process: string): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${process}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return undefined; // It has ended meanwhile.
  }
}
