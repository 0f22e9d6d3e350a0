import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findForwarder } from '../src/sdk/native/find-forwarder.ts';
import { type BenchRow, microseconds, type Round, row } from './row.ts';
import { pinned } from './support/child.ts';

/**
 * From the start of a scheme's handler to the address in the game's socket: the forwarder against a process that does
 * nothing else, and against a script. Started by one small program, on one core, in turn.
 */
const rounds = 200;

export async function run(): Promise<BenchRow[]> {
  const found = await findForwarder();
  if ('missing' in found) throw new Error(`There is no forwarder to measure:\n${found.missing.join('\n')}`);
  const folder = mkdtempSync(join(tmpdir(), 'rallypoint-bench-'));
  try {
    const harness = compile('support/hand-over.cc', join(folder, 'hand-over'));
    const bare = compile('peers/bare-forwarder.cc', join(folder, 'bare-forwarder'));
    const script = [process.execPath, join(import.meta.dirname, 'peers', 'script-forwarder.mjs')];
    const against = (peer: readonly string[]) => measure(harness, [found.path], peer);
    return [
      row('redirect hand-over, against a bare process', microseconds, against([bare]), { sign: '≤', value: 1.2 }),
      row('redirect hand-over, against a script', microseconds, against(script), { sign: '≤', value: 0.15 }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measure(harness: string, ours: readonly string[], peer: readonly string[]): Round[] {
  const socket = `${harness}.sock`;
  rmSync(socket, { force: true });
  const handlers = [ours, peer].flatMap(handler => ['--', ...handler, socket, '/bin/true']);
  const [command = '', ...args] = [...(pinned ? ['taskset', '-c', '0'] : []), harness, socket, String(rounds)];
  const lines = execFileSync(command, [...args, ...handlers], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return lines.map(line => {
    const [first = Number.NaN, second = Number.NaN] = line.split(' ').map(Number);
    return { ours: first, peer: second };
  });
}

function compile(source: string, program: string): string {
  execFileSync('c++', ['-std=c++17', '-O2', '-s', '-o', program, join(import.meta.dirname, source)], {
    stdio: 'inherit',
  });
  return program;
}
