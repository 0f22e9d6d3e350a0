import type { Lobbies } from '../domain/lobbies.ts';
import { type Call, expectPrincipal, type Handlers, param } from '../http/call.ts';
import type { ApplicationRecord } from '../store/records.ts';

/** Lobbies, server to server. @see interface.md, "Lobbies (server to server)" */
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
    async deleteLobbyMember(call) {
      await lobbies.removeMember(applicationOf(call), lobbyId(call), param(call, 'user_id'));
      return { status: 204 };
    },
  };
}

function applicationOf(call: Call): ApplicationRecord {
  return expectPrincipal(call, 'bot').application;
}

function lobbyId(call: Call): string {
  return param(call, 'lobby_id');
}
