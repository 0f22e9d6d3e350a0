import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LastingBackend, lastingBackends } from '../../../src/sdk/keychain/keychain.ts';
import type { LocatedEntries } from '../../../src/sdk/keychain/located-entries.ts';
import { Life } from '../../support/keychain/keychain-stand-ins.ts';
import { SimulatedMachine } from '../../support/keychain/simulated-machine.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const backends = fc.constantFrom(...lastingBackends);
const account = fc.constantFrom('ada', 'Ada', '../grace');
const secret = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer({ min: 1279, max: 1282 }).map(length => 'x'.repeat(length)),
);

type Action =
  | { readonly kind: 'set'; readonly secret: string }
  | { readonly kind: 'get' | 'delete' }
  | { readonly kind: 'move'; readonly to: LastingBackend };

interface Turn {
  readonly own: LastingBackend;
  readonly account: string;
  readonly action: Action;
  /** Number of the step at which the process dies, should it come to that. */
  readonly dies: number | undefined;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  own: backends,
  account,
  action: fc.oneof<fc.Arbitrary<Action>[]>(
    fc.record({ kind: fc.constant('set' as const), secret }),
    fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const) }),
    fc.record({ kind: fc.constant('move' as const), to: backends }),
  ),
  dies: fc.option(fc.nat({ max: 40 }), { nil: undefined, freq: 3 }),
});

describe('entries over several backends', () => {
  it('are found while somebody moves them from where they are being looked for', async () => {
    const machine = new SimulatedMachine(folder.path);
    await (await machine.entries('keyring')).set('ada', 'secret');
    const mover = await machine.entries('file');
    let moves: Promise<unknown> | undefined;
    const reader = await machine.entries('keytar', new Life(Number.POSITIVE_INFINITY), async () => {
      moves ??= mover.move('ada', 'file');
      await moves;
    });
    expect(await reader.find('ada')).toEqual({ holder: 'file', text: 'secret' });
  });

  it('are what a Map is, whichever backend is opened, deletes, moves and fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 12 }), async turns => {
        const machine = new SimulatedMachine(folder.path);
        const model = new Map<string, string>();
        for (const { own, account, action, dies } of turns) {
          const life = new Life(dies ?? Number.POSITIVE_INFINITY);
          const before = model.get(account);
          const after = changed(before, action);
          const given = await answer(await machine.entries(own, life), account, action).catch(() => 'died');
          if (!life.isOver) expect(given).toEqual(expected(before, action));
          const found = (await (await machine.entries(own)).find(account))?.text;
          expect(life.isOver ? [before, after] : [after]).toContain(found);
          if (found === undefined) model.delete(account);
          else model.set(account, found);
        }
        // Whichever backend is opened at last, all entries are there and no others.
        for (const own of lastingBackends) {
          const entries = await machine.entries(own);
          for (const name of ['ada', 'Ada', '../grace']) {
            expect((await entries.find(name))?.text).toBe(model.get(name));
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

function changed(before: string | undefined, action: Action): string | undefined {
  if (action.kind === 'set') return action.secret;
  return action.kind === 'delete' ? undefined : before;
}

function expected(before: string | undefined, { kind }: Action): unknown {
  if (kind === 'set') return undefined;
  return kind === 'get' ? before : before !== undefined;
}

async function answer(entries: LocatedEntries, account: string, action: Action): Promise<unknown> {
  if (action.kind === 'set') return entries.set(account, action.secret);
  if (action.kind === 'move') return entries.move(account, action.to);
  if (action.kind === 'delete') return entries.delete(account);
  return (await entries.find(account))?.text;
}
