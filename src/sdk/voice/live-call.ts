import { TransportError } from '../../model/errors/errors.ts';
import type { LobbyId } from '../../model/snowflake.ts';
import type { Deadline } from '../../wire/http/deadline.ts';
import { Feed } from '../live/feed.ts';
import { emptyList } from '../lobby/live-list.ts';
import type { LobbyVoiceStates, VoiceStateSnapshot } from '../lobby/snapshot.ts';
import type { CallSnapshot, CallStatus, VoiceServerSnapshot, VoiceSettings } from './snapshot.ts';

/** A caller that waits until the call has reached a state, which fails if the call is given up first. */
interface Waiting {
  readonly isThere: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: TransportError) => void;
}

/** One lobby's call: what this client requests, and what the service confirms. */
export class LiveCall {
  readonly lobbyId: LobbyId;
  readonly feed = new Feed(() => this.shown);
  /** The settings that the player requested; undefined: the player is not to be in the call. */
  wish: VoiceSettings | undefined;
  /** Undefined while the lobby is not known. */
  participants: LobbyVoiceStates | undefined;
  /** The player's part, if it belongs to this session. */
  part: VoiceStateSnapshot | undefined;
  /** The client has asked to leave, and the service has not confirmed it. */
  isLeaving = false;
  /** The voice server was requested. */
  isAsking = false;
  server: VoiceServerSnapshot | undefined;
  /** It has been in the call since it was requested. */
  #wasIn = false;
  readonly #isReady: () => boolean;
  readonly #waiting = new Set<Waiting>();
  #shown: CallSnapshot | undefined;

  /** @param isReady whether the client has a session, and is connected */
  constructor(lobbyId: LobbyId, isReady: () => boolean) {
    this.lobbyId = lobbyId;
    this.#isReady = isReady;
  }

  /** The service has confirmed all that this client requests. */
  get isSettled(): boolean {
    const { wish, part } = this;
    if (!wish || this.isLeaving) return !wish && !part;
    return part?.selfMute === wish.selfMute && part.selfDeaf === wish.selfDeaf;
  }

  /** The client is in the call, joining or leaving. */
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

  /** Takes the service's present state of the call. */
  take(participants: LobbyVoiceStates | undefined, part: VoiceStateSnapshot | undefined): void {
    this.participants = participants;
    this.part = part;
    if (part && this.wish) this.#wasIn = true;
    if (!part) {
      this.isLeaving = false;
      this.server = undefined;
    }
  }

  /** Drops what belongs to the previous session. */
  forgetSession(): void {
    this.part = undefined;
    this.isLeaving = false;
    this.isAsking = false;
    this.server = undefined;
  }

  /** The client is no longer to be in the call. @param reason what waiting callers reject with */
  giveUp(reason: TransportError): void {
    this.wish = undefined;
    this.#wasIn = false;
    this.server = undefined;
    for (const { isThere, resolve, reject } of [...this.#waiting]) {
      if (isThere()) resolve();
      else reject(reason);
    }
  }

  /** Notifies waiting callers and subscribers. */
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
