import { lobbyMemberFlags, type Metadata } from '../../model/lobby.ts';
import { isSnowflake, type UserId } from '../../model/snowflake.ts';
import { asRecord, parseJson } from '../../wire/codec.ts';
import type { Fields } from './fields.ts';
import type { LinkedChannelSnapshot, LobbyMemberSnapshot, LobbySnapshot, UserSnapshot } from './snapshot.ts';

/**
 * Readers of what a service says of lobbies, over the gateway or HTTP: here the wire's shapes become snapshots. They take
 * the documented shapes and the ones other clients have met: metadata as JSON text, `id` beside `user_id`. Fields they do
 * not know are passed over; undefined stands for what cannot be read. What is read is the reader's: it may be frozen.
 *
 * @see lobbies.md 1 and 6.3; gateway.md 9.4
 */

export function readLobby(value: unknown): LobbySnapshot | undefined {
  const { id, application_id, metadata, members = [], flags, linked_channel } = asRecord(value) ?? {};
  if (!isSnowflake<'lobby'>(id) || !isSnowflake<'application'>(application_id) || !Array.isArray(members))
    return undefined;
  const read = members.map(readListed).filter(member => member !== undefined);
  if (read.length < members.length) return undefined;
  return Object.freeze({
    id,
    applicationId: application_id,
    metadata: readMetadata(metadata),
    members: Object.freeze(read),
    flags: readFlags(flags),
    linkedChannel: readLinkedChannel(linked_channel),
  });
}

function readListed(value: unknown): LobbyMemberSnapshot | undefined {
  const fields = asRecord(value);
  const id = fields && readMemberId(fields);
  return id === undefined ? undefined : readMember(id, fields ?? {});
}

export function readMemberId({ user_id, id }: Fields): UserId | undefined {
  const read = user_id ?? id;
  return isSnowflake<'user'>(read) ? read : undefined;
}

/** @param connected what is known of it apart from what the fields say */
export function readMember(id: UserId, fields: Fields, connected?: boolean): LobbyMemberSnapshot {
  const flags = readFlags(fields.flags);
  return Object.freeze({
    id,
    metadata: readMetadata(fields.metadata),
    flags,
    canLinkLobby: (flags & lobbyMemberFlags.CanLinkLobby) !== 0,
    connected: connected ?? fields.connected === true,
    additionalName: readText(fields.additional_name),
    user: readUser(fields.user),
  });
}

export function readUser(value: unknown): UserSnapshot | undefined {
  if (value === undefined) return undefined;
  const { id, username, global_name } = asRecord(value) ?? {};
  if (!isSnowflake<'user'>(id) || typeof username !== 'string') return undefined;
  const globalName = readText(global_name);
  return Object.freeze({ id, username, globalName, displayName: globalName ?? username });
}

const noMetadata: Metadata = Object.freeze({});

export function readMetadata(value: unknown): Metadata {
  const entries = asRecord(typeof value === 'string' ? parseJson(value) : value);
  if (!entries) return noMetadata;
  let isEmpty = true;
  for (const key in entries) {
    if (typeof entries[key] !== 'string') return textsOf(entries);
    isEmpty = false;
  }
  return isEmpty ? noMetadata : Object.freeze(entries as Metadata);
}

function textsOf(entries: Fields): Metadata {
  const texts = Object.entries(entries).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.length === 0 ? noMetadata : Object.freeze(Object.fromEntries(texts));
}

export function readFlags(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readLinkedChannel(value: unknown): LinkedChannelSnapshot | undefined {
  const { id, name, guild_id } = asRecord(value) ?? {};
  if (!isSnowflake<'channel'>(id)) return undefined;
  const guildId = isSnowflake<'guild'>(guild_id) ? guild_id : undefined;
  return Object.freeze({ id, name: readText(name) ?? '', guildId });
}
