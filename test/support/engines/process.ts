import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { findOnPath } from '../runs/on-path.ts';

/** A server of a test. It ends with the test's process at the latest; where there is `setpriv`, even when that is killed. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Stops it and all of its processes where they are, until {@link proceed}. */
  freeze(): void;
  proceed(): void;
  /** Ends it. Resolves when it is gone. @param signal default SIGTERM */
  end(signal?: NodeJS.Signals): Promise<void>;
}

const setpriv = findOnPath('setpriv');
const wrapper = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--'];

/** Starts a server, and waits until it writes `ready`. @throws Error with its output when it ends before */
export async function startServer(
  program: string,
  args: readonly string[],
  ready: RegExp,
  options: SpawnOptions = {},
): Promise<ServerProcess> {
  const [first = program, ...rest] = [...wrapper, program, ...args];
  const child = spawn(first, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  void gone.then(() => process.off('exit', kill));
  await new Promise<void>((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text = (text + chunk).slice(-10_000);
      if (ready.test(text)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    void gone.then(() => reject(new Error(`${program} ended: ${text}`)));
  });
  const signal = (name: NodeJS.Signals) => {
    for (const pid of child.pid === undefined ? [] : familyOf(child.pid)) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  return {
    child,
    freeze: () => signal('SIGSTOP'),
    proceed: () => signal('SIGCONT'),
    async end(name = 'SIGTERM') {
      signal('SIGCONT');
      const family = name === 'SIGKILL' && child.pid !== undefined ? familyOf(child.pid) : [];
      if (name === 'SIGKILL') signal(name);
      else child.kill(name);
      await gone;
      // What a process holds is free once it is gone.
      while (family.some(isAlive)) await new Promise(resolve => setTimeout(resolve, 5));
    },
  };
}

/** The process and its children. */
function familyOf(pid: number): number[] {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return [pid, ...all.map(Number).filter(other => parentOf(other) === pid)];
}

function parentOf(pid: number): number | undefined {
  const [, parent] = statusOf(pid);
  return parent === undefined ? undefined : Number(parent);
}

/** Whether it has not ended; one that has may still be listed until its parent asks for it. */
function isAlive(pid: number): boolean {
  const [state] = statusOf(pid);
  return state !== undefined && state !== 'Z';
}

/** Its state, its parent and more; nothing when it is gone. */
function statusOf(pid: number): readonly string[] {
  try {
    // After the name in brackets, which may hold anything.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return [];
  }
}
