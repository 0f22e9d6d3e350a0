import type { Clock } from '../../../wire/clock/ports.ts';
import { VirtualClock } from '../../../wire/clock/virtual-clock.ts';

/** Redis deletes keys by its own clock, which says nothing about a virtual one. */
const virtualLifeMs = 24 * 3_600_000;

/** The names of everything in Redis, and the clock by which it is dated. */
export interface Keys {
  readonly epoch: string;
  readonly fence: string;
  window(name: string): string;
  lease(name: string): string;
  channel(name: string): string;
  /** The time for scripts; '' is the time of Redis, so that it does not depend on the clock of a node. */
  time(): string;
  /** How long keys live at least. */
  readonly lifeMsMin: number;
}

/** @param database number of the database; channels are common to all databases of a server */
export function keysOf(database: number, clock: Clock): Keys {
  const prefix = `rallypoint:${database}`;
  const isVirtual = clock instanceof VirtualClock;
  return {
    epoch: `${prefix}:epoch`,
    fence: `${prefix}:fence`,
    window: name => `${prefix}:window:${name}`,
    lease: name => `${prefix}:lease:${name}`,
    channel: name => `${prefix}:${name}`,
    time: () => (isVirtual ? String(clock.now()) : ''),
    lifeMsMin: isVirtual ? virtualLifeMs : 0,
  };
}
