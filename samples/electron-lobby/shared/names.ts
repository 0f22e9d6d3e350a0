import type { LobbyMemberSnapshot, LobbySnapshot } from '@rallypoint/sdk';

/** A lobby that nobody named is told apart by the end of its id. */
export function titleOf({ id, metadata }: LobbySnapshot): string {
  return metadata.title ?? `Lobby ${id.slice(-4)}`;
}

/** What the service says comes first; what a member says of itself may be anything. */
export function nameOf({ id, user, additionalName, metadata }: LobbyMemberSnapshot): string {
  return additionalName ?? user?.displayName ?? metadata.name ?? `Player ${id.slice(-4)}`;
}

/** Nobody created it on purpose: the game gives every lobby that it creates a title, and nobody else is in it. */
export function isAccidental({ metadata, members }: LobbySnapshot): boolean {
  return metadata.title === undefined && members.length <= 1;
}
