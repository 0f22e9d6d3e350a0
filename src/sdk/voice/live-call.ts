import { TransportError } from '../../model/errors/errors.ts';
import type { LobbyId } from '../../model/snowflake.ts';
import type { Deadline } from '../../wire/http/deadline.ts';
import { Feed } from '../live/feed.ts';
import { emptyList } from '../lobby/live-list.ts';
import type { LobbyVoiceStates, VoiceStateSnapshot } from '../lobby/snapshot.ts';
import type { CallSnapshot, CallStatus, VoiceServerSnapshot, VoiceSettings } from './snapshot.ts';

/** Somebody who waits for the call to come to a point, which it will not if the wish ends before. */
interface Waiting {
  readonly isThere: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: TransportError) => void;
}

/** One lobby's call: what this client wishes, and what the service says. */
export class LiveCall {
  readonly lobbyId: LobbyId;
  readonly feed = new Feed(() => this.shown);
  /** How the player wants to be in it; undefined: not at all. */
  wish: VoiceSettings | undefined;
  /** Undefined while the lobby is not known. */
  participants: LobbyVoiceStates | undefined;
  /** The player's part, if it belongs to this session. */
  part: VoiceStateSnapshot | undefined;
  /** The service was told that the client leaves, and has not said so yet. */
  isLeaving = false;
  /** The service was asked where the call is heard. */
  isAsking = false;
  server: VoiceServerSnapshot | undefined;
  /** It was in the call since it wished to be. */
  #wasIn = false;
  readonly #isReady: () => boolean;
  readonly #waiting = new Set<Waiting>();
  #shown: CallSnapshot | undefined;

  /** @param isReady whether the client has a session, and is connected */
  constructor(lobbyId: LobbyId, isReady: () => boolean) {
    this.lobbyId = lobbyId;
    this.#isReady = isReady;
  }

  /** The service knows of it all that this client wishes. */
  get isSettled(): boolean {
    const { wish, part } = this;
    if (!wish || this.isLeaving) return !wish && !part;
    return part?.selfMute === wish.selfMute && part.selfDeaf === wish.selfDeaf;
  }

  /** The client is in it or on its way in or out; else there is nothing to be known of it but who is in it. */
  get concernsClient(): boolean {
    return this.wish !== undefined || this.part !== undefined || this.isLeaving;
  }

  get isIdle(): boolean {
    return !this.concernsClient && !this.feed.isObserved && this.#waiting.size === 0;
  }

  /** Frozen; the same object until something changes. */
  get shown(): CallSnapshot {
    const { lobbyId, wish: own, participants = emptyList } = this;
    const shown = { lobbyId, status: this.#status, own, server: this.server, participants };
    if (!this.#shown || !isSame(this.#shown, shown)) this.#shown = Object.freeze(shown);
    return this.#shown;
  }

  /** What the service says of it by now. */
  take(participants: LobbyVoiceStates | undefined, part: VoiceStateSnapshot | undefined): void {
    this.participants = participants;
    this.part = part;
    if (part && this.wish) this.#wasIn = true;
    if (!part) {
      this.isLeaving = false;
      this.server = undefined;
    }
  }

  /** What was said in the session before holds no more. */
  forgetSession(): void {
    this.part = undefined;
    this.isLeaving = false;
    this.isAsking = false;
    this.server = undefined;
  }

  /** The client is not to be in it any more. @param reason told to those who wait for it to be */
  giveUp(reason: TransportError): void {
    this.wish = undefined;
    this.#wasIn = false;
    this.server = undefined;
    for (const { isThere, resolve, reject } of [...this.#waiting]) {
      if (isThere()) resolve();
      else reject(reason);
    }
  }

  /** Tells whoever waits or watches. */
  notify(): void {
    for (const { isThere, resolve } of [...this.#waiting]) if (isThere()) resolve();
    this.feed.notify();
  }

  /** @throws TransportError `call_ended`; `deadline_exceeded` or `aborted` when that comes first */
  async until(isThere: () => boolean, deadline: Deadline): Promise<void> {
    if (isThere()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { isThere, resolve, reject };
    this.#waiting.add(waiting);
    try {
      await deadline.within(promise);
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  get #status(): CallStatus {
    if (!this.wish) return this.part ? 'disconnecting' : 'disconnected';
    if (this.part && !this.isLeaving && this.#isReady()) return 'signaling_connected';
    return this.#wasIn ? 'reconnecting' : 'joining';
  }
}

function isSame(a: CallSnapshot, b: CallSnapshot): boolean {
  return a.status === b.status && a.own === b.own && a.server === b.server && a.participants === b.participants;
}

/** @param detail ends the sentence that begins with "The call ended" */
export function callEnded(detail: string): TransportError {
  return new TransportError('call_ended', `The call ended: ${detail}.`);
}
