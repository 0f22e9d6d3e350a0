import type { Metadata } from '../../model/lobby.ts';
import type { ApplicationId, LobbyId, UserId } from '../../model/snowflake.ts';

/**
 * A lobby as last heard of. Frozen all the way down, and shared: what an event did not change is the same object in
 * the next snapshot, so `===` tells whether anything changed.
 *
 * @see lobbies.md 1.1; social-sdk.md 7.3, LobbyHandle
 */
export interface LobbySnapshot {
  readonly id: LobbyId;
  readonly applicationId: ApplicationId;
  /** Empty when the lobby has none. */
  readonly metadata: Metadata;
  /**
   * Up to 1000 members, by id. Our choice: the order in which members came is not the same for all who watch, the
   * order of their ids is.
   */
  readonly members: readonly LobbyMemberSnapshot[];
  /** Bits of {@link lobbyFlags}. */
  readonly flags: number;
}

/** @see lobbies.md 1.3; social-sdk.md 7.3, LobbyMemberHandle */
export interface LobbyMemberSnapshot {
  /** The user's id. */
  readonly id: UserId;
  /** Empty when the member has none. */
  readonly metadata: Metadata;
  /** Bits of {@link lobbyMemberFlags}. */
  readonly flags: number;
  readonly canLinkLobby: boolean;
  /** Whether the user has a live session; a member may well be offline. */
  readonly connected: boolean;
  /** A second name to show, 1–80 characters. */
  readonly additionalName: string | undefined;
}
