import { lobbyMemberFlags, type Metadata } from '../../model/lobby.ts';
import { isSnowflake, type UserId } from '../../model/snowflake.ts';
import { asRecord, parseJson } from '../../wire/http/codec.ts';
import type { Fields } from './fields.ts';
import { share } from './share.ts';
import type {
  LinkedChannelSnapshot,
  LobbyMemberSnapshot,
  LobbyMembers,
  LobbySnapshot,
  LobbyVoiceStates,
  UserSnapshot,
  VoiceStateSnapshot,
} from './snapshot.ts';

/**
 * Readers of lobby payloads, from the gateway or HTTP: here the wire's shapes become snapshots. They accept the documented
 * shapes and those of other implementations: metadata as JSON text, `id` beside `user_id`. They ignore fields they do not
 * know, and return undefined for what cannot be read. They may freeze what they are given.
 *
 * @see docs/spec/lobbies.md#lobby; docs/spec/lobbies.md#shapes-over-the-gateway; docs/spec/lobbies.md#events
 */

/** @param known what is known of the lobby: what the payload leaves out stays */
export function readLobby(value: unknown, known?: LobbySnapshot): LobbySnapshot | undefined {
  const fields = asRecord(value) ?? {};
  const { id, application_id = known?.applicationId, metadata, flags, linked_channel } = fields;
  const members = readMembers(fields.members ?? undefined, known?.members);
  if (!isSnowflake<'lobby'>(id) || !isSnowflake<'application'>(application_id) || !members) return undefined;
  return Object.freeze({
    id,
    applicationId: application_id,
    metadata: metadata === undefined && known ? known.metadata : readMetadata(metadata),
    members,
    flags: flags === undefined && known ? known.flags : readFlags(flags),
    linkedChannel: readLinkedChannel(linked_channel),
    voiceStates: readVoiceStates(fields.voice_states, known?.voiceStates),
  });
}

const noVoiceStates: LobbyVoiceStates = Object.freeze([]);

// One that cannot be read is ignored: the rest of the lobby is still good.
function readVoiceStates(value: unknown, known: LobbyVoiceStates = noVoiceStates): LobbyVoiceStates {
  if (!Array.isArray(value)) return known;
  const read = value.map(state => readVoiceState(asRecord(state) ?? {})).filter(state => state !== undefined);
  return read.length === 0 ? noVoiceStates : Object.freeze(read);
}

/** Undefined also for a user who has left the call. */
export function readVoiceState(fields: Fields): VoiceStateSnapshot | undefined {
  const { user_id: id, session_id, channel_id } = fields;
  if (!isSnowflake<'user'>(id) || typeof channel_id !== 'string') return undefined;
  return Object.freeze({
    id,
    sessionId: readText(session_id) ?? '',
    selfMute: fields.self_mute === true,
    selfDeaf: fields.self_deaf === true,
    selfVideo: fields.self_video === true,
    mute: fields.mute === true,
    deaf: fields.deaf === true,
  });
}

function readMembers(value: unknown, known: LobbyMembers = noMembers): LobbyMembers | undefined {
  if (value === undefined) return known;
  if (!Array.isArray(value)) return undefined;
  const before = new Map(known.map(member => [member.id, member]));
  const read = value.map(member => readListed(member, before)).filter(member => member !== undefined);
  return read.length < value.length ? undefined : Object.freeze(read);
}

const noMembers: LobbyMembers = Object.freeze([]);

function readListed(value: unknown, before: ReadonlyMap<UserId, LobbyMemberSnapshot>): LobbyMemberSnapshot | undefined {
  const fields = asRecord(value);
  const id = fields && readMemberId(fields);
  return id === undefined ? undefined : readMember(id, fields ?? {}, undefined, before.get(id));
}

export function readMemberId({ user_id, id }: Fields): UserId | undefined {
  const read = user_id ?? id;
  return isSnowflake<'user'>(read) ? read : undefined;
}

/**
 * @param connected overrides the fields
 * @param known what is known of the member: what the fields leave out stays; returned when nothing differs
 */
export function readMember(
  id: UserId,
  fields: Fields,
  connected = readTruth(fields.connected),
  known?: LobbyMemberSnapshot,
): LobbyMemberSnapshot {
  const { additional_name } = fields;
  const metadata =
    fields.metadata === undefined && known ? known.metadata : share(known?.metadata, readMetadata(fields.metadata));
  const flags = fields.flags === undefined && known ? known.flags : readFlags(fields.flags);
  const isConnected = connected ?? known?.connected ?? false;
  // Without one the name is left out: an event without any metadata either leaves it as it is.
  const isNameKept = additional_name === undefined && fields.metadata === undefined;
  const additionalName = isNameKept ? known?.additionalName : readText(additional_name);
  const user = readUser(fields.user, known?.user) ?? known?.user;
  // Field by field: the general comparison costs a tenth of an event.
  if (
    known?.metadata === metadata &&
    known.flags === flags &&
    known.connected === isConnected &&
    known.additionalName === additionalName &&
    known.user === user
  )
    return known;
  return Object.freeze({
    id,
    metadata,
    flags,
    canLinkLobby: (flags & lobbyMemberFlags.CanLinkLobby) !== 0,
    connected: isConnected,
    additionalName,
    displayName: displayNameOf(id, user, additionalName),
    user,
  });
}

/** What to call a member: the user's name, else the additional name, else the id. */
export function displayNameOf(id: UserId, user: UserSnapshot | undefined, additionalName: string | undefined): string {
  return user?.displayName ?? additionalName ?? id;
}

/** @param known what is known of the user: returned when nothing differs, so that it is shared */
export function readUser(value: unknown, known?: UserSnapshot): UserSnapshot | undefined {
  if (value === undefined) return undefined;
  const { id, username, global_name } = asRecord(value) ?? {};
  if (!isSnowflake<'user'>(id) || typeof username !== 'string') return undefined;
  const globalName = readText(global_name);
  if (known && known.id === id && known.username === username && known.globalName === globalName) return known;
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

function readTruth(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
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
