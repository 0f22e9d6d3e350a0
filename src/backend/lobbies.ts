import { ApiError } from '../model/errors.ts';
import type { Lobby, LobbyInput, LobbyMember, LobbyMemberInput } from '../model/lobby.ts';
import { checkLobby, checkLobbyMember } from '../model/rules/lobby.ts';
import { type LobbyId, parseSnowflake, type UserId } from '../model/snowflake.ts';
import { readLobby, readLobbyMember } from './answers.ts';
import type { Call, CallOptions } from './calls.ts';
import { refuseIssues } from './check.ts';

/**
 * The application's lobbies, server to server. All of it takes the bot token. A lobby made here can be joined and left
 * by nobody but its backend.
 *
 * Every input is checked by the rulebook first (ValidationError, ArgumentError; nothing was sent). What every call may
 * throw beside that: ApiError, RateLimitError, TransportError.
 *
 * @see interface.md, "Lobbies (server to server)"
 */
export interface Lobbies {
  /** Opens a lobby with up to `limits.lobbyMembersPerRequestMax` members. Not idempotent. */
  create(input?: LobbyInput, options?: CallOptions): Promise<Lobby>;
  /** @throws ApiError `unknown_lobby` */
  get(id: LobbyId, options?: CallOptions): Promise<Lobby>;
  /**
   * Changes the fields given; `metadata` and `members` replace what is stored, members not listed are removed.
   *
   * @throws ApiError `unknown_lobby`
   */
  edit(id: LobbyId, input: LobbyInput, options?: CallOptions): Promise<Lobby>;
  /** Closes a lobby. One that is already gone is no error. */
  delete(id: LobbyId, options?: CallOptions): Promise<void>;
  /**
   * Adds a member or updates it. Idempotent.
   *
   * @throws ApiError `unknown_lobby`, `unknown_user`
   */
  putMember(id: LobbyId, userId: UserId, input?: LobbyMemberInput, options?: CallOptions): Promise<LobbyMember>;
  /**
   * Takes a member out. A user who is not a member is no error.
   *
   * @throws ApiError `unknown_lobby`
   */
  removeMember(id: LobbyId, userId: UserId, options?: CallOptions): Promise<void>;
}

export function createLobbies(call: Call): Lobbies {
  return {
    async create(input = {}, options) {
      refuseIssues('The lobby', checkLobby(input));
      return readLobby((await call('createLobby', { path: {}, body: input }, options)).body);
    },
    async get(id, options) {
      return readLobby((await call('getLobby', { path: lobbyPath(id) }, options)).body);
    },
    async edit(id, input, options) {
      const path = lobbyPath(id);
      refuseIssues('The lobby', checkLobby(input));
      return readLobby((await call('editLobby', { path, body: input }, options)).body);
    },
    async delete(id, options) {
      const path = lobbyPath(id);
      await call('deleteLobby', { path }, options).catch(passOverUnknownLobby);
    },
    async putMember(id, userId, input = {}, options) {
      const path = memberPath(id, userId);
      refuseIssues('The lobby member', checkLobbyMember(input));
      return readLobbyMember((await call('putLobbyMember', { path, body: input }, options)).body);
    },
    async removeMember(id, userId, options) {
      await call('deleteLobbyMember', { path: memberPath(id, userId) }, options);
    },
  };
}

function lobbyPath(id: LobbyId) {
  return { lobby_id: parseSnowflake<'lobby'>(id, 'lobbyId') };
}

function memberPath(id: LobbyId, userId: UserId) {
  return { ...lobbyPath(id), user_id: parseSnowflake<'user'>(userId, 'userId') };
}

// The interface calls deleting twice safe; a service that answers 404 instead of 204 says the same.
function passOverUnknownLobby(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'unknown_lobby')) throw error;
}
