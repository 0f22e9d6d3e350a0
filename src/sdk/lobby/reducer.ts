import type { LobbyId, UserId } from '../../model/snowflake.ts';
import { findById, withItem, withoutItem } from './by-id.ts';
import { share } from './share.ts';
import type { LobbyMemberSnapshot, LobbySnapshot } from './snapshot.ts';

/** Every lobby the player is in, by id, which is the order of their making. */
export type LobbyState = readonly LobbySnapshot[];

export const noLobbies: LobbyState = Object.freeze([]);

/** What happened to lobbies, in the words of this client. */
export type LobbyEvent =
  /** A session began: this is all there is. `unreadable` lobbies of the message could not be read. */
  | { readonly kind: 'reset'; readonly lobbies: LobbyState; readonly unreadable: number }
  /** Appeared or changed; complete. */
  | { readonly kind: 'lobby'; readonly lobbyId: LobbyId; readonly lobby: LobbySnapshot }
  /** Deleted, or the player was removed from it. */
  | { readonly kind: 'lobby-gone'; readonly lobbyId: LobbyId }
  /** Came or changed; complete. */
  | { readonly kind: 'member'; readonly lobbyId: LobbyId; readonly member: LobbyMemberSnapshot }
  | { readonly kind: 'member-gone'; readonly lobbyId: LobbyId; readonly memberId: UserId };

/**
 * The state after an event. What the event does not change stays the same object; an event that changes nothing (said
 * twice, or about a lobby that is not known) gives the same state.
 */
export function reduce(state: LobbyState, event: LobbyEvent): LobbyState {
  switch (event.kind) {
    case 'reset':
      return share(state, event.lobbies);
    case 'lobby':
      return withItem(state, share(findById(state, event.lobbyId), event.lobby));
    case 'lobby-gone':
      return withoutItem(state, event.lobbyId);
    case 'member':
      return withMembers(state, event.lobbyId, members =>
        withItem(members, share(findById(members, event.member.id), event.member)),
      );
    case 'member-gone':
      return withMembers(state, event.lobbyId, members => withoutItem(members, event.memberId));
  }
}

function withMembers(
  state: LobbyState,
  lobbyId: LobbyId,
  change: (members: LobbySnapshot['members']) => LobbySnapshot['members'],
): LobbyState {
  const lobby = findById(state, lobbyId);
  if (!lobby) return state;
  const members = change(lobby.members);
  return members === lobby.members ? state : withItem(state, Object.freeze({ ...lobby, members }));
}
