import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Announced } from '../../../src/service/events/announcement.ts';
import { type Batch, GroupCommit } from '../../../src/service/store/group-commit.ts';
import { Overlay } from '../../../src/service/store/overlay.ts';

/** An engine whose commits take `commitMs` of a clock that does not move otherwise; keeps the size of each batch. */
function open(commitMs: number) {
  let nowMs = 0;
  const batches: number[] = [];
  const announced: Announced[][] = [];
  const base = { get: () => undefined, list: () => [], count: () => 0, revision: () => 0 };
  const engine = {
    changes: () => new Overlay(base),
    lastRevision: () => 0,
    commit({ commits, announced: events }: Batch) {
      nowMs += commitMs;
      batches.push(commits.length);
      announced.push([...events]);
    },
  };
  const queue = new GroupCommit(engine, () => nowMs);
  /** @param events how many the transaction announces */
  const transact = (events = 0) =>
    queue.transact('scope', transaction => {
      for (let n = 0; n < events; n++) transaction.announce({ to: 'topic' });
      return 0;
    });
  return { batches, announced, transact };
}

describe('a group commit', () => {
  it('does not wait for the end of the turn while transactions come alone', async () => {
    const { batches, transact } = open(2);
    const order: string[] = [];
    for (const name of ['first', 'second']) {
      setImmediate(() => order.push(`the turn of the ${name} ends`));
      await transact();
      order.push(`the ${name} is committed`);
      await nextTurn();
    }
    expect(order).toEqual([
      ...['the first is committed', 'the turn of the first ends'],
      ...['the second is committed', 'the turn of the second ends'],
    ]);
    expect(batches).toEqual([1, 1]);
  });

  it('waits for the end of the turn after one of its transactions was committed', async () => {
    const { batches, transact } = open(2);
    await transact();
    let hasTurnEnded = false;
    setImmediate(() => {
      hasTurnEnded = true;
    });
    await Promise.all([transact(), transact()]);
    expect(hasTurnEnded).toBe(true);
    expect(batches).toEqual([1, 2]);
  });

  it('waits again while the last commit was shared', async () => {
    const { batches, transact } = open(0);
    await Promise.all([transact(), transact()]);
    await nextTurn();
    await nextTurn();
    const answers = [transact()];
    await Promise.resolve();
    answers.push(transact());
    await Promise.all(answers);
    expect(batches).toEqual([2, 2]);
  });

  it('says of an announcement whether it is the only one of the whole batch', async () => {
    const { announced, transact } = open(0);
    await transact(1);
    await nextTurn();
    await transact(2);
    await nextTurn();
    await Promise.all([transact(1), transact(0)]);
    await nextTurn();
    await Promise.all([transact(1), transact(1)]);
    expect(announced.map(events => events.map(({ isAlone = false }) => isAlone))).toEqual([
      [true],
      [false, false],
      [true],
      [false, false],
    ]);
  });

  it('is shared by the transactions of one turn of the event loop', async () => {
    const { batches, transact } = open(0);
    await Promise.all([transact(), transact(), transact()]);
    expect(batches).toEqual([3]);
  });

  it('waits for transactions that keep coming, two in each turn, until it has sixteen, when commits take long', async () => {
    const { batches, transact } = open(2);
    await transact();
    const answers: Promise<number>[] = [];
    for (let turn = 0; turn < 24; turn++) {
      answers.push(transact(), transact());
      await nextTurn();
    }
    await Promise.all(answers);
    expect(batches).toEqual([1, 16, 16, 16]);
  });

  it('does not wait for more when commits take no time', async () => {
    const { batches, transact } = open(0);
    await transact();
    await Promise.all([transact(), transact()]);
    const answers = [transact(), transact()];
    await nextTurn();
    answers.push(transact());
    await Promise.all(answers);
    expect(batches).toEqual([1, 2, 2, 1]);
  });

  it('does not wait for more after a single transaction', async () => {
    const { batches, transact } = open(2);
    await transact();
    const alone = transact();
    await nextTurn();
    await nextTurn();
    await alone;
    expect(batches).toEqual([1, 1]);
  });

  it('begins when some turns have added nothing, however long commits take', async () => {
    const { batches, transact } = open(2);
    await transact();
    await Promise.all([transact(), transact()]);
    expect(batches).toEqual([1, 2]);
  });
});
