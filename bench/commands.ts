import { request } from 'undici';
import { createBackend } from '../src/backend/client.ts';
import type { Command, CommandInput } from '../src/model/command.ts';
import { checkCommand } from '../src/model/rules/commands/command.ts';
import { diffCommand } from '../src/model/rules/commands/command-diff.ts';
import { type Case, measure } from './http.ts';
import { buildCommand, type SampleCommand } from './peers/builders-command.ts';
import { isSame } from './peers/hand-diff.ts';
import { fitsSchema } from './peers/schema-command.ts';
import { type BenchRow, type Goal, milliseconds, perSecond, type Round, row } from './row.ts';
import { recordAnswer } from './support/answer.ts';
import { type ServerProcess, startServer } from './support/child.ts';

/** Commands: the rulebook against builders and a schema, diffs and plans by hand, the service against bare HTTP. */
export async function run(): Promise<BenchRow[]> {
  const service = await startServer('service', {});
  try {
    const base = `http://127.0.0.1:${service.ready.port}`;
    await register(base, fullScope(0));
    return [...rulebookRows(), diffRow(await read(base)), await planRow(base), ...(await httpRows(service, base))];
  } finally {
    await service.stop();
  }
}

const bot = 'Bot bench-token';
const path = '/api/v10/applications/100/commands';

function rulebookRows(): BenchRow[] {
  const small = { name: 'rally', description: 'Calls your party together', options: [textOption(0, [])] };
  const full = {
    name: 'full',
    description: 'As large as it gets',
    options: times(25, i => textOption(i, times(25, choice))),
  };
  const goals: readonly [string, SampleCommand, Goal, Goal][] = [
    // A schema says yes or no, and knows nothing of order, letters' case, names that collide or the combined length.
    ['small', small, { sign: '≥', value: 20 }, { sign: '≥', value: 0.25 }],
    ['25 × 25', full, { sign: '≥', value: 20 }, { sign: '≥', value: 0.25 }],
  ];
  return goals.flatMap(([size, sample, overBuilders, overSchema]) => {
    const body: unknown = JSON.parse(JSON.stringify(sample));
    const ours = () => checkCommand(body, context).length === 0;
    const built = () => buildCommand(sample) !== undefined;
    const schema = () => fitsSchema(body);
    return [
      rates(`rulebook, ${size} command, over @discordjs/builders`, ours, built, overBuilders),
      rates(`rulebook, ${size} command, over typebox`, ours, schema, overSchema),
    ];
  });
}

const context = { scope: 'global', traits: { embedded: true, discoverable: false, integration_types: [0] } } as const;

/** 100 unchanged commands of 5 options; the answer as the service gave it. */
function diffRow(registered: readonly Command[]): BenchRow {
  const pairs = registered.slice(0, 100).map((command, i) => [command, definition(i, 0)] as const);
  const ours = () =>
    pairs.every(([command, desired]) => diffCommand(command, desired, { scope: 'global' }).length === 0);
  const byHand = () => pairs.every(([command, desired]) => isSame(command, desired));
  return rates('diff of 100 unchanged commands, over by hand', ours, byHand, { sign: '≥', value: 0.5 }, 4);
}

/** Reads the list and compares it: the backend's plan, and undici with a comparison by hand. */
async function planRow(base: string): Promise<BenchRow> {
  const backend = createBackend({
    applicationId: '100',
    botToken: 'bench-token',
    baseUrl: base,
    globalLimit: 'off',
  });
  const desired = fullScope(0);
  const ours = async () => (await backend.commands.plan(desired)).isInSync;
  const peer = async () => {
    const url = `${base}${path}?with_localizations=true`;
    const { body } = await request(url, { headers: { authorization: bot } });
    const commands = (await body.json()) as Command[];
    const byName = new Map(commands.map(command => [`${command.type} ${command.name}`, command]));
    return desired.every(each => {
      const command = byName.get(`${each.type ?? 1} ${each.name}`);
      return command !== undefined && isSame(command, each);
    });
  };
  const rounds: Round[] = [];
  for (let round = 0; round < 9; round++) rounds.push({ ours: await msOf(ours), peer: await msOf(peer) });
  backend.close();
  return row('plan of 130 commands, against undici by hand', milliseconds, rounds.slice(2), { sign: '≤', value: 2 });
}

async function httpRows(service: ServerProcess, base: string): Promise<BenchRow[]> {
  const bodies = [fullScope(0), fullScope(1)].map(commands => JSON.stringify(commands));
  const read = { method: 'GET', requests: 3000, goal: { sign: '≤', value: 1.5 } } as const;
  const cases: readonly Case[] = [
    { ...read, name: 'GET 130 commands, CPU', path: () => path },
    { ...read, name: 'GET 130 commands with localizations, CPU', path: () => `${path}?with_localizations=true` },
    {
      name: 'bulk PUT of 130 commands, all changed, CPU',
      method: 'PUT',
      path: () => path,
      body: n => bodies[n % 2] ?? '',
      requests: 300,
      // The peer reads the bytes and repeats an answer; it parses, checks and keeps none of the 130.
      goal: { sign: '≤', value: 8 },
    },
  ];
  const rows: BenchRow[] = [];
  for (const one of cases) rows.push(await measure(service, base, one));
  return rows;
}

/** As many commands as a scope holds: 100 typed in chat, with 5 options each, 15 of users, 15 of messages. */
function fullScope(variant: number): CommandInput[] {
  return [
    ...times(100, i => definition(i, variant)),
    ...times(15, i => ({ type: 2 as const, name: `User ${i}`, nsfw: variant === 1 })),
    ...times(15, i => ({ type: 3 as const, name: `Message ${i}`, nsfw: variant === 1 })),
  ];
}

function definition(i: number, variant: number): CommandInput {
  return {
    name: `command-${i}`,
    name_localizations: { de: `befehl-${i}` },
    description: `What command ${i} does, variant ${variant}`,
    options: times(5, option => ({ ...textOption(option, times(5, choice)) })),
  };
}

function textOption(i: number, choices: readonly { name: string; value: string }[]) {
  const described = { type: 3, name: `option-${i}`, description: `Option number ${i}`, required: i < 2 } as const;
  return choices.length > 0 ? { ...described, choices } : described;
}

function choice(i: number) {
  return { name: `pick${i}`, value: `v${i}` };
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

async function register(base: string, commands: readonly CommandInput[]): Promise<void> {
  const { status, body } = await recordAnswer(base + path, 'PUT', bot, JSON.stringify(commands));
  if (status !== 200) throw new Error(`The commands were refused: ${body}`);
}

async function read(base: string): Promise<Command[]> {
  return JSON.parse((await recordAnswer(`${base}${path}?with_localizations=true`, 'GET', bot)).body) as Command[];
}

/** How often a second each side does its work; both must say that all is well. */
function rates(name: string, ours: () => boolean, peer: () => boolean, goal: Goal, batch = 50): BenchRow {
  if (!ours() || !peer()) throw new Error(`Both sides must accept what they are measured with: ${name}.`);
  for (const work of [ours, peer, ours, peer]) ratePerSecond(work, 150, batch);
  const rounds = times(11, () => ({ ours: ratePerSecond(ours, 50, batch), peer: ratePerSecond(peer, 50, batch) }));
  return row(name, perSecond, rounds, goal);
}

function ratePerSecond(work: () => boolean, ms: number, batch: number): number {
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < ms) {
    for (let i = 0; i < batch; i++) work();
    count += batch;
    elapsed = performance.now() - start;
  }
  return count / (elapsed / 1000);
}

async function msOf(work: () => Promise<boolean>): Promise<number> {
  const repeats = 30;
  const start = performance.now();
  for (let i = 0; i < repeats; i++) if (!(await work())) throw new Error('The commands are not in sync.');
  return (performance.now() - start) / repeats;
}

if (import.meta.main) console.table(await run());
