import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** CPU microseconds that a private PostgreSQL has used so far, with all of its processes. @param url of one of its databases */
export function databaseCpu(url: string): number {
  const folder = new URL(url).searchParams.get('host') ?? '';
  const server = Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  let ticks = 0;
  for (const name of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const stat = statOf(name);
    if (!stat) continue;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = stat.slice(11, 15);
    if (Number(name) === server) ticks += user + system + endedUser + endedSystem;
    else if (stat[1] === server) ticks += user + system;
  }
  return ticks * 10_000;
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
