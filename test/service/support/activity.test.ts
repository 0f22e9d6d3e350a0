import { describe, expect, it } from 'vitest';
import { Activity } from '../../../src/service/support/activity.ts';

describe('activity', () => {
  it('settles at once when nothing is under way, and after what is', async () => {
    const activity = new Activity();
    await activity.settled();
    let isDone = false;
    void activity.run(async () => {
      for (let turn = 0; turn < 50; turn++) await new Promise(resolve => setImmediate(resolve));
      isDone = true;
    });
    await activity.settled();
    expect(isDone).toBe(true);
  });

  it('waits for somebody outside in real time, and not for ever', async () => {
    const activity = new Activity();
    let isDone = false;
    void activity.runOutside(async () => {
      await new Promise(resolve => setTimeout(resolve, 20));
      isDone = true;
    });
    await activity.settled();
    expect(isDone).toBe(true);

    void activity.runOutside(() => new Promise(() => {}));
    await expect(activity.settled()).resolves.toBeUndefined();
  });

  it('waits for work on another thread whatever it takes', async () => {
    const activity = new Activity();
    let isDone = false;
    void activity.runAside(async () => {
      await new Promise(resolve => setTimeout(resolve, 150));
      isDone = true;
    });
    await activity.settled();
    expect(isDone).toBe(true);
  });
});
