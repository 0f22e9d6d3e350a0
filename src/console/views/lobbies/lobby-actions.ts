import type { Issue } from '../../../model/errors/issue.ts';
import type { LobbyInput, LobbyMemberInput } from '../../../model/lobby.ts';
import type { LobbyMessageInput } from '../../../model/lobby-message.ts';
import { checkLobby, checkLobbyMember } from '../../../model/rules/lobbies/lobby.ts';
import { checkLobbyMessage, isSilent } from '../../../model/rules/lobbies/lobby-message.ts';
import type { ActAs, CallBody } from '../../../wire/control/act.ts';
import { type RouteName, routes } from '../../../wire/routes.ts';

/** A call of the API that the console makes for somebody. */
export interface Act {
  readonly call: CallBody;
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
  as: ActAs,
  params: Readonly<Record<string, string>>,
  body?: unknown,
  issues: readonly Issue[] = [],
): Act {
  const { method, path } = routes[route];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return { call: { as, method, path: filled, ...(body !== undefined && { body }) }, issues };
}

function bot(application_id: string): ActAs {
  return { kind: 'bot', application_id };
}

/** Every act of the lobbies' view, once: who makes which call with which body. */
export const lobbyActions = {
  create: (applicationId: string, body: LobbyInput): Act =>
    act('createLobby', bot(applicationId), {}, body, checkLobby(body)),
  edit: ({ id, application_id }: LobbyPlace, body: LobbyInput): Act =>
    act('editLobby', bot(application_id), { lobby_id: id }, body, checkLobby(body)),
  end: ({ id, application_id }: LobbyPlace): Act => act('deleteLobby', bot(application_id), { lobby_id: id }),
  putMember: ({ id, application_id }: LobbyPlace, user_id: string, body: LobbyMemberInput): Act =>
    act('putLobbyMember', bot(application_id), { lobby_id: id, user_id }, body, checkLobbyMember(body)),
  removeMember: ({ id, application_id }: LobbyPlace, user_id: string): Act =>
    act('deleteLobbyMember', bot(application_id), { lobby_id: id, user_id }),
  /** @param channel_id undefined: unlinks the channel that is linked */
  link: ({ id, application_id }: LobbyPlace, user_id: string, channel_id: string | undefined): Act =>
    act(
      'linkLobbyChannel',
      { kind: 'user', application_id, user_id },
      { lobby_id: id },
      channel_id === undefined ? {} : { channel_id },
    ),
  send: ({ id, application_id }: LobbyPlace, user_id: string, body: LobbyMessageInput): Act =>
    act('createLobbyMessage', { kind: 'user', application_id, user_id }, { lobby_id: id }, body, messageIssues(body)),
};

function messageIssues(body: LobbyMessageInput): readonly Issue[] {
  const issues = checkLobbyMessage(body);
  return issues.length === 0 && isSilent(body)
    ? [{ path: ['content'], code: 'EMPTY_MESSAGE', message: 'A message needs text.' }]
    : issues;
}
