import { lobbyMemberFlags, type Metadata } from '../../model/lobby.ts';
import { isSnowflake } from '../../model/snowflake.ts';
import { asRecord, parseJson } from '../../wire/codec.ts';
import { sortedById } from './by-id.ts';
import type { LobbyEvent } from './reducer.ts';
import type { LobbyMemberSnapshot, LobbySnapshot } from './snapshot.ts';

type Fields = Readonly<Record<string, unknown>>;
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
]);

/** Whether a dispatch of this name changes lobbies. */
export function concernsLobbies(name: string): boolean {
  return readers.has(name);
}

/**
 * Reads what a dispatch says about lobbies: the one place where the wire's shapes become snapshots. It takes the
 * documented shapes and the ones other clients have met: metadata as JSON text, `id` beside `user_id`, `lobby_id`
 * beside `id`. Fields it does not know are passed over.
 *
 * @returns undefined when the dispatch cannot be read
 * @see gateway.md 9.4; lobbies.md 6.3
 */
export function readLobbyEvent(name: string, data: unknown): LobbyEvent | undefined {
  const fields = asRecord(data);
  return fields && readers.get(name)?.(fields);
}

function readReady({ lobbies = [] }: Fields): LobbyEvent | undefined {
  if (!Array.isArray(lobbies)) return undefined;
  const read = lobbies.map(readLobby).filter(lobby => lobby !== undefined);
  return { kind: 'reset', lobbies: sortedById(read), unreadable: lobbies.length - read.length };
}

function readLobbyChange(data: Fields): LobbyEvent | undefined {
  const lobby = readLobby(data);
  return lobby && { kind: 'lobby', lobbyId: lobby.id, lobby };
}

function readLobbyEnd(data: Fields): LobbyEvent | undefined {
  const lobbyId = data.id ?? data.lobby_id;
  return isSnowflake<'lobby'>(lobbyId) ? { kind: 'lobby-gone', lobbyId } : undefined;
}

function readMemberChange(data: Fields, connected?: boolean): LobbyEvent | undefined {
  const lobbyId = data.lobby_id;
  const member = readMember(data.member, connected);
  return member && isSnowflake<'lobby'>(lobbyId) ? { kind: 'member', lobbyId, member } : undefined;
}

function readMemberEnd(data: Fields): LobbyEvent | undefined {
  const lobbyId = data.lobby_id;
  const member = readMember(data.member);
  return member && isSnowflake<'lobby'>(lobbyId) ? { kind: 'member-gone', lobbyId, memberId: member.id } : undefined;
}

function readLobby(value: unknown): LobbySnapshot | undefined {
  const { id, application_id, metadata, members = [], flags } = asRecord(value) ?? {};
  if (!isSnowflake<'lobby'>(id) || !isSnowflake<'application'>(application_id) || !Array.isArray(members))
    return undefined;
  const read = members.map(member => readMember(member)).filter(member => member !== undefined);
  if (read.length < members.length) return undefined;
  return Object.freeze({
    id,
    applicationId: application_id,
    metadata: readMetadata(metadata),
    members: sortedById(read),
    flags: readFlags(flags),
  });
}

function readMember(value: unknown, connected?: boolean): LobbyMemberSnapshot | undefined {
  const fields = asRecord(value) ?? {};
  const id = fields.user_id ?? fields.id;
  if (!isSnowflake<'user'>(id)) return undefined;
  const flags = readFlags(fields.flags);
  return Object.freeze({
    id,
    metadata: readMetadata(fields.metadata),
    flags,
    canLinkLobby: (flags & lobbyMemberFlags.CanLinkLobby) !== 0,
    connected: connected ?? fields.connected === true,
    additionalName: typeof fields.additional_name === 'string' ? fields.additional_name : undefined,
  });
}

const noMetadata: Metadata = Object.freeze({});

function readMetadata(value: unknown): Metadata {
  const entries = Object.entries(asRecord(typeof value === 'string' ? parseJson(value) : value) ?? {});
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.length === 0 ? noMetadata : Object.freeze(Object.fromEntries(texts));
}

function readFlags(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}
