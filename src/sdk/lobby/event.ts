import type { LobbyId, MessageId, UserId } from '../../model/snowflake.ts';
import type { Fields } from './fields.ts';
import type { LobbyMessageSnapshot, LobbySnapshot, LobbyState, VoiceStateSnapshot } from './snapshot.ts';

/** Why a lobby is gone; `unknown`: the service did not say. */
export type LobbyGoneReason = 'deleted' | 'removed' | 'unknown';

/** A dispatch as this client reads it. Everything in it is complete and, except for members, frozen. */
export type LobbyEvent =
  /** A session began: these are all the lobbies there are, in any order. `unreadable` more could not be read. */
  | { readonly kind: 'reset'; readonly lobbies: LobbyState; readonly unreadable: number }
  /** Appeared or changed. */
  | { readonly kind: 'lobby'; readonly lobbyId: LobbyId; readonly lobby: LobbySnapshot }
  /** Deleted, or the player was removed from it. */
  | { readonly kind: 'lobby-gone'; readonly lobbyId: LobbyId; readonly reason: LobbyGoneReason }
  | MemberChange
  | MemberGone
  | { readonly kind: 'message'; readonly lobbyId: LobbyId; readonly message: LobbyMessageSnapshot }
  /** Was edited or moderated; `change` holds only the fields that the service sent. */
  | {
      readonly kind: 'message-edit';
      readonly lobbyId: LobbyId;
      readonly messageId: MessageId;
      readonly change: MessageEdit;
    }
  | { readonly kind: 'message-gone'; readonly lobbyId: LobbyId; readonly messageId: MessageId }
  | VoiceChange;

/** A member joined or changed: the fields of the event. What they leave out is taken from the known member. */
export interface MemberChange {
  readonly kind: 'member';
  readonly lobbyId: LobbyId;
  readonly memberId: UserId;
  readonly fields: Fields;
  /** Overrides the fields. */
  readonly connected: boolean | undefined;
}

export interface MemberGone {
  readonly kind: 'member-gone';
  readonly lobbyId: LobbyId;
  readonly memberId: UserId;
}

/** A member joined the call or changed in it, or left it: then without `state`. */
export interface VoiceChange {
  readonly kind: 'voice';
  readonly lobbyId: LobbyId;
  readonly memberId: UserId;
  readonly state: VoiceStateSnapshot | undefined;
}

/** What an edit can change of a message. */
export type MessageEdit = Partial<
  Pick<LobbyMessageSnapshot, 'content' | 'flags' | 'metadata' | 'moderationMetadata' | 'editedAtMs'>
>;
