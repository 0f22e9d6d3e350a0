import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { ArgumentError } from '../model/errors/errors.ts';
import type { Cancel, Clock } from '../wire/clock/ports.ts';

/** The service's clock for games and their servers: it knows how many of their timers are waiting. */
export class WorldClock implements Clock {
  readonly #clock: Clock;
  #pending = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  schedule(delayMs: number, run: () => void | Promise<void>): Cancel {
    let isPending = true;
    const done = () => {
      if (isPending) this.#pending--;
      isPending = false;
    };
    this.#pending++;
    const cancel = this.#clock.schedule(delayMs, () => {
      done();
      return run();
    });
    return () => {
      done();
      cancel();
    };
  }

  /** Timers that have neither run nor been cancelled. */
  get pending(): number {
    return this.#pending;
  }
}

/** Calls `run` once the clock has stood still for `ms` of real time. */
export function whenStill(clock: Clock, ms: number, run: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const look = () => {
    const nowMs = clock.now();
    timer = setTimeout(() => (clock.now() === nowMs ? run() : look()), ms);
  };
  look();
  return () => clearTimeout(timer);
}

const { nextTick } = process;
const microtask = queueMicrotask;

/** Fake timers of a test runner change nothing here, except where they stop the runtime's own queues. @throws ArgumentError `fake_timers` */
export function requireRealTicks(): void {
  if (process.nextTick === nextTick && queueMicrotask === microtask) return;
  throw new ArgumentError(
    'fake_timers',
    'A world needs the real process.nextTick and queueMicrotask. Exclude both from the fake timers of the test runner, for example ' +
      "jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }), or vi.useFakeTimers() with its defaults.",
  );
}

const turns = 20;

/** Lets sockets on this machine deliver what is on its way: no event says that nothing is. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
}
