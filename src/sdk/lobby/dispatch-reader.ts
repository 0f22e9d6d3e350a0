import { isSnowflake } from '../../model/snowflake.ts';
import { asRecord } from '../../wire/http/codec.ts';
import type { LobbyEvent } from './event.ts';
import type { Fields } from './fields.ts';
import { readLobby, readMemberId, readVoiceState } from './lobby-reader.ts';
import { readMessageEdit, readMessageEnd, readMessageEvent } from './message-reader.ts';
import type { LobbySnapshot } from './snapshot.ts';

/** Reads the `d` of a dispatch; undefined when it cannot be read. Fields that are left out of a known lobby stay. */
export type LobbyReader = (data: Fields, known?: FindLobby) => LobbyEvent | undefined;

/** Finds the known state of a lobby; the id is unchecked. */
export type FindLobby = (id: string) => LobbySnapshot | undefined;

/**
 * The reader of the dispatches of a name; undefined when they are not about lobbies.
 *
 * @see docs/spec/lobbies.md#events
 */
export function lobbyReader(name: string): LobbyReader | undefined {
  // Every name arrives as a new string: comparing it is much faster than finding it in a table.
  switch (name) {
    case 'READY':
      return readReady;
    case 'LOBBY_CREATE':
    case 'LOBBY_UPDATE':
      return readLobbyChange;
    case 'LOBBY_DELETE':
      return readLobbyEnd;
    case 'LOBBY_MEMBER_ADD':
    case 'LOBBY_MEMBER_UPDATE':
      return readMemberChange;
    case 'LOBBY_MEMBER_CONNECT':
      return readConnect;
    case 'LOBBY_MEMBER_DISCONNECT':
      return readDisconnect;
    case 'LOBBY_MEMBER_REMOVE':
      return readMemberEnd;
    case 'LOBBY_MESSAGE_CREATE':
      return readMessageEvent;
    case 'LOBBY_MESSAGE_UPDATE':
      return readMessageEdit;
    case 'LOBBY_MESSAGE_DELETE':
      return readMessageEnd;
    case 'LOBBY_VOICE_STATE_UPDATE':
      return readVoiceChange;
    default:
      return undefined;
  }
}

function readReady(data: Fields): LobbyEvent | undefined {
  const lobbies = data.lobbies ?? [];
  if (!Array.isArray(lobbies)) return undefined;
  const read = lobbies.map(lobby => readLobby(lobby)).filter(lobby => lobby !== undefined);
  return { kind: 'reset', lobbies: read, unreadable: lobbies.length - read.length };
}

function readLobbyChange(data: Fields, known?: FindLobby): LobbyEvent | undefined {
  const lobby = readLobby(data, typeof data.id === 'string' ? known?.(data.id) : undefined);
  return lobby && { kind: 'lobby', lobbyId: lobby.id, lobby };
}

function readLobbyEnd(data: Fields): LobbyEvent | undefined {
  const lobbyId = data.id ?? data.lobby_id;
  const reason = data.reason === 'deleted' || data.reason === 'removed' ? data.reason : 'unknown';
  return isSnowflake<'lobby'>(lobbyId) ? { kind: 'lobby-gone', lobbyId, reason } : undefined;
}

function readMemberChange(data: Fields): LobbyEvent | undefined {
  return readMemberFields(data, undefined);
}

function readConnect(data: Fields): LobbyEvent | undefined {
  return readMemberFields(data, true);
}

function readDisconnect(data: Fields): LobbyEvent | undefined {
  return readMemberFields(data, false);
}

// The lobby's id need not be checked: only known lobbies are found by it.
function readMemberFields({ lobby_id, member }: Fields, connected: boolean | undefined): LobbyEvent | undefined {
  const fields = asRecord(member);
  const memberId = fields && readMemberId(fields);
  if (memberId === undefined || typeof lobby_id !== 'string') return undefined;
  return { kind: 'member', lobbyId: lobby_id, memberId, fields: fields ?? {}, connected };
}

function readMemberEnd({ lobby_id, member }: Fields): LobbyEvent | undefined {
  const memberId = readMemberId(asRecord(member) ?? {});
  if (memberId === undefined || typeof lobby_id !== 'string') return undefined;
  return { kind: 'member-gone', lobbyId: lobby_id, memberId };
}

function readVoiceChange(data: Fields): LobbyEvent | undefined {
  const { lobby_id: lobbyId, user_id: memberId } = data;
  if (typeof lobbyId !== 'string' || !isSnowflake<'user'>(memberId)) return undefined;
  return { kind: 'voice', lobbyId, memberId, state: readVoiceState(data) };
}
