import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Runs a script in a process of its own until it says a line that fits. */
export async function startUntil(
  script: string,
  args: readonly string[],
  fits: (line: string) => boolean,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (fits(line)) return child;
  }
  throw new Error(`${script} ended.`);
}

/** Runs a script to its end. */
export async function runToEnd(script: string, args: readonly string[]): Promise<number | null> {
  const [code] = await once(spawn(process.execPath, [script, ...args], { stdio: 'ignore' }), 'exit');
  return code;
}

/** Ends it as a crash does. */
export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
