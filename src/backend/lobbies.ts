import { ApiError } from '../model/errors/errors.ts';
import { limits } from '../model/limits/limits.ts';
import type {
  Lobby,
  LobbyInput,
  LobbyInvite,
  LobbyMember,
  LobbyMemberChange,
  LobbyMemberInput,
  Metadata,
} from '../model/lobby.ts';
import { checkLobby, checkLobbyMember, checkLobbyMemberChanges } from '../model/rules/lobbies/lobby.ts';
import { checkModerationMetadata } from '../model/rules/lobbies/lobby-message.ts';
import { type LobbyId, type MessageId, parseSnowflake, type UserId } from '../model/snowflake.ts';
import { rejectIssues } from '../wire/http/check.ts';
import { readLobby, readLobbyInvite, readLobbyMember, readLobbyMembers } from './answers.ts';
import type { Call, RequestOptions } from './calls.ts';
import type { Operations } from './operation.ts';

/** The result of a list of member changes. */
export interface ChangedMembers {
  /** The members that were added or updated, as they are now. */
  readonly members: readonly LobbyMember[];
  /** Users who were not added or updated: they may not be in the lobby, or are in too many lobbies. */
  readonly dropped: readonly UserId[];
}

/**
 * The application's lobbies: the server-to-server calls of the interface. All of them need the bot token. Only the backend
 * adds members to a lobby that it created, and removes them.
 *
 * Every input is checked against the rules first (ValidationError, ArgumentError; nothing was sent). Every call can also
 * throw ApiError, RateLimitError and TransportError.
 *
 * @see docs/spec/lobbies.md#operations
 */
export interface Lobbies {
  /** Creates a lobby with up to `limits.lobbyMembersPerRequestMax` members. Not idempotent. */
  create(input?: LobbyInput, options?: RequestOptions): Promise<Lobby>;
  /** @throws ApiError `unknown_lobby` */
  get(id: LobbyId, options?: RequestOptions): Promise<Lobby>;
  /**
   * Changes the given fields. `metadata` and `members` replace what is stored; members that are not listed are removed.
   *
   * @throws ApiError `unknown_lobby`
   */
  edit(id: LobbyId, input: LobbyInput, options?: RequestOptions): Promise<Lobby>;
  /** Deletes a lobby. It is no error if the lobby no longer exists. */
  delete(id: LobbyId, options?: RequestOptions): Promise<void>;
  /**
   * Adds a member or updates it. Idempotent.
   *
   * @throws ApiError `unknown_lobby`, `unknown_user`
   */
  putMember(id: LobbyId, userId: UserId, input?: LobbyMemberInput, options?: RequestOptions): Promise<LobbyMember>;
  /**
   * Removes a member. It is no error if the user is not a member.
   *
   * @throws ApiError `unknown_lobby`
   */
  removeMember(id: LobbyId, userId: UserId, options?: RequestOptions): Promise<void>;
  /**
   * Adds, updates and removes up to {@link memberChangesMax} members, by the fewest calls, one after another. Each call is
   * atomic; if a later one fails, the earlier ones stand, and the whole can be repeated safely. The deadline is for the
   * whole.
   *
   * @throws ApiError `unknown_lobby`, `unknown_user`
   */
  bulkMembers(id: LobbyId, changes: readonly LobbyMemberChange[], options?: RequestOptions): Promise<ChangedMembers>;
  /**
   * Replaces the moderation metadata of a message: up to `limits.lobbyModerationEntriesMax` entries. Players' clients
   * receive it.
   *
   * @throws ApiError `unknown_lobby`, `unknown_message`
   */
  setModerationMetadata(id: LobbyId, messageId: MessageId, metadata: Metadata, options?: RequestOptions): Promise<void>;
  /**
   * Creates an invite to the guild of the lobby's linked channel. This member can use it once, within
   * `limits.lobbyInviteLifeMs`. Not idempotent.
   *
   * @throws ApiError `unknown_lobby`, `lobby_not_linked`
   */
  createInvite(id: LobbyId, userId: UserId, options?: RequestOptions): Promise<LobbyInvite>;
}

/** Unspecified: the interface bounds a single request. This is enough to exchange all members of a full lobby. */
export const memberChangesMax = 2 * limits.lobbyMembersMax;

/** @param deadlineMs for calls that are made of several */
export function createLobbies(call: Call, operations: Operations, deadlineMs: number): Lobbies {
  async function bulkMembers(id: LobbyId, changes: readonly LobbyMemberChange[], options?: RequestOptions) {
    const path = lobbyPath(id);
    rejectIssues('The list of member changes', checkLobbyMemberChanges(changes, memberChangesMax));
    return operations.run(deadlineMs, options, async operation => {
      const members: LobbyMember[] = [];
      for (const body of chunks(changes)) {
        const answer = await call('bulkUpdateLobbyMembers', { path, body }, operation.next());
        members.push(...readLobbyMembers(answer.body));
      }
      return { members, dropped: missing(changes, members) };
    });
  }

  return {
    async create(input = {}, options) {
      rejectIssues('The lobby', checkLobby(input));
      return readLobby((await call('createLobby', { path: {}, body: input }, options)).body);
    },
    async get(id, options) {
      return readLobby((await call('getLobby', { path: lobbyPath(id) }, options)).body);
    },
    async edit(id, input, options) {
      const path = lobbyPath(id);
      rejectIssues('The lobby', checkLobby(input));
      return readLobby((await call('editLobby', { path, body: input }, options)).body);
    },
    async delete(id, options) {
      const path = lobbyPath(id);
      await call('deleteLobby', { path }, options).catch(ignoreUnknownLobby);
    },
    async putMember(id, userId, input = {}, options) {
      const path = memberPath(id, userId);
      rejectIssues('The lobby member', checkLobbyMember(input));
      return readLobbyMember((await call('putLobbyMember', { path, body: input }, options)).body);
    },
    async removeMember(id, userId, options) {
      await call('deleteLobbyMember', { path: memberPath(id, userId) }, options);
    },
    bulkMembers,
    async setModerationMetadata(id, messageId, metadata, options) {
      const path = { ...lobbyPath(id), message_id: parseSnowflake<'message'>(messageId, 'messageId') };
      rejectIssues('The moderation metadata', checkModerationMetadata(metadata));
      await call('setLobbyModerationMetadata', { path, body: metadata }, options);
    },
    async createInvite(id, userId, options) {
      return readLobbyInvite((await call('createLobbyInvite', { path: memberPath(id, userId) }, options)).body);
    },
  };
}

function lobbyPath(id: LobbyId) {
  return { lobby_id: parseSnowflake<'lobby'>(id, 'lobbyId') };
}

function memberPath(id: LobbyId, userId: UserId) {
  return { ...lobbyPath(id), user_id: parseSnowflake<'user'>(userId, 'userId') };
}

function missing(changes: readonly LobbyMemberChange[], members: readonly LobbyMember[]): UserId[] {
  const there = new Set(members.map(({ id }) => id));
  return changes.filter(({ id, remove_member }) => !remove_member && !there.has(id)).map(({ id }) => id);
}

// The interface calls deleting twice safe; a service that answers 404 instead of 204 says the same.
function ignoreUnknownLobby(error: unknown): void {
  if (!isUnknownLobby(error)) throw error;
}

export function isUnknownLobby(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'unknown_lobby';
}

/** Splits a list into parts that one request takes. */
export function chunks<Item>(items: readonly Item[]): Item[][] {
  const size = limits.lobbyMembersPerRequestMax;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
