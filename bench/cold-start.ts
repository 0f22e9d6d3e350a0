import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type BenchRow, milliseconds, type Round, row } from './row.ts';

/** From the start of the process to its first answer, against a process that only holds an empty `node:http`. */
const rounds = 15;
const empty = `
  const server = require('node:http').createServer((request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ api_base: 'http://127.0.0.1:' + server.address().port })));
`;

export async function run(): Promise<BenchRow[]> {
  const command = new URL('../bin/rallypoint.js', import.meta.url).pathname;
  const ours = () => untilAnswer([command, 'serve', '--memory', '--port', '0', '--log-level', 'warn'], '/v10/gateway');
  const peer = () => untilAnswer(['--eval', empty], '/');
  await ours();
  await peer();
  const figures: Round[] = [];
  for (let round = 0; round < rounds; round++) figures.push({ ours: await ours(), peer: await peer() });
  return [row('cold start to first answer', milliseconds, figures, { sign: '≤', value: 4 })];
}

async function untilAnswer(args: readonly string[], path: string): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { api_base } = JSON.parse(await firstLine(child)) as { api_base: string };
  const answer = await fetch(api_base + path);
  await answer.arrayBuffer();
  const elapsed = performance.now() - started;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return elapsed;
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text;
}
