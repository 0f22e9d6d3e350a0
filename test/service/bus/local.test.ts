import { describe, expect, it } from 'vitest';
import { localBus } from '../../../src/service/bus/local.ts';
import { type LogFields, silentLogger } from '../../../src/wire/clock/ports.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { busSuite } from './suite.ts';

busSuite('local', async clock => ({
  nodes: [localBus(clock)],
  settled: async () => {},
  remove: async () => {},
}));

describe('the local bus', () => {
  it('has handed everything out when publish returns', () => {
    const bus = localBus(new VirtualClock(0));
    let calls = 0;
    bus.subscribe('a', () => void calls++);
    bus.publish([
      { to: 'a', scope: 'a', revision: 1, position: 1 },
      { to: 'a', scope: 'a', revision: 2, position: 2 },
    ]);
    expect(calls).toBe(2);
  });

  it('logs what a listener throws, with the topic and the name of the event', () => {
    const logged: LogFields[] = [];
    const bus = localBus(new VirtualClock(0), { ...silentLogger, error: fields => void logged.push(fields) });
    const error = new Error('listener');
    bus.subscribe('a', () => {
      throw error;
    });
    bus.publish([{ to: 'a', scope: 'a', revision: 1, position: 1, event: { name: 'LOBBY_UPDATE', data: '{}' } }]);
    expect(logged).toEqual([{ error, topic: 'a', event: 'LOBBY_UPDATE' }]);
  });

  it('stops handing out when a listener closes it', async () => {
    const bus = localBus(new VirtualClock(0));
    const heard: number[] = [];
    bus.subscribe('a', ({ revision }) => {
      heard.push(revision);
      void bus.close();
    });
    bus.subscribe('a', ({ revision }) => void heard.push(revision));
    bus.publish([
      { to: 'a', scope: 'a', revision: 1, position: 1 },
      { to: 'a', scope: 'a', revision: 2, position: 2 },
    ]);
    expect(heard).toEqual([1]);
  });

  it('does not hold a limit for longer than its window when the clock was set back', async () => {
    let nowMs = 10_000;
    const bus = localBus({ now: () => nowMs, schedule: () => () => {} });
    const limit = { requests: 1, windowMs: 1000 };
    expect(await bus.count('x', limit)).toMatchObject({ allowed: true });
    nowMs = 5_000;
    expect(await bus.count('x', limit)).toMatchObject({ allowed: true, resetAtMs: 6_000 });
  });
});
