import type { SocialSettings } from '../../../../model/presence.ts';
import type { CallBody } from '../../../../wire/control/act.ts';

/** The calls of the API by which a user acts in the social layer. */

/** @param familyId the game; null: everywhere */
function relationshipPath(otherId: string, familyId: string | null): string {
  const other = encodeURIComponent(otherId);
  return familyId === null
    ? `/users/@me/relationships/${other}`
    : `/users/@me/game-relationships/${other}/${encodeURIComponent(familyId)}`;
}

const byClient = (userId: string) => ({ kind: 'session', user_id: userId }) as const;

/** As a user's own client. @param type 1 accepts a request, 2 blocks; undefined: sends a request */
export function putRelationship(userId: string, otherId: string, familyId: string | null, type?: 1 | 2): CallBody {
  const body = type === undefined ? {} : { type };
  return { as: byClient(userId), method: 'PUT', path: relationshipPath(otherId, familyId), body };
}

export function deleteRelationship(userId: string, otherId: string, familyId: string | null): CallBody {
  return { as: byClient(userId), method: 'DELETE', path: relationshipPath(otherId, familyId) };
}

export interface ShownActivity {
  readonly name: string;
  readonly details: string;
  readonly state: string;
  readonly partyId: string;
  readonly isJoinable: boolean;
}

/** In a session without a connection, as a console's game does. */
export function showActivity(userId: string, applicationId: string, shown: ShownActivity): CallBody {
  const { name, details, state, partyId, isJoinable } = shown;
  const activity = {
    ...{ type: 0, name, application_id: applicationId, platform: 'ps5' },
    ...(details !== '' && { details }),
    ...(state !== '' && { state }),
    ...(partyId !== '' && { party: { id: partyId, size: [1, 4], privacy: 1 } }),
    ...(partyId !== '' && isJoinable && { secrets: { join: `join-${partyId}` } }),
  };
  return {
    as: { kind: 'user', application_id: applicationId, user_id: userId },
    ...{ method: 'POST', path: '/users/@me/headless-sessions', body: { activities: [activity] } },
  };
}

/** @param token the answer to {@link showActivity} has it */
export function endActivity(userId: string, applicationId: string, token: string): CallBody {
  return {
    as: { kind: 'user', application_id: applicationId, user_id: userId },
    ...{ method: 'POST', path: '/users/@me/headless-sessions/delete', body: { token } },
  };
}

export function editSettings(userId: string, body: Partial<SocialSettings>): CallBody {
  return { as: byClient(userId), method: 'PATCH', path: '/users/@me/settings', body };
}

/** @param applicationId the game by which it is sent; empty: the user's own client */
function sender(userId: string, applicationId: string): CallBody['as'] {
  return applicationId === '' ? byClient(userId) : { kind: 'user', application_id: applicationId, user_id: userId };
}

export function sendMessage(userId: string, otherId: string, applicationId: string, content: string): CallBody {
  const path = `/users/${encodeURIComponent(otherId)}/messages`;
  return { as: sender(userId, applicationId), method: 'POST', path, body: { content } };
}

/** Invites to what the user plays in that game now. */
export function sendInvite(userId: string, otherId: string, applicationId: string): CallBody {
  const path = `/users/${encodeURIComponent(otherId)}/messages`;
  return { as: sender(userId, applicationId), method: 'POST', path, body: { activity: { type: 1 } } };
}

export function deleteMessage(authorId: string, otherId: string, messageId: string): CallBody {
  const path = `/users/${encodeURIComponent(otherId)}/messages/${encodeURIComponent(messageId)}`;
  return { as: byClient(authorId), method: 'DELETE', path };
}
