import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LastingBackend } from '../../../src/sdk/keychain/backends.ts';
import type { PlacedEntries } from '../../../src/sdk/keychain/placed-entries.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { KeychainMachine } from '../../support/keychain-machine.ts';
import { Life } from '../../support/keychain-stand-ins.ts';

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

type Change = (entries: PlacedEntries) => Promise<unknown>;

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
async function tellStory({ before, own, change, after }: Story): Promise<number> {
  for (let dies = 0; ; dies++) {
    const machine = new KeychainMachine(folder.path);
    const read = async (by: LastingBackend) => (await (await machine.entries(by)).find(account))?.text;
    if (before) await (await machine.entries(before[0])).set(account, before[1]);
    const life = new Life(dies);
    await change(await machine.entries(own, life)).catch(() => {});
    const found = await read(own);
    expect([before?.[1], after]).toContain(found);
    // Whoever looks again, with whichever backend, sees the same.
    expect(await read(before?.[0] ?? own)).toBe(found);
    await change(await machine.entries(own));
    expect(await read(own)).toBe(after);
    // Nothing is left of what the dead process had begun, here or in the keychain; nor anything to be found later.
    await (await machine.entries(own)).delete(account);
    expect(await read(own)).toBeUndefined();
    expect(await readdir(machine.path)).toEqual([]);
    expect(new Set(machine.kept.values())).toEqual(new Set(machine.kept.size > 0 ? [witness] : []));
    if (!life.isOver) return dies;
  }
}

describe('a process that dies while it writes', () => {
  it.each(stories)('leaves the old or the new secret, never none and never two ($title)', async story => {
    expect(await tellStory(story)).toBeGreaterThan(0);
  });
});
