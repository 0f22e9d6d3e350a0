import type { Issue } from '../../../model/errors/issue.ts';
import type { LobbyInput, LobbyMemberInput } from '../../../model/lobby.ts';
import type { LobbyMessageInput } from '../../../model/lobby-message.ts';
import { checkLobby, checkLobbyMember } from '../../../model/rules/lobbies/lobby.ts';
import { checkLobbyMessage } from '../../../model/rules/lobbies/lobby-message.ts';
import { type RouteName, routes } from '../../../wire/routes.ts';

/** Whose credential a call carries. */
export type Actor =
  | { readonly kind: 'bot'; readonly application_id: string }
  | { readonly kind: 'user'; readonly application_id: string; readonly user_id: string };

/** A call of the API that the console makes for somebody. */
export interface Act {
  readonly as: Actor;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** What the rulebook finds wrong with the body before it is sent. */
  readonly issues: readonly Issue[];
}

/** The lobby that an act is about. */
export interface LobbyPlace {
  readonly id: string;
  readonly application_id: string;
}

function act(
  route: RouteName,
  as: Actor,
  params: Readonly<Record<string, string>>,
  body?: unknown,
  issues: readonly Issue[] = [],
): Act {
  const { method, path } = routes[route];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return { as, method, path: `/api/v10${filled}`, ...(body !== undefined && { body }), issues };
}

function botOf(applicationId: string): Actor {
  return { kind: 'bot', application_id: applicationId };
}

/** Every act of the lobbies' view, once: who makes which call with which body. */
export const lobbyActions = {
  create(applicationId: string, body: LobbyInput): Act {
    return act('createLobby', botOf(applicationId), {}, body, checkLobby(body));
  },
  edit({ id, application_id }: LobbyPlace, body: LobbyInput): Act {
    return act('editLobby', botOf(application_id), { lobby_id: id }, body, checkLobby(body));
  },
  end({ id, application_id }: LobbyPlace): Act {
    return act('deleteLobby', botOf(application_id), { lobby_id: id });
  },
  putMember({ id, application_id }: LobbyPlace, userId: string, body: LobbyMemberInput): Act {
    const params = { lobby_id: id, user_id: userId };
    return act('putLobbyMember', botOf(application_id), params, body, checkLobbyMember(body));
  },
  removeMember({ id, application_id }: LobbyPlace, userId: string): Act {
    return act('deleteLobbyMember', botOf(application_id), { lobby_id: id, user_id: userId });
  },
  /** @param channelId undefined: unlinks the channel that is linked */
  link({ id, application_id }: LobbyPlace, userId: string, channelId: string | undefined): Act {
    const as: Actor = { kind: 'user', application_id, user_id: userId };
    return act('linkLobbyChannel', as, { lobby_id: id }, channelId === undefined ? {} : { channel_id: channelId });
  },
  send({ id, application_id }: LobbyPlace, userId: string, body: LobbyMessageInput): Act {
    const as: Actor = { kind: 'user', application_id, user_id: userId };
    return act('createLobbyMessage', as, { lobby_id: id }, body, checkLobbyMessage(body));
  },
};
