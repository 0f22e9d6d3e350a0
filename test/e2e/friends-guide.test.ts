import { afterAll, describe, expect, it } from 'vitest';
import { Guide } from '../support/runs/guide.ts';
import { needs } from '../support/runs/parts.ts';

const shell = await needs('posix');

/** docs/friends.md, done as it says: its test in a folder, and its command in that folder. */
const guide = new Guide('docs/friends.md');

afterAll(() => guide.close());

describe.skipIf(shell.missing)(`the guide to friends${shell.note}`, () => {
  it('shows two players who become friends, and meet in a lobby', async () => {
    guide.write('friends.test.mjs');
    const program = guide.run(guide.said('node --test'), process.env);
    expect([await program.ends(), program.output]).toEqual([0, expect.stringContaining('pass 1')]);
  });
});
