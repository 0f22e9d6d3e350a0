import { isSnowflake } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/codec.ts';
import type { LobbyEvent } from './event.ts';
import { type Fields, readLobby, readMember } from './lobby-reader.ts';
import { readMessageEdit, readMessageEnd, readMessageEvent } from './message-reader.ts';

type Reader = (data: Fields) => LobbyEvent | undefined;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['READY', readReady],
  ['LOBBY_CREATE', readLobbyChange],
  ['LOBBY_UPDATE', readLobbyChange],
  ['LOBBY_DELETE', readLobbyEnd],
  ['LOBBY_MEMBER_ADD', data => readMemberChange(data)],
  ['LOBBY_MEMBER_UPDATE', data => readMemberChange(data)],
  ['LOBBY_MEMBER_CONNECT', data => readMemberChange(data, true)],
  ['LOBBY_MEMBER_DISCONNECT', data => readMemberChange(data, false)],
  ['LOBBY_MEMBER_REMOVE', readMemberEnd],
  ['LOBBY_MESSAGE_CREATE', readMessageEvent],
  ['LOBBY_MESSAGE_UPDATE', readMessageEdit],
  ['LOBBY_MESSAGE_DELETE', readMessageEnd],
]);

/** Whether a dispatch of this name says something of lobbies. */
export function concernsLobbies(name: string): boolean {
  return readers.has(name);
}

/**
 * Reads what a dispatch says of lobbies.
 *
 * @returns undefined when the dispatch cannot be read
 * @see gateway.md 9.4
 */
export function readLobbyEvent(name: string, data: unknown): LobbyEvent | undefined {
  const fields = asRecord(data);
  return fields && readers.get(name)?.(fields);
}

function readReady({ lobbies = [] }: Fields): LobbyEvent | undefined {
  if (!Array.isArray(lobbies)) return undefined;
  const read = lobbies.map(readLobby).filter(lobby => lobby !== undefined);
  return { kind: 'reset', lobbies: read, unreadable: lobbies.length - read.length };
}

function readLobbyChange(data: Fields): LobbyEvent | undefined {
  const lobby = readLobby(data);
  return lobby && { kind: 'lobby', lobbyId: lobby.id, lobby };
}

function readLobbyEnd(data: Fields): LobbyEvent | undefined {
  const lobbyId = data.id ?? data.lobby_id;
  return isSnowflake<'lobby'>(lobbyId) ? { kind: 'lobby-gone', lobbyId } : undefined;
}

function readMemberChange({ lobby_id, member }: Fields, connected?: boolean): LobbyEvent | undefined {
  if (!isSnowflake<'lobby'>(lobby_id)) return undefined;
  const read = readMember(member, connected);
  return read && { kind: 'member', lobbyId: lobby_id, member: read };
}

function readMemberEnd({ lobby_id, member }: Fields): LobbyEvent | undefined {
  const memberId = readMember(member)?.id;
  return memberId !== undefined && isSnowflake<'lobby'>(lobby_id)
    ? { kind: 'member-gone', lobbyId: lobby_id, memberId }
    : undefined;
}
