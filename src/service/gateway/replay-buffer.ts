import { serviceLimits } from '../service-limits.ts';
import type { DispatchFrame } from './frames.ts';

/** Dropped events are cut away when there are this many of them, and more than are kept. */
const slackMax = 64;

/**
 * The events that a session's client may have to be sent again, bounded in number and bytes: old ones make room. The
 * frames are shared by all sessions that got the event.
 */
export class ReplayBuffer {
  /** The first `#dropped` of them do not count any more. */
  #frames: (DispatchFrame | undefined)[] = [];
  #dropped = 0;
  #bytes = 0;
  #last: number;

  /** @param last number of the last event before the first that comes */
  constructor(last = 0) {
    this.#last = last;
  }

  /** Number of the last event. */
  get last(): number {
    return this.#last;
  }

  push(frame: DispatchFrame): void {
    this.#frames.push(frame);
    this.#bytes += frame.bytes.length;
    this.#last++;
    while (this.#bytes > serviceLimits.gatewayReplayBytesMax || this.#size > serviceLimits.gatewayReplayEventsMax)
      this.#drop();
  }

  /** The client has all up to this number; a number that was not given out yet says nothing. */
  forget(number: number): void {
    if (number > this.#last) return;
    while (this.#size > this.#last - number) this.#drop();
  }

  /** The events behind this number; undefined when some of them are gone. */
  after(number: number): readonly DispatchFrame[] | undefined {
    const wanted = this.#last - number;
    if (wanted > this.#size) return undefined;
    return this.#frames.slice(this.#frames.length - wanted).filter(frame => frame !== undefined);
  }

  get #size(): number {
    return this.#frames.length - this.#dropped;
  }

  #drop(): void {
    this.#bytes -= this.#frames[this.#dropped]?.bytes.length ?? 0;
    this.#frames[this.#dropped] = undefined;
    this.#dropped++;
    if (this.#dropped === this.#frames.length) this.#frames = [];
    else if (this.#dropped < slackMax || this.#dropped < this.#frames.length / 2) return;
    else this.#frames = this.#frames.slice(this.#dropped);
    this.#dropped = 0;
  }
}
