import type { LobbyId, UserId } from '../../model/snowflake.ts';
import { Emitter } from '../live/emitter.ts';
import type { Observable } from '../live/rxjs.ts';
import type { SocialEvent } from '../social/snapshot.ts';
import type { LobbyGoneReason } from './event.ts';
import type { LobbyMemberSnapshot, LobbyMembers, LobbyMessageSnapshot, LobbySnapshot, LobbyState } from './snapshot.ts';

/**
 * Something that happened in the player's lobbies. Compare `type`. An event is the difference between two states, so that
 * each is emitted once, also after a lost connection: a member who left and came back meanwhile causes none.
 *
 * A lobby that appears brings its members and its history along: they cause no events of their own.
 */
export type LobbyNewsEvent =
  /** The player is in this lobby now, or was in it when the client connected. */
  | { readonly type: 'lobbyJoined'; readonly lobbyId: LobbyId; readonly lobby: LobbySnapshot }
  /** Its metadata, flags or linked channel changed. */
  | {
      readonly type: 'lobbyUpdated';
      readonly lobbyId: LobbyId;
      readonly lobby: LobbySnapshot;
      readonly previous: LobbySnapshot;
    }
  /** This client left it. `lobby` is its last known state, as in the two events below. */
  | { readonly type: 'lobbyLeft'; readonly lobbyId: LobbyId; readonly lobby: LobbySnapshot }
  /** The player was removed by the game server, or left on another device. */
  | { readonly type: 'removed'; readonly lobbyId: LobbyId; readonly lobby: LobbySnapshot }
  /** It was deleted; `unknown`: it is gone since the last session, deleted or without the player. */
  | {
      readonly type: 'lobbyEnded';
      readonly lobbyId: LobbyId;
      readonly lobby: LobbySnapshot;
      readonly reason: 'deleted' | 'unknown';
    }
  | {
      readonly type: 'memberJoined' | 'memberLeft' | 'memberConnected' | 'memberDisconnected';
      readonly lobbyId: LobbyId;
      readonly member: LobbyMemberSnapshot;
    }
  /** Metadata, flags or names of a member changed. */
  | {
      readonly type: 'memberUpdated';
      readonly lobbyId: LobbyId;
      readonly member: LobbyMemberSnapshot;
      readonly previous: LobbyMemberSnapshot;
    }
  /** A message arrived, also one of the player's own, and also one that was missed while the connection was lost. */
  | { readonly type: 'messageReceived'; readonly lobbyId: LobbyId; readonly message: LobbyMessageSnapshot }
  | {
      readonly type: 'messageUpdated';
      readonly lobbyId: LobbyId;
      readonly message: LobbyMessageSnapshot;
      readonly previous: LobbyMessageSnapshot;
    }
  | { readonly type: 'messageDeleted'; readonly lobbyId: LobbyId; readonly message: LobbyMessageSnapshot };

/** Something that happened: in the player's lobbies, or between the player and others. Compare `type`. */
export type ClientNewsEvent = LobbyNewsEvent | SocialEvent;

/**
 * Turns changes of the lobby state into events, and passes on those of the social layer. They are collected while a change is applied, and emitted by {@link flush}
 * once the state and its streams show all of it.
 */
export class LobbyNews {
  /** Does not replay; completes on {@link close}. */
  readonly events$: Observable<ClientNewsEvent>;
  /** Each lobby that is gone, when the state no longer has it. */
  readonly gone$: Observable<LobbyId>;
  readonly #events = new Emitter<ClientNewsEvent>();
  readonly #gone = new Emitter<LobbyId>();
  readonly #leaving = new Set<LobbyId>();
  #pending: ClientNewsEvent[] = [];
  #isFlushing = false;

  constructor() {
    this.events$ = this.#events.events$;
    this.gone$ = this.#gone.events$;
  }

  /** While nothing observes the events, changes of members need not be compared. */
  get isObserved(): boolean {
    return this.#events.isObserved;
  }

  /** This client is leaving the lobby: until the returned function is called, its end is `lobbyLeft`. */
  leaving(id: LobbyId): () => void {
    this.#leaving.add(id);
    return () => this.#leaving.delete(id);
  }

  /** Collects an event of the social layer. */
  add(event: SocialEvent): void {
    if (this.isObserved) this.#pending.push(event);
  }

  lobbiesChanged(before: LobbyState, after: LobbyState): void {
    const known = new Map(before.map(lobby => [lobby.id, lobby]));
    const present = new Set(after.map(({ id }) => id));
    for (const lobby of before) if (!present.has(lobby.id)) this.lobbyGone(lobby, 'unknown');
    for (const lobby of after) this.lobbyChanged(known.get(lobby.id), lobby);
  }

  lobbyChanged(previous: LobbySnapshot | undefined, lobby: LobbySnapshot): void {
    if (previous === lobby || !this.isObserved) return;
    const lobbyId = lobby.id;
    if (!previous) {
      this.#pending.push({ type: 'lobbyJoined', lobbyId, lobby });
      return;
    }
    const { metadata, flags, linkedChannel } = previous;
    if (metadata !== lobby.metadata || flags !== lobby.flags || linkedChannel !== lobby.linkedChannel) {
      this.#pending.push({ type: 'lobbyUpdated', lobbyId, lobby, previous });
    }
    this.#membersChanged(lobbyId, previous.members, lobby.members);
  }

  lobbyGone(lobby: LobbySnapshot, reason: LobbyGoneReason): void {
    const lobbyId = lobby.id;
    this.#gone.emit(lobbyId);
    if (!this.isObserved) return;
    if (reason !== 'deleted' && this.#leaving.has(lobbyId)) this.#pending.push({ type: 'lobbyLeft', lobbyId, lobby });
    else if (reason === 'removed') this.#pending.push({ type: 'removed', lobbyId, lobby });
    else this.#pending.push({ type: 'lobbyEnded', lobbyId, lobby, reason });
  }

  memberChanged(
    lobbyId: LobbyId,
    previous: LobbyMemberSnapshot | undefined,
    member: LobbyMemberSnapshot | undefined,
  ): void {
    if (previous === member) return;
    if (!previous && member) this.#pending.push({ type: 'memberJoined', lobbyId, member });
    else if (previous && !member) this.#pending.push({ type: 'memberLeft', lobbyId, member: previous });
    else if (previous && member) this.#memberUpdated(lobbyId, previous, member);
  }

  messageChanged(
    lobbyId: LobbyId,
    previous: LobbyMessageSnapshot | undefined,
    message: LobbyMessageSnapshot | undefined,
    isNews: boolean,
  ): void {
    if (!this.isObserved) return;
    if (!previous && message && isNews) this.#pending.push({ type: 'messageReceived', lobbyId, message });
    else if (previous && message) this.#pending.push({ type: 'messageUpdated', lobbyId, message, previous });
    else if (previous) this.#pending.push({ type: 'messageDeleted', lobbyId, message: previous });
  }

  /** Emits what was collected; events that a subscriber causes meanwhile follow in order. */
  flush(): void {
    if (this.#pending.length === 0 || this.#isFlushing) return;
    this.#isFlushing = true;
    for (let event = this.#pending.shift(); event; event = this.#pending.shift()) {
      this.#events.emit(Object.freeze(event));
    }
    this.#isFlushing = false;
  }

  /** Drops what was collected: the state was forgotten. */
  discard(): void {
    this.#pending = [];
  }

  close(): void {
    this.#pending = [];
    this.#events.complete();
    this.#gone.complete();
  }

  #membersChanged(lobbyId: LobbyId, before: LobbyMembers, after: LobbyMembers): void {
    if (before === after) return;
    const known = new Map<UserId, LobbyMemberSnapshot>(before.map(member => [member.id, member]));
    const present = new Set(after.map(({ id }) => id));
    for (const member of before) if (!present.has(member.id)) this.memberChanged(lobbyId, member, undefined);
    for (const member of after) this.memberChanged(lobbyId, known.get(member.id), member);
  }

  #memberUpdated(lobbyId: LobbyId, previous: LobbyMemberSnapshot, member: LobbyMemberSnapshot): void {
    const { connected, ...rest } = member;
    const isElse = Object.entries(rest).some(([name, value]) => previous[name as keyof typeof previous] !== value);
    if (isElse) this.#pending.push({ type: 'memberUpdated', lobbyId, member, previous });
    if (connected === previous.connected) return;
    this.#pending.push({ type: connected ? 'memberConnected' : 'memberDisconnected', lobbyId, member });
  }
}
