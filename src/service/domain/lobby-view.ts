import type { GatewayLobby, GatewayLobbyMember, Lobby, LobbyMember } from '../../model/lobby.ts';
import type { UserId } from '../../model/snowflake.ts';
import type { LobbyMemberRecord, LobbyRecord, UserRecord } from '../store/records.ts';
import { userView } from './user-view.ts';

/** Our choice: this service runs no voice servers, so every lobby is in one region. */
const region = 'local';

/** A member as HTTP answers show it. @see lobbies.md 1.3 */
export function showMember({ user_id, metadata, flags, additional_name }: LobbyMemberRecord): LobbyMember {
  return { id: user_id, metadata, flags, ...(additional_name !== null && { additional_name }) };
}

/** A lobby as HTTP answers show it: never its idle timeout. @see lobbies.md 1.1 */
export function showLobby(lobby: LobbyRecord, members: readonly LobbyMemberRecord[]): Lobby {
  return {
    id: lobby.id,
    application_id: lobby.application_id,
    metadata: lobby.metadata,
    members: members.map(showMember),
    flags: lobby.flags,
    ...showOptional(lobby),
  };
}

/** What dispatches show of members beside what their records say. */
export interface Attendees {
  /** Who they are; an account that is no more is left out. */
  readonly users: ReadonlyMap<UserId, UserRecord>;
  /** Those of them who are there. */
  readonly connected: ReadonlySet<UserId>;
}

/** A member as dispatches show it. @see lobbies.md 6.3 */
export function showGatewayMember(member: LobbyMemberRecord, { users, connected }: Attendees): GatewayLobbyMember {
  const { user_id, metadata, flags, additional_name } = member;
  const user = users.get(user_id);
  return {
    user_id,
    ...(user && { user: userView(user) }),
    metadata,
    flags,
    ...(additional_name !== null && { additional_name }),
    connected: connected.has(user_id),
  };
}

/** A lobby as dispatches show it. */
export function showGatewayLobby(
  lobby: LobbyRecord,
  members: readonly LobbyMemberRecord[],
  attendees: Attendees,
): GatewayLobby {
  return {
    id: lobby.id,
    application_id: lobby.application_id,
    metadata: lobby.metadata,
    members: members.map(member => showGatewayMember(member, attendees)),
    flags: lobby.flags,
    ...showOptional(lobby),
    voice_states: [],
    region,
  };
}

function showOptional({ link, override_event_webhooks_url }: LobbyRecord) {
  return {
    ...(link && { linked_channel: link.channel }),
    ...(override_event_webhooks_url !== null && { override_event_webhooks_url }),
  };
}
