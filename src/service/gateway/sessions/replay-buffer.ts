import { serviceLimits } from '../../support/service-limits.ts';
import type { DispatchFrame } from '../connection/frames.ts';

/** An event that is encoded on demand. */
export interface LateFrame {
  /** Approximate size in bytes. */
  readonly size: number;
  readonly frame: DispatchFrame;
}

/** Dropped events are cut off when there are this many of them, and more than are kept. */
const slackMax = 64;

/**
 * The events that a session's client may need again, bounded in number and bytes: the oldest are dropped. All
 * sessions that receive an event share its frame.
 */
export class ReplayBuffer {
  /** The first `#dropped` of them no longer count. */
  #frames: (DispatchFrame | LateFrame | undefined)[] = [];
  #dropped = 0;
  #bytes = 0;
  #last: number;

  /** @param last number of the event before the first one */
  constructor(last = 0) {
    this.#last = last;
  }

  /** Number of the last event. */
  get last(): number {
    return this.#last;
  }

  push(frame: DispatchFrame | LateFrame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#last++;
    while (this.#bytes > serviceLimits.gatewayReplayBytesMax || this.#size > serviceLimits.gatewayReplayEventsMax)
      this.#drop();
  }

  /** Assigns a number to an event that cannot be replayed; nor can those before it. */
  skip(): void {
    this.forget(this.#last);
    this.#last++;
  }

  /** The client has everything up to this number; a number that was not assigned yet is ignored. */
  forget(number: number): void {
    if (number > this.#last) return;
    while (this.#size > this.#last - number) this.#drop();
  }

  /** The events after this number; undefined when some of them were dropped. */
  after(number: number): readonly DispatchFrame[] | undefined {
    const wanted = this.#last - number;
    if (wanted > this.#size) return undefined;
    const frames = this.#frames.slice(this.#frames.length - wanted).filter(frame => frame !== undefined);
    return frames.map(frame => ('bytes' in frame ? frame : frame.frame));
  }

  get #size(): number {
    return this.#frames.length - this.#dropped;
  }

  #drop(): void {
    const frame = this.#frames[this.#dropped];
    if (frame) this.#bytes -= sizeOf(frame);
    this.#frames[this.#dropped] = undefined;
    this.#dropped++;
    if (this.#dropped === this.#frames.length) this.#frames = [];
    else if (this.#dropped < slackMax || this.#dropped < this.#frames.length / 2) return;
    else this.#frames = this.#frames.slice(this.#dropped);
    this.#dropped = 0;
  }
}

function sizeOf(frame: DispatchFrame | LateFrame): number {
  return 'bytes' in frame ? frame.bytes.length : frame.size;
}
