import { checkCommand } from '../src/model/rules/commands/command.ts';
import { isCommand } from './peers/one-pass-command.ts';
import { type BenchRow, perSecond, type Round, row } from './row.ts';

/**
 * The rulebook on a full command, 25 options of 25 choices, against the same rules written by hand in one pass that
 * can only say yes or no. Both judge the command as parsed from its JSON text.
 */
export async function run(): Promise<BenchRow[]> {
  const command: unknown = JSON.parse(JSON.stringify(fullCommand()));
  const ours = (): boolean => checkCommand(command, context).length === 0;
  const peer = (): boolean => isCommand(command);
  if (!ours() || !peer()) throw new Error('Both sides must accept the command they are measured with.');

  for (const check of [ours, peer, ours, peer]) ratePerSecond(check, warmUpMs);
  const rounds: Round[] = [];
  for (let i = 0; i < roundCount; i++) {
    rounds.push({ ours: ratePerSecond(ours, turnMs), peer: ratePerSecond(peer, turnMs) });
  }
  return [row('rulebook, 25 × 25 command', perSecond, rounds, { sign: '≥', value: 0.4 })];
}

const context = {
  scope: 'global',
  traits: { embedded: false, discoverable: false, integration_types: [0] },
} as const;

const roundCount = 15;
const turnMs = 60;
const warmUpMs = 250;

function fullCommand(): object {
  return {
    type: 1,
    name: 'full',
    description: 'A command as large as the interface takes it',
    default_member_permissions: '8',
    integration_types: [0, 1],
    contexts: [0, 1, 2],
    nsfw: false,
    options: twentyFive(option => ({
      type: 3,
      name: `option-${option}`,
      description: `Option number ${option}`,
      required: option < 5,
      choices: twentyFive(choice => ({ name: `o${option}c${choice}`, value: `v${option}-${choice}` })),
    })),
  };
}

function twentyFive<Item>(make: (index: number) => Item): Item[] {
  return Array.from({ length: 25 }, (_, index) => make(index));
}

function ratePerSecond(check: () => boolean, ms: number): number {
  const batch = 100;
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < ms) {
    for (let i = 0; i < batch; i++) check();
    count += batch;
    elapsed = performance.now() - start;
  }
  return count / (elapsed / 1000);
}

if (import.meta.main) console.table(await run());
