import { limits } from '../../../model/limits/limits.ts';
import type { LobbyInput, LobbyJoinInput, LobbyMemberEntry, LobbyMemberInput } from '../../../model/lobby.ts';
import { sameMetadata } from '../../../model/rules/lobbies/lobby.ts';
import {
  type ChannelId,
  type GuildId,
  type LobbyId,
  readSnowflake,
  type Snowflake,
  type UserId,
} from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord, LobbyMemberRecord, LobbyRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';

/** The records of lobbies and their members: how they are found, and how request bodies that passed the rules become records. */

/** The store scope of everything that is written about one lobby. */
export function lobbyScope(id: LobbyId): string {
  return `lobby/${id}`;
}

/** @throws RequestError `unknown_lobby` also when it is another application's */
export async function ownLobby(view: StoreView, application: ApplicationRecord, id: LobbyId): Promise<LobbyRecord> {
  const lobby = await view.get('lobbies', id);
  if (lobby?.application_id !== application.id) throw new RequestError('unknown_lobby');
  return lobby;
}

/** @throws RequestError `not_a_lobby_member` */
export async function requireMember(view: StoreView, id: LobbyId, userId: UserId): Promise<LobbyMemberRecord> {
  const member = await view.get('lobby_members', id, userId);
  if (!member) throw new RequestError('not_a_lobby_member');
  return member;
}

/** The lobbies that are linked to channels of a guild, or to one channel. */
export async function linkedLobbies(
  view: StoreView,
  ...place: readonly [guild: GuildId, channel?: ChannelId]
): Promise<readonly LobbyRecord[]> {
  return view.list('lobbies', { index: 'byChannel', equals: place.filter(id => id !== undefined) });
}

/** Linked lobbies by their channels. */
export function byChannel(linked: readonly LobbyRecord[]): ReadonlyMap<ChannelId | null, LobbyRecord> {
  return new Map(linked.map(lobby => [lobby.linked_channel_id, lobby]));
}

/** The lobby's members in the order of their ids' text. */
export async function membersOf(view: StoreView, id: LobbyId): Promise<readonly LobbyMemberRecord[]> {
  return view.list('lobby_members', { equals: [id] });
}

export function userIdsOf(members: readonly LobbyMemberRecord[]): UserId[] {
  return members.map(({ user_id }) => user_id);
}

/**
 * Unspecified: an unknown user fails every call that would make it a member, as the bulk call does
 * (docs/spec/lobbies.md#bulk-update).
 *
 * @throws RequestError `unknown_user`
 */
export async function requireUsers(view: StoreView, userIds: readonly UserId[]): Promise<void> {
  const users = await Promise.all(userIds.map(userId => view.get('users', userId)));
  if (users.includes(undefined)) throw new RequestError('unknown_user');
}

/** The fields of a member who is in no call. */
export const silent = { voice: null, voice_session_id: null } as const;

const second = 1000;

/** A new lobby, still without members. */
export function newLobby(
  ids: Pick<LobbyRecord, 'id' | 'application_id'>,
  input: LobbyInput,
  nowMs: number,
): LobbyRecord {
  const idle_timeout_seconds = input.idle_timeout_seconds ?? limits.lobbyIdleTimeoutSecondsDefault;
  return {
    ...ids,
    metadata: input.metadata ?? null,
    flags: input.flags ?? 0,
    idle_timeout_seconds,
    override_event_webhooks_url: input.override_event_webhooks_url ?? null,
    member_count: 0,
    secret_hash: null,
    secret_expires_at_ms: null,
    linked_guild_id: null,
    linked_channel_id: null,
    link: null,
    message_count: 0,
    // Unspecified: a lobby without connected members is idle from its creation (docs/spec/lobbies.md#lifecycle).
    expires_at_ms: nowMs + idle_timeout_seconds * second,
    attended: false,
  };
}

/**
 * A lobby after an edit; the same object when nothing changes. Omitted fields stay.
 *
 * Unspecified: null clears metadata, flags and the webhooks address; members and idle timeout have no empty state and
 * stay. An idle timeout, even the same one, restarts the idle timer.
 */
export function editedLobby(lobby: LobbyRecord, input: LobbyInput, nowMs: number): LobbyRecord {
  const { metadata, flags, override_event_webhooks_url: url, idle_timeout_seconds: seconds } = input;
  const edited: LobbyRecord = {
    ...lobby,
    metadata: metadata === undefined || sameMetadata(metadata, lobby.metadata) ? lobby.metadata : metadata,
    flags: flags === undefined ? lobby.flags : (flags ?? 0),
    override_event_webhooks_url: url === undefined ? lobby.override_event_webhooks_url : url,
  };
  if (typeof seconds === 'number') return restarted({ ...edited, idle_timeout_seconds: seconds }, nowMs);
  return looksDifferent(edited, lobby) ? edited : lobby;
}

/** Whether what the lobbies show besides their members differs. */
export function looksDifferent(a: LobbyRecord, b: LobbyRecord): boolean {
  return (
    a.metadata !== b.metadata ||
    a.flags !== b.flags ||
    a.link !== b.link ||
    a.override_event_webhooks_url !== b.override_event_webhooks_url
  );
}

/** A lobby that may be idle from now on. */
export function idleSince(lobby: LobbyRecord, nowMs: number): LobbyRecord {
  return restarted({ ...lobby, attended: false }, nowMs);
}

/** A lobby with connected members: it is checked again after another idle timeout. */
export function connectedAt(lobby: LobbyRecord, nowMs: number): LobbyRecord {
  return restarted({ ...lobby, attended: true }, nowMs);
}

/**
 * A lobby whose idle timer starts again; a lobby with a linked channel has none. @see docs/spec/lobbies.md#lifecycle
 */
export function restarted(lobby: LobbyRecord, nowMs: number): LobbyRecord {
  const isLinked = lobby.linked_channel_id !== null;
  return { ...lobby, expires_at_ms: isLinked ? null : nowMs + lobby.idle_timeout_seconds * second };
}

/** An id of a body that passed the rules, which accept numbers, too. */
export function readId<Resource extends string>(id: Snowflake<Resource>): Snowflake<Resource> {
  return String(readSnowflake(id));
}

/** The entries of a lobby's `members`, by user. */
export function readEntries(entries: readonly LobbyMemberEntry[]): ReadonlyMap<UserId, LobbyMemberInput> {
  const byUser = new Map<UserId, LobbyMemberInput>();
  for (const { id, metadata, flags } of entries) {
    byUser.set(readId(id), { metadata: metadata ?? null, flags: flags ?? null });
  }
  return byUser;
}

/**
 * A member after a request: omitted metadata and flags return to their defaults, an omitted additional name stays.
 * The same object as `stored` when nothing changes.
 *
 * @see docs/spec/lobbies.md#put-a-member
 */
export function writtenMember(
  { id, application_id }: LobbyRecord,
  userId: UserId,
  input: LobbyMemberInput,
  stored?: LobbyMemberRecord,
): LobbyMemberRecord {
  const metadata = input.metadata ?? null;
  const { additional_name = stored?.additional_name ?? null } = input;
  const { voice, voice_session_id } = stored ?? silent;
  const member = {
    lobby_id: id,
    user_id: userId,
    application_id,
    metadata,
    flags: input.flags ?? 0,
    additional_name,
    voice,
    voice_session_id,
  };
  return stored && sameMember(member, stored) ? stored : member;
}

/** The fields of a join that change the lobby. Unspecified: null changes nothing; an empty map clears. */
export function joinedLobby(
  lobby: LobbyRecord,
  { lobby_metadata, flags, idle_timeout_seconds }: LobbyJoinInput,
  nowMs: number,
): LobbyRecord {
  const edit: LobbyInput = {
    ...(lobby_metadata && { metadata: lobby_metadata }),
    ...(typeof flags === 'number' && { flags }),
    ...(typeof idle_timeout_seconds === 'number' && { idle_timeout_seconds }),
  };
  return editedLobby(lobby, edit, nowMs);
}

/** The member after a join; an existing one changes only its metadata, if any is sent. */
export function joinedMember(
  lobby: LobbyRecord,
  userId: UserId,
  { member_metadata }: LobbyJoinInput,
  stored?: LobbyMemberRecord,
): LobbyMemberRecord {
  const { metadata = null, flags = 0 } = stored ?? {};
  return writtenMember(lobby, userId, { metadata: member_metadata ?? metadata, flags }, stored);
}

/** What an edit does to the members of a lobby. */
export interface MemberChanges {
  /** The complete list after the edit, in its order. */
  readonly members: readonly LobbyMemberRecord[];
  readonly added: readonly LobbyMemberRecord[];
  readonly updated: readonly LobbyMemberRecord[];
  readonly removed: readonly LobbyMemberRecord[];
}

/** The members of a new lobby, in their order. */
export function firstMembers(lobby: LobbyRecord, { members: given }: LobbyInput): readonly LobbyMemberRecord[] {
  return given ? [...readEntries(given)].sort(byText).map(([id, entry]) => writtenMember(lobby, id, entry)) : [];
}

/** A list of members in an edit is the complete list: members who are not in it are removed. */
export function replacedMembers(
  lobby: LobbyRecord,
  stored: readonly LobbyMemberRecord[],
  { members: given }: LobbyInput,
): MemberChanges {
  if (!given) return { members: stored, added: [], updated: [], removed: [] };
  const byUser = new Map(stored.map(member => [member.user_id, member]));
  const entries = readEntries(given);
  const members = [...entries].sort(byText).map(([id, entry]) => writtenMember(lobby, id, entry, byUser.get(id)));
  return {
    members,
    added: members.filter(({ user_id }) => !byUser.has(user_id)),
    updated: members.filter(member => (byUser.get(member.user_id) ?? member) !== member),
    removed: stored.filter(({ user_id }) => !entries.has(user_id)),
  };
}

/** The order in which the store lists members. */
function byText([a]: readonly [UserId, unknown], [b]: readonly [UserId, unknown]): number {
  return a < b ? -1 : 1;
}

function sameMember(a: LobbyMemberRecord, b: LobbyMemberRecord): boolean {
  return a.flags === b.flags && a.additional_name === b.additional_name && sameMetadata(a.metadata, b.metadata);
}
