import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LastingBackend } from '../../../src/sdk/keychain/keychain.ts';
import type { LocatedEntries } from '../../../src/sdk/keychain/located-entries.ts';
import { Life } from '../../support/keychain/keychain-stand-ins.ts';
import { SimulatedMachine } from '../../support/keychain/simulated-machine.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const account = 'ada';
const witness = 'Rallypoint reads this to see whether entries can be read.';
const small = 'small';
const large = 'large'.repeat(2000);
const small2 = 'another';
const large2 = 'another'.repeat(2000);

type Change = (entries: LocatedEntries) => Promise<unknown>;

interface Story {
  readonly title: string;
  /** Backend and secret before; none when nothing was kept. */
  readonly before: readonly [LastingBackend, string] | undefined;
  /** Backend that the dying process was opened with. */
  readonly own: LastingBackend;
  readonly change: Change;
  /** What is kept once the change is done. */
  readonly after: string | undefined;
}

const setting =
  (secret: string): Change =>
  entries =>
    entries.set(account, secret);
const deleting: Change = entries => entries.delete(account);
const moving =
  (to: LastingBackend): Change =>
  entries =>
    entries.move(account, to);

const pairs: readonly (readonly [LastingBackend, LastingBackend])[] = [
  ['keytar', 'keyring'],
  ['keyring', 'file'],
  ['file', 'keytar'],
  ['safe-storage', 'keytar'],
];

const stories: readonly Story[] = [
  ...(['keytar', 'file'] as const).flatMap((own): Story[] => [
    { title: `${own}: a first secret`, before: undefined, own, change: setting(large), after: large },
    { title: `${own}: large by large`, before: [own, large], own, change: setting(large2), after: large2 },
    { title: `${own}: small by large`, before: [own, small], own, change: setting(large), after: large },
    { title: `${own}: large by small`, before: [own, large], own, change: setting(small), after: small },
    { title: `${own}: deleting`, before: [own, large], own, change: deleting, after: undefined },
  ]),
  ...pairs.flatMap(([from, to]): Story[] => [
    { title: `${from} to ${to}: moving`, before: [from, large], own: to, change: moving(to), after: large },
    { title: `${from} to ${to}: setting`, before: [from, small], own: to, change: setting(small2), after: small2 },
    { title: `${from} by ${to}: deleting`, before: [from, large], own: to, change: deleting, after: undefined },
  ]),
];

/** Dies before each step in turn; returns how many there were. */
async function tellStory(story: Story): Promise<number> {
  for (let dies = 0; ; dies++) {
    const life = await dieAt(dies, story, 'tries again');
    await dieAt(dies, story, 'deletes');
    if (!life.isOver) return dies;
  }
}

/** @param then what the next process does */
async function dieAt(
  dies: number,
  { before, own, change, after }: Story,
  then: 'tries again' | 'deletes',
): Promise<Life> {
  const machine = new SimulatedMachine(folder.path);
  const read = async (by: LastingBackend) => (await (await machine.entries(by)).find(account))?.text;
  const first = before?.[0] ?? own;
  if (before) await (await machine.entries(first)).set(account, before[1]);
  const life = new Life(dies);
  await change(await machine.entries(own, life)).catch(() => {});
  const found = await read(own);
  expect([before?.[1], after]).toContain(found);
  // Whoever looks again, with whichever backend, sees the same.
  expect(await read(first)).toBe(found);

  if (then === 'tries again') {
    await change(await machine.entries(own));
    expect(await read(own)).toBe(after);
    // Nothing is left of what the dead process had begun.
    const names = await readdir(machine.path);
    expect(names.filter(name => name.endsWith('.tmp'))).toEqual([]);
    expect(names.filter(name => name.includes('.sealed.')).length).toBeLessThan(2);
  }
  // Nor is anything found later, here or in the keychain.
  await (await machine.entries(first)).delete(account);
  expect(await read(own)).toBeUndefined();
  expect(await readdir(machine.path)).toEqual([]);
  expect(new Set(machine.kept.values())).toEqual(new Set(machine.kept.size > 0 ? [witness] : []));
  return life;
}

describe('a process that dies during a write', () => {
  it.each(stories)('leaves the old or the new secret, never none and never two ($title)', async story => {
    expect(await tellStory(story)).toBeGreaterThan(0);
  });
});
