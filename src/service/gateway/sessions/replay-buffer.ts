import { serviceLimits } from '../../support/service-limits.ts';
import type { DispatchFrame } from '../connection/frames.ts';

/** An event that is encoded when somebody asks for it. */
export interface LateFrame {
  /** In bytes, roughly. */
  readonly size: number;
  readonly frame: DispatchFrame;
}

/** Dropped events are cut away when there are this many of them, and more than are kept. */
const slackMax = 64;

/**
 * The events that a session's client may have to be sent again, bounded in number and bytes: old ones make room. The
 * frames are shared by all sessions that got the event.
 */
export class ReplayBuffer {
  /** The first `#dropped` of them do not count any more. */
  #frames: (DispatchFrame | LateFrame | undefined)[] = [];
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

  push(frame: DispatchFrame | LateFrame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
    this.#last++;
    while (this.#bytes > serviceLimits.gatewayReplayBytesMax || this.#size > serviceLimits.gatewayReplayEventsMax)
      this.#drop();
  }

  /** Gives a number to an event that nobody can ask for again; nor for those before it. */
  skip(): void {
    this.forget(this.#last);
    this.#last++;
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
