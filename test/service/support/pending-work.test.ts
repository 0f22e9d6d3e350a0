import { describe, expect, it } from 'vitest';
import { PendingWork } from '../../../src/service/support/pending-work.ts';

describe('activity', () => {
  it('settles immediately when nothing is in progress, and otherwise after it', async () => {
    const pendingWork = new PendingWork();
    await pendingWork.settled();
    let isDone = false;
    void pendingWork.run(async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
      isDone = true;
    });
    await pendingWork.settled();
    expect(isDone).toBe(true);
  });

  it('waits for somebody outside in real time, and not for ever', async () => {
    const pendingWork = new PendingWork();
    let isDone = false;
    void pendingWork.runOutside(async () => {
      await new Promise(resolve => setTimeout(resolve, 20));
      isDone = true;
    });
    await pendingWork.settled();
    expect(isDone).toBe(true);

    void pendingWork.runOutside(() => new Promise(() => {}));
    await expect(pendingWork.settled()).resolves.toBeUndefined();
  });

  it('waits for work on another thread whatever it takes', async () => {
    const pendingWork = new PendingWork();
    let isDone = false;
    void pendingWork.runAside(async () => {
      await new Promise(resolve => setTimeout(resolve, 150));
      isDone = true;
    });
    await pendingWork.settled();
    expect(isDone).toBe(true);
  });
});
