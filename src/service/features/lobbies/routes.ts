import { limits } from '../../../model/limits/limits.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../../http/call.ts';
import { readCount } from '../../http/query.ts';
import type { ApplicationRecord } from '../../store/records.ts';
import type { Lobbies } from './lobbies.ts';

const history = { min: 1, max: limits.lobbyHistoryMessagesMax, absent: limits.lobbyHistoryMessagesDefault };

/** Lobbies, server to server. @see docs/spec/lobbies.md#operations */
export function lobbyRoutes(lobbies: Lobbies): Handlers {
  return {
    createLobby: async call => ({ status: 201, text: await lobbies.create(applicationOf(call), call.body) }),
    getLobby: async call => ({ status: 200, text: await lobbies.read(applicationOf(call), lobbyId(call)) }),
    editLobby: async call => ({ status: 200, text: await lobbies.edit(applicationOf(call), lobbyId(call), call.body) }),
    async deleteLobby(call) {
      await lobbies.remove(applicationOf(call), lobbyId(call));
      return { status: 204 };
    },
    async putLobbyMember(call) {
      const text = await lobbies.putMember(applicationOf(call), lobbyId(call), param(call, 'user_id'), call.body);
      return { status: 200, text };
    },
    async bulkUpdateLobbyMembers(call) {
      return { status: 200, text: await lobbies.updateMembers(applicationOf(call), lobbyId(call), call.body) };
    },
    async deleteLobbyMember(call) {
      await lobbies.removeMember(applicationOf(call), lobbyId(call), param(call, 'user_id'));
      return { status: 204 };
    },
    async createLobbyInvite(call) {
      const body = await lobbies.invites.createFor(applicationOf(call), param(call, 'user_id'), lobbyId(call));
      return { status: 200, body };
    },
    async setLobbyModerationMetadata(call) {
      await lobbies.messages.moderate(applicationOf(call), lobbyId(call), param(call, 'message_id'), call.body);
      return { status: 204 };
    },
  };
}

/** Lobbies, as players use them. @see docs/spec/lobbies.md#operations */
export function playerLobbyRoutes(lobbies: Lobbies): Handlers {
  return {
    async joinLobby(call) {
      const { application, user } = expectPrincipal(call, 'user');
      return { status: 200, text: await lobbies.join(application, user, call.body) };
    },
    async leaveLobby(call) {
      const { application, user } = expectPrincipal(call, 'user');
      await lobbies.leave(application, user, lobbyId(call));
      return { status: 204 };
    },
    async linkLobbyChannel(call) {
      const { application, user } = expectPrincipal(call, 'user');
      return { status: 200, text: await lobbies.links.set(application, user, lobbyId(call), call.body) };
    },
    async createLobbyMessage(call) {
      const { application, user } = expectPrincipal(call, 'user');
      return { status: 201, text: await lobbies.messages.send(application, user, lobbyId(call), call.body) };
    },
    async listLobbyMessages(call) {
      const { application, user } = expectPrincipal(call, 'user');
      const count = readCount(call, 'limit', history);
      return { status: 200, text: await lobbies.messages.list(application, user, lobbyId(call), count) };
    },
    async createOwnLobbyInvite(call) {
      const { application, user } = expectPrincipal(call, 'user');
      return { status: 200, body: await lobbies.invites.createOwn(application, user, lobbyId(call)) };
    },
  };
}

function applicationOf(call: Call): ApplicationRecord {
  return expectPrincipal(call, 'bot').application;
}

function lobbyId(call: Call): string {
  return param(call, 'lobby_id');
}
